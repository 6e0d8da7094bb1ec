// SPDX-License-Identifier: BSD-2-Clause
/*
 * The tree of paths, indented. A node's share is its time and that of all nodes below it,
 * goroutines it created included: a node never has a larger share than its parent, so the heaviest
 * nodes are a tree by themselves.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_notes.h"
#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "base/compare.h"
#include "base/log.h"
#include "base/text_format.h"
#include "base/vec.h"
#include "report/table.h"
#include "report/text.h"

static int by_share(const void *x, const void *y, void *ctx)
{
	const struct report *rep = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = compare_u64(rep->tree.nodes[b].subtree_ns, rep->tree.nodes[a].subtree_ns);

	return c ? c : compare_u64(a, b);
}

static int by_weight(const void *x, const void *y, void *ctx)
{
	const struct report *rep = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = compare_u64(report_weight(rep->tree.nodes[b].stats, rep->opt->sort),
			    report_weight(rep->tree.nodes[a].stats, rep->opt->sort));

	return c ? c : by_share(x, y, ctx);
}

/* Paths that are not shown, and their self time. */
struct cut {
	size_t n;
	uint64_t ns;
};

struct walk {
	const struct report *rep;
	FILE *out;
	bool *shown;
	size_t *rows; /* those nodes */
	size_t n_rows;
	struct table table;
	struct step {
		uint32_t node, level, parent;
	} * stack;
	uint32_t *children;
	size_t n_stack, cap_stack, cap_children;
	struct cut deep, light, rest; /* by depth, by share, by the limit of rows */
	size_t numbers;               /* columns of the terminal before names */
};

static void cut(const struct walk *w, struct cut *c, size_t node)
{
	const struct call_stats *st = w->rep->tree.nodes[node].stats;

	c->n++;
	c->ns += st->self_ns + st->morestack_ns + st->preempt_ns;
}

/* Marks and lists the nodes that are shown. 0 or -ENOMEM. */
static int choose(struct walk *w)
{
	const struct report *rep = w->rep;
	size_t n = 0, limit = rep->opt->limit;
	uint32_t *left = calloc(rep->tree.n, sizeof(*left));

	w->shown = calloc(rep->tree.n, sizeof(*w->shown));
	w->rows = calloc(rep->tree.n, sizeof(*w->rows));
	if (!left || !w->shown || !w->rows) {
		free(left);
		return -ENOMEM;
	}
	for (size_t i = 1; i < rep->tree.n; i++) {
		if (report_wants_path(rep, i))
			left[n++] = (uint32_t)i;
		else
			cut(w,
			    rep->opt->depth && rep->tree.nodes[i].level > rep->opt->depth
				    ? &w->deep
				    : &w->light,
			    i);
	}
	if (n > 1)
		qsort_r(left, n, sizeof(*left), by_share, (void *)rep);
	for (size_t i = 0; i < n; i++) {
		w->shown[left[i]] = !limit || i < limit;
		if (w->shown[left[i]])
			w->rows[w->n_rows++] = left[i];
		else
			cut(w, &w->rest, left[i]);
	}
	free(left);
	return 0;
}

static int push_children(struct walk *w, uint32_t node, uint32_t level)
{
	const struct call_node *nodes = w->rep->tree.nodes;
	size_t n = 0;

	for (uint32_t c = node + 1; c < nodes[node].end; c = nodes[c].end) {
		if (!w->shown[c])
			continue;
		if (vec_reserve(&w->children, &w->cap_children, n + 1))
			return -ENOMEM;
		w->children[n++] = c;
	}
	if (!n)
		return 0;
	qsort_r(w->children, n, sizeof(*w->children),
		w->rep->opt->sort == SORT_DEFAULT ? by_share : by_weight, (void *)w->rep);
	if (vec_reserve(&w->stack, &w->cap_stack, w->n_stack + n))
		return -ENOMEM;
	while (n--)
		w->stack[w->n_stack++] = (struct step){ w->children[n], level, node };
	return 0;
}

/* What stands after a path's name. */
static void remarks(const struct walk *w, uint32_t node, FILE *out)
{
	const struct call_node *n = &w->rep->tree.nodes[node];
	const struct report_release r = report_release(w->rep, node);
	char at[512], marks[MARKS_BYTES], released[RELEASED_BYTES], waits[WAITS_BYTES];

	if (n->go && *trace_name_line(w->rep->trace.info, n->go_pc, true, at, sizeof(at))) {
		fputs("  (at ", out); /* the go statement, when all came from one */
		text_safe(out, at);
		fputc(')', out);
	}
	if (n->recursion > 1 && n->func != PATH_OTHER)
		fprintf(out, "  (recursion, %u deep)", n->recursion);
	fputs(text_waits(w->rep, node, n->stats->self_ns, waits), out);
	fputs(text_marks(n->stats, marks), out);
	fputs(text_released(w->rep, r.func, n->stats, r.below, released), out);
}

#define CELL(name, fmt, ...)                                                                \
	static void name(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES]) \
	{                                                                                   \
		const struct report *rep = ctx;                                             \
		const struct call_node *n = &rep->tree.nodes[row];                          \
		const struct call_stats *st = n->stats;                                     \
		const bool samples = rep->trace.samples;                                    \
		const struct off_times *off = samples ? &st->off_total : &st->off_self;     \
                                                                                            \
		(void)words;                                                                \
		(void)off;                                                                  \
		snprintf(buf, CELL_BYTES, fmt, __VA_ARGS__);                                \
	}
#define TEXT ((char[SELF_BYTES]){ 0 })
CELL(share, "%.1f%%", share_pct(n->subtree_ns, rep->tree.nodes[0].subtree_ns))
CELL(total, "%s", samples ? text_weight(rep, st->total_ns, TEXT) : text_total(st, TEXT))
CELL(self, "%s", samples ? text_weight(rep, st->self_ns, TEXT) : text_self(st, TEXT))
CELL(run, "%s", CELL_TIME(samples ? stat_total_run_ns(st) : stat_run_ns(st)))
CELL(off_cpu, "%s", CELL_TIME(off->off_cpu_ns))
CELL(ready, "%s", CELL_TIME(off->runnable_ns))
CELL(waiting, "%s", CELL_TIME(off->wait_ns))
CELL(in_calls, "%s", CELL_TIME(off->syscall_ns))
CELL(unknown, "%s", CELL_TIME(off->unknown_ns))
CELL(calls, "%s", samples ? "" : text_calls_of(st, (char[CALLS_BYTES]){ 0 }))
CELL(sampled, "%" PRIu64, samples ? st->samples : 0)

static bool of_samples(const void *ctx)
{
	return ((const struct report *)ctx)->trace.samples;
}

static bool of_calls(const void *ctx)
{
	return !of_samples(ctx);
}

static const struct table_column columns[] = {
	{ "share_pct", "SHARE", 6, { 0, 0 }, .cell = share },
	{ "total_ns", "TOTAL", 6, { 0, 0 }, .cell = total },
	{ "self_ns", "SELF", 6, { 0, 0 }, .cell = self },
	{ "run_ns", "RUN", 6, { 0, 80 }, .when = text_has_states, .cell = run },
	{ "off_cpu_ns", "OFF-CPU", 7, { 0, 120 }, .when = text_any_off_cpu, .cell = off_cpu },
	{ "runnable_ns", "READY", 6, { 0, 120 }, .when = text_has_states, .cell = ready },
	{ "wait_ns", "WAIT", 6, { 0, 80 }, .when = text_has_states, .cell = waiting },
	{ "syscall_ns", "SYSCALL", 7, { 0, 120 }, .when = text_has_states, .cell = in_calls },
	{ "unknown_ns", "UNKNOWN", 7, { 0, 120 }, .when = text_any_unknown, .cell = unknown },
	{ "calls", "CALLS", 5, { 0, 0 }, .when = of_calls, .cell = calls },
	{ "samples", "SAMPLES", 7, { 0, 0 }, .when = of_samples, .cell = sampled },
	{ 0 },
};

/* The numbers of a node, with two blanks behind them; to be freed. NULL: no memory */
static char *numbers_of(struct walk *w, uint32_t node)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	w->numbers = table_row(&w->table, out, node);
	text_stream_close(out, &text);
	return text;
}

/* The numbers of a caller are blank where they are those of whom it calls. 0 or -ENOMEM */
static int print_numbers(struct walk *w, struct step s)
{
	const bool compare = w->rep->opt->n_callers && s.parent;
	char *text = numbers_of(w, s.node), *parent = compare ? numbers_of(w, s.parent) : NULL;
	const int err = text && (parent || !compare) ? 0 : -ENOMEM;

	if (!err) {
		if (parent && !strcmp(text, parent))
			fprintf(w->out, "%*s", (int)w->numbers, "");
		else
			fputs(text, w->out);
	}
	free(text);
	free(parent);
	return err;
}

static int line(struct walk *w, struct step s)
{
	const struct call_node *n = &w->rep->tree.nodes[s.node];
	char *after = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&after, &len);

	if (!f)
		return -ENOMEM;
	remarks(w, s.node, f);
	if (text_stream_close(f, &after))
		return -ENOMEM;
	int err = print_numbers(w, s);

	if (!err) {
		size_t used = w->numbers +
			      (size_t)text_indent(w->out, s.level,
						  text_indent_room(w->rep, w->numbers));

		used += (size_t)fprintf(w->out, "%s",
					!n->go                   ? ""
					: w->rep->opt->n_callers ? "by go in "
								 : "go ");
		text_named(w->rep, w->out, report_name(w->rep, n->func), used, after);
	}
	free(after);
	return err;
}

/* ---- chains */

#define OWN_PCT 1.0 /* of the time: less is nothing of its own */

/* The one child that is shown; 0: none, or several. */
static uint32_t only_child(const struct walk *w, uint32_t node)
{
	const struct call_node *nodes = w->rep->tree.nodes;
	uint32_t only = 0;

	for (uint32_t c = node + 1; c < nodes[node].end; c = nodes[c].end) {
		if (w->shown[c] && only)
			return 0;
		only = w->shown[c] ? c : only;
	}
	return only;
}

/* Does it only lead to its child? */
static bool leads_on(const struct walk *w, uint32_t node)
{
	const struct call_node *n = &w->rep->tree.nodes[node];

	return !n->go && only_child(w, node) &&
	       share_pct(n->stats->self_ns, w->rep->tree.nodes[0].subtree_ns) < OWN_PCT;
}

/* On a terminal, functions that only lead from a node on are one line. The node below which the
 * tree goes on, *level below it. */
static uint32_t fold_chain(struct walk *w, uint32_t node, uint32_t *level)
{
	uint32_t last = node, n = 0;

	if (!text_limit(w->rep) || w->rep->opt->n_callers)
		return node;
	for (uint32_t c = only_child(w, node); c && leads_on(w, c); c = only_child(w, c)) {
		last = c;
		n++;
	}
	if (n < 2)
		return node;
	fprintf(w->out, "%*s", (int)w->numbers, "");
	text_indent(w->out, *level, text_indent_room(w->rep, w->numbers));
	fprintf(w->out, "... %u functions\n", n);
	(*level)++;
	return last;
}

/* What was cut: of callers no share, as each has that of those who call it. */
static void said_of(const struct walk *w, const struct cut *c, const char *more, const char *which,
		    const char *why)
{
	if (!c->n)
		return;
	fprintf(w->out, "%zu%s %s%s%s", c->n, more, w->rep->opt->n_callers ? "caller" : "path",
		plural(c->n), which);
	if (!w->rep->opt->n_callers)
		fprintf(w->out, ", %.1f%% of the %s",
			share_pct(c->ns, w->rep->tree.nodes[0].subtree_ns),
			w->rep->trace.samples && sample_counted(w->rep->trace.info) ? "events"
										    : "time");
	fprintf(w->out, " (%s)\n", why);
}

static void said(const struct walk *w)
{
	const struct report_options *o = w->rep->opt;
	char which[64];

	snprintf(which, sizeof(which), " with more than %u function%s", o->depth, plural(o->depth));
	said_of(w, &w->deep, "", which, "--depth");
	snprintf(which, sizeof(which), " with less than %g%% each", o->min_share_pct);
	said_of(w, &w->light, "", which, "--min-share");
	said_of(w, &w->rest, " more", "", "-n 0 shows all");
}

static void begin(struct walk *w)
{
	const struct table_options opt = { .width = text_limit(w->rep),
					   .states = w->rep->trace.totals->states,
					   .colour = w->rep->opt->colour };

	table_begin(&w->table, &opt, columns, w->rep, w->rows, w->n_rows);
	table_heading(&w->table, w->out, w->rep->opt->n_callers ? "FUNCTION, CALLED BY" : "PATH");
}

int text_paths(const struct report *rep, FILE *out)
{
	struct walk w = { .rep = rep, .out = out };
	int err = choose(&w);

	if (!err) {
		begin(&w);
		err = push_children(&w, 0, 0);
	}
	while (!err && w.n_stack) {
		struct step s = w.stack[--w.n_stack];

		uint32_t level = s.level + 1;

		err = line(&w, s);
		if (!err)
			err = push_children(&w, fold_chain(&w, s.node, &level), level);
	}
	if (err)
		log_no_memory("no memory to print %zu paths", rep->tree.n - 1);
	else
		said(&w);
	free(w.shown);
	free(w.rows);
	free(w.stack);
	free(w.children);
	return err;
}
