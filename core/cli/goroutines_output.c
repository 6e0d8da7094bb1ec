// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/text_format.h"
#include "base/text_wrap.h"
#include "bpf/event.h"
#include "cli/goroutines.h"

#define UNKNOWN "[unknown]"

static const char *state_name(uint8_t state)
{
	return state == STATE_RUNNING    ? "running"
	       : state == STATE_RUNNABLE ? "runnable"
	       : state == STATE_SYSCALL  ? "syscall"
					 : "waiting";
}

/* What it waits for; "": nothing, or nobody knows. */
static const char *reason_text(const struct goroutines_shown *s, const struct goroutine_group *g,
			       char buf[32])
{
	if (g->state != STATE_WAITING)
		return "";
	snprintf(buf, 32, "reason %u", g->reason);
	return g->reason < s->reasons->n ? s->reasons->text[g->reason] : buf;
}

static const struct goroutine_group *group(const struct goroutines_shown *s, size_t i)
{
	return &s->groups->groups[i];
}

static size_t shown(const struct goroutines_shown *s)
{
	return s->limit && s->limit < s->groups->n ? s->limit : s->groups->n;
}

/* ---- frames */

/* A frame of a stack; file NULL: it is not known. */
struct frame {
	const char *function, *file;
	uint32_t line;
};

static const struct sample_location *location(const struct goroutines_shown *s,
					      const struct goroutine_group *g, uint32_t i)
{
	return sample_tables_find(&s->tables, 0, s->groups->pcs[g->first + i]);
}

/* As in Go's own profile: what of the runtime parks it is not shown, nor where it would end. */
static bool is_hidden(const char *function, bool *below_runtime)
{
	*below_runtime = *below_runtime || strncmp(function, "runtime.", 8);
	return !*below_runtime || !strcmp(function, "runtime.goexit");
}

/* Calls fn with each frame, the innermost first. */
static void each_frame(const struct goroutines_shown *s, const struct goroutine_group *g,
		       void (*fn)(void *ctx, const struct frame *f), void *ctx)
{
	bool below_runtime = false;

	for (uint32_t i = 0; i < g->n; i++) {
		const struct sample_location *l = location(s, g, i);

		for (uint32_t k = 0; l && k < l->n; k++) {
			const struct sample_symbol *y = &s->tables.symbols[l->frames[k].symbol];
			const struct frame f = { y->name, y->file, l->frames[k].line };

			/* A wrapper that the compiler made is no caller. */
			if (y->kind == SYMBOL_GO_WRAPPER && i + k)
				continue;
			if (!is_hidden(y->name, &below_runtime))
				fn(ctx, &f);
		}
		if (!l)
			fn(ctx, &(struct frame){ UNKNOWN, NULL, 0 });
	}
}

/* ---- text */

#define PLACE_COLUMNS 7 /* "  ", ":" and a line */

struct printing {
	FILE *out;
	int indent;
	unsigned width; /* columns of the terminal; 0: any */
	unsigned n;
};

/* Of a path the last two parts. */
static const char *short_path(const char *path)
{
	const char *last = strrchr(path, '/'), *p = last;

	while (p && p > path && p[-1] != '/')
		p--;
	return p && p > path ? p : path;
}

static void print_frame(void *ctx, const struct frame *f)
{
	struct printing *p = ctx;

	fprintf(p->out, "%*s", p->indent, "");
	text_safe(p->out, f->function);
	if (f->file) {
		const size_t n = (size_t)p->indent + text_columns(f->function) +
				 text_columns(short_path(f->file)) + PLACE_COLUMNS;

		if (p->width && n > p->width)
			fprintf(p->out, "\n%*s", p->indent + 2, "");
		else
			fputs("  ", p->out);
		text_safe(p->out, short_path(f->file));
		fprintf(p->out, ":%u", f->line);
	}
	fputc('\n', p->out);
	p->n++;
}

static void print_group(const struct goroutines_shown *s, const struct goroutine_group *g,
			int width, FILE *out)
{
	struct printing p = { out, width + 2, s->width, 0 };
	char buf[32];
	const char *reason = reason_text(s, g, buf);

	fprintf(out, "%*" PRIu64, width, g->count);
	if (s->again_ns)
		fprintf(out, " %+*" PRId64, width, goroutine_group_growth(g));
	fprintf(out, " %7s  %s%s", g->oldest_ns ? HUMAN(g->oldest_ns) : "-", state_name(g->state),
		*reason ? ": " : "");
	text_safe(out, reason);
	fputc('\n', out);
	each_frame(s, g, print_frame, &p);
	if (!p.n)
		fprintf(out, "%*s%s\n", p.indent, "",
			g->state == STATE_RUNNING ? "[no stack while it runs]" : "[no stack]");
	if (g->flags & STACK_CUT)
		fprintf(out, "%*s[cut]\n", p.indent, "");
	if (g->flags & STACK_UNREADABLE)
		fprintf(out, "%*s[unreadable]\n", p.indent, "");
}

static void print_notes(const struct goroutines_shown *s, FILE *out)
{
	const struct goroutine_groups *g = s->groups;
	const size_t left = g->n - shown(s);

	if (left)
		fprintf(out, "%zu more group%s (-n 0 shows all)\n", left, plural(left));
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	fprintf(f, "%" PRIu64 " goroutine%s of ", g->count, plural(g->count));
	text_safe(f, s->comm);
	fprintf(f, " (process %d), looked at for %s", s->pid, HUMAN(s->look_ns));
	if (s->again_ns)
		fprintf(f, "; %" PRIu64 " were there %s before", g->before, HUMAN(s->again_ns));
	if (s->listed < s->claimed)
		fprintf(f, "\n%zu of its %zu places for goroutines were looked at, drawn at random",
			s->listed, s->claimed);
	fprintf(f,
		"\n%" PRIu64 " more work for Go's runtime, %" PRIu64
		" kept changing; these are not counted\n",
		g->of_runtime, g->torn);
	fputs("OLDEST is the longest wait, by the garbage collections that saw it; - means that none "
	      "has seen one wait yet\n",
	      f);
	fputc('\n', out);
	if (!text_stream_close(f, &text))
		text_wrap_lines(out, text, s->width, 2);
	free(text);
}

void goroutines_text(const struct goroutines_shown *s, FILE *out)
{
	int width = 7;

	for (size_t i = 0; i < shown(s); i++)
		width = text_width(group(s, i)->count, width);
	if (s->again_ns)
		text_heading(s->colour, out, "%*s %*s %7s  STATE", width, "COUNT", width, "GROWTH",
			     "OLDEST");
	else
		text_heading(s->colour, out, "%*s %7s  STATE", width, "COUNT", "OLDEST");
	for (size_t i = 0; i < shown(s); i++)
		print_group(s, group(s, i), width, out);
	print_notes(s, out);
}

/* ---- CSV, with the outermost function first, as paths have it elsewhere */

struct names {
	const char **of;
	size_t n, cap;
	bool quote;
};

static void add_name(void *ctx, const struct frame *f)
{
	struct names *x = ctx;

	if (x->n == x->cap)
		return;
	x->of[x->n++] = f->function;
	x->quote |= strpbrk(f->function, ";" CSV_SPECIAL) != NULL;
}

static size_t frames_most(const struct goroutines_shown *s, const struct goroutine_group *g)
{
	size_t n = 1;

	for (uint32_t i = 0; i < g->n; i++) {
		const struct sample_location *l = location(s, g, i);

		n += l ? l->n : 1;
	}
	return n;
}

static void stack_csv(const struct goroutines_shown *s, const struct goroutine_group *g, FILE *out)
{
	struct names x = { .cap = frames_most(s, g) };

	x.of = calloc(x.cap, sizeof(*x.of));
	if (!x.of)
		return;
	each_frame(s, g, add_name, &x);
	csv_begin(out, x.n ? x.of[x.n - 1] : "", x.quote);
	for (size_t i = x.n; i-- > 0;) {
		csv_part(out, x.of[i], ';');
		if (i)
			fputc(';', out);
	}
	if (x.quote)
		fputc('"', out);
	free(x.of);
}

void goroutines_csv(const struct goroutines_shown *s, FILE *out)
{
	char buf[32];

	fprintf(out, "count%s,state,reason,oldest_ns,aged,stack\n",
		s->again_ns ? ",before,growth" : "");
	for (size_t i = 0; i < shown(s); i++) {
		const struct goroutine_group *g = group(s, i);

		fprintf(out, "%" PRIu64, g->count);
		if (s->again_ns)
			fprintf(out, ",%" PRIu64 ",%" PRId64, g->before, goroutine_group_growth(g));
		fprintf(out, ",%s,", state_name(g->state));
		csv_field(out, reason_text(s, g, buf));
		fputc(',', out);
		if (g->oldest_ns)
			fprintf(out, "%" PRIu64, g->oldest_ns);
		fprintf(out, ",%" PRIu64 ",", g->aged);
		stack_csv(s, g, out);
		fputc('\n', out);
	}
}

/* ---- JSON */

static void frame_json(void *ctx, const struct frame *f)
{
	struct json *j = ctx;

	json_open(j, '{');
	json_kv_str(j, "function", f->function);
	json_kv_str(j, "file", f->file);
	json_kv_u64(j, "line", f->line);
	json_close(j, '}');
}

static void group_json(const struct goroutines_shown *s, const struct goroutine_group *g,
		       struct json *j)
{
	char buf[32];
	const char *reason = reason_text(s, g, buf);

	json_open(j, '{');
	json_kv_u64(j, "count", g->count);
	if (s->again_ns) {
		json_kv_u64(j, "before", g->before);
		json_key(j, "growth");
		json_i64(j, goroutine_group_growth(g));
	}
	json_kv_str(j, "state", state_name(g->state));
	json_kv_str(j, "reason", *reason ? reason : NULL);
	json_key(j, "oldest_ns");
	if (g->oldest_ns)
		json_u64(j, g->oldest_ns);
	else
		json_null(j);
	json_kv_u64(j, "aged", g->aged);
	json_kv_bool(j, "whole", !(g->flags & (STACK_CUT | STACK_UNREADABLE)));
	json_key(j, "stack");
	json_open(j, '[');
	each_frame(s, g, frame_json, j);
	json_close(j, ']');
	json_close(j, '}');
}

void goroutines_json(const struct goroutines_shown *s, FILE *out)
{
	const struct goroutine_groups *g = s->groups;
	struct json j;

	json_init(&j, out, true);
	json_open(&j, '{');
	json_kv_u64(&j, "pid", (uint64_t)s->pid);
	json_kv_str(&j, "name", s->comm);
	json_kv_u64(&j, "goroutines", g->count);
	if (s->again_ns) {
		json_kv_u64(&j, "before", g->before);
		json_kv_u64(&j, "again_ns", s->again_ns);
	}
	json_kv_u64(&j, "of_runtime", g->of_runtime);
	json_kv_u64(&j, "changing", g->torn);
	json_kv_u64(&j, "places", s->claimed);
	json_kv_u64(&j, "places_looked_at", s->listed);
	json_kv_u64(&j, "look_ns", s->look_ns);
	json_key(&j, "groups");
	json_open(&j, '[');
	for (size_t i = 0; i < shown(s); i++)
		group_json(s, group(s, i), &j);
	json_close(&j, ']');
	json_close(&j, '}');
}
