// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/death_notes.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_names.h"

/* Frames of a stack in a sentence: so many of the innermost, and the outermost. */
#define CAUSE_BYTES  96
#define FRAMES_SHOWN 24
/* Other threads of a process, by place. */
#define PLACES_SHOWN 10
/* Of a stack, inlined functions counted. */
#define FRAMES_MAX (2 * STACK_MAX_FRAMES)

static const char *const kinds[] = { "thread", "signal", "panic", "goroutine" };

static void signal_name(unsigned signo, char name[24])
{
	const char *abbrev = signo ? sigabbrev_np((int)signo) : NULL;

	if (abbrev)
		snprintf(name, 24, "SIG%s", abbrev);
	else
		snprintf(name, 24, "signal %u", signo);
}

/* ---- the functions of a stack, the innermost first */

struct frames {
	char **names; /* owned */
	size_t n, cap;
	bool failed; /* no memory */
};

static void add_frame(struct frames *f, char *name)
{
	char **names = f->n == f->cap ? realloc(f->names, (f->cap + 32) * sizeof(*names))
				      : f->names;

	if (!name || !names) {
		free(name);
		f->failed = true;
		return;
	}
	if (f->n == f->cap)
		f->cap += 32;
	f->names = names;
	f->names[f->n++] = name;
}

static void free_frames(struct frames *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->names[i]);
	free(f->names);
}

static char *nameless(const struct sample_tables *t, uint32_t process, uint64_t pc)
{
	char name[STRANGER_NAME_BYTES];

	sample_stranger_name(t, process, pc, name);
	return strdup(name);
}

static struct frames frames_of(const struct sample_tables *t, const struct sample_death *d)
{
	const struct sample_stack *s = &t->stacks[d->stack];
	struct frames f = { 0 };

	for (uint32_t i = 0; i < s->n && f.n < FRAMES_MAX; i++) {
		const struct sample_location *l = sample_tables_find(t, s->process, s->pcs[i]);

		if (!l)
			add_frame(&f, nameless(t, s->process, s->pcs[i]));
		for (uint32_t k = 0; l && k < l->n; k++) {
			const struct sample_symbol *x = &t->symbols[l->frames[k].symbol];

			if (x->kind != SYMBOL_GO_WRAPPER || (!i && !k))
				add_frame(&f, strdup(x->name));
		}
	}
	if (s->flags & STACK_CUT)
		add_frame(&f, strdup("[cut off]"));
	if (s->flags & STACK_UNREADABLE)
		add_frame(&f, strdup("[unreadable]"));
	return f;
}

static bool is_runtime(const char *name)
{
	return !strncmp(name, "runtime.", 8) || !strncmp(name, "internal/runtime/", 17);
}

/* Frames of the runtime that handle what has happened are left out, unless all are. */
static size_t first_shown(const struct frames *f)
{
	size_t i = 0;

	while (i < f->n && is_runtime(f->names[i]))
		i++;
	return i == f->n || !strcmp(f->names[i], "[unreadable]") ? 0 : i;
}

/* "main.f < main.main < runtime.main", to be freed; NULL: no memory. */
static char *sentence(const struct frames *f, size_t from)
{
	char *text = NULL;
	size_t size;
	FILE *to = f->failed ? NULL : open_memstream(&text, &size);

	if (!to)
		return NULL;
	if (from == f->n)
		fputs("[no stack]", to);
	for (size_t i = from; i < f->n; i++) {
		if (i == from + FRAMES_SHOWN && f->n - i > 1) {
			fprintf(to, " < (%zu more)", f->n - 1 - i);
			i = f->n - 1;
		}
		fprintf(to, "%s%s", i > from ? " < " : "", f->names[i]);
	}
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

static char *where(const struct sample_tables *t, const struct sample_death *d, bool in_runtime)
{
	struct frames f = frames_of(t, d);
	char *text = sentence(&f, in_runtime ? 0 : first_shown(&f));

	free_frames(&f);
	return text;
}

/* ---- sentences */

/* Why a process died: a Go panic before its end by a signal; the thread that took the signal; or
 * was raising it. NULL: all threads were told to end. */
static const struct sample_death *culprit(const struct sample_tables *t, uint32_t process)
{
	const struct sample_death *best = NULL;
	size_t n = 0;
	int rank = -1;

	for (size_t i = 0; i < t->n_deaths; i++) {
		const struct sample_death *d = &t->deaths[i];
		int r = d->kind == DEATH_PANIC                     ? 3
			: d->kind == DEATH_SIGNAL                  ? 2
			: t->stacks[d->stack].flags & STACK_SIGNAL ? 1
								   : 0;

		if (d->process != process || d->kind == DEATH_PARKED)
			continue;
		n++;
		if (r > rank) {
			rank = r;
			best = d;
		}
	}
	return rank > 0 || n == 1 ? best : NULL;
}

/* The signal that ended it; 0: none. */
static unsigned last_signal(const struct sample_tables *t, uint32_t process)
{
	for (size_t i = t->n_deaths; i-- > 0;)
		if (t->deaths[i].process == process && t->deaths[i].kind != DEATH_PANIC &&
		    t->deaths[i].kind != DEATH_PARKED)
			return t->deaths[i].signal;
	return 0;
}

static bool has_frame(const struct sample_tables *t, const struct sample_death *d, const char *name)
{
	struct frames f = frames_of(t, d);
	bool has = false;

	for (size_t i = 0; i < f.n && !has; i++)
		has = !strcmp(f.names[i], name);
	free_frames(&f);
	return has;
}

/* "died of SIGSEGV (a Go panic)". Go's runtime ends a process with status 2: for a panic, for a
 * signal that came from outside of Go's code or that it does not survive, for what it calls a fatal
 * error.
 */
static void runtime_cause(const struct sample_tables *t, const struct sample_death *d,
			  char text[CAUSE_BYTES])
{
	const bool panics = has_frame(t, d, "runtime.gopanic");
	const bool handles = t->stacks[d->stack].flags & STACK_SIGNAL;
	char name[24];

	signal_name(d->signal, name);
	if (handles && d->signal)
		snprintf(text, CAUSE_BYTES, "died of %s (ended by Go's runtime)", name);
	/* Else it is the thread's last fault, which may have been recovered from long ago. */
	else if (panics && d->signal && has_frame(t, d, "runtime.sigpanic"))
		snprintf(text, CAUSE_BYTES, "died of %s (a Go panic)", name);
	else
		snprintf(text, CAUSE_BYTES, "died of a Go %s", panics ? "panic" : "fatal error");
}

static void cause(const struct sample_tables *t, const struct sample_death *d, uint32_t process,
		  char text[CAUSE_BYTES])
{
	char name[24];

	if (d && d->kind == DEATH_PANIC) {
		runtime_cause(t, d, text);
		return;
	}
	signal_name(d && d->signal ? d->signal : last_signal(t, process), name);
	snprintf(text, CAUSE_BYTES, "died of %s", name);
}

static void of_thread(const struct sample_death *d, char text[64])
{
	if (d->kind == DEATH_PARKED)
		snprintf(text, 64, "goroutine %" PRIu64, d->goid);
	else if (d->goid)
		snprintf(text, 64, "thread %u, goroutine %" PRIu64, d->tid, d->goid);
	else
		snprintf(text, 64, "thread %u", d->tid);
}

static void tell_cause(const struct sample_tables *t, uint32_t process,
		       const struct sample_death *d, struct notes *to)
{
	const struct sample_process *p = &t->processes[process];
	char text[CAUSE_BYTES], thread[64];

	cause(t, d, process, text);
	if (!d) {
		notes_add(to, "%s %u %s", p->comm, p->pid, text);
		return;
	}
	char *in = where(t, d, false);

	of_thread(d, thread);
	notes_add(to, "%s %u %s in %s (%s)", p->comm, p->pid, text, in ? in : "?", thread);
	if (!in)
		to->err = -ENOMEM;
	free(in);
}

static bool is_other(const struct sample_tables *t, size_t i, uint32_t process,
		     const struct sample_death *culprit_of)
{
	const struct sample_death *d = &t->deaths[i];

	/* Who panicked is told of again when the process ends. */
	return d->process == process && d != culprit_of &&
	       (!culprit_of || d->tid != culprit_of->tid);
}

/* Nothing but Go's runtime: what it does for itself, threads that have nothing to do. */
static bool in_runtime_alone(const struct sample_tables *t, const struct sample_death *d)
{
	const struct sample_stack *s = &t->stacks[d->stack];

	if (s->flags & (STACK_CUT | STACK_UNREADABLE))
		return false;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct sample_location *l = sample_tables_find(t, s->process, s->pcs[i]);

		if (!l)
			return false;
		for (uint32_t k = 0; k < l->n; k++) {
			const struct sample_symbol *x = &t->symbols[l->frames[k].symbol];

			if (!is_runtime(x->name) && (x->kind != SYMBOL_GO_WRAPPER || (!i && !k)))
				return false;
		}
	}
	return s->n > 0;
}

/* Those that share a stack are one line, at the first of them. */
static void tell_others(const struct sample_tables *t, uint32_t process,
			const struct sample_death *culprit_of, struct notes *to)
{
	size_t places = 0, left_out = 0, in_runtime = 0;

	for (size_t i = 0; i < t->n_deaths; i++) {
		size_t n = 0, before = 0;
		char thread[64];

		if (!is_other(t, i, process, culprit_of))
			continue;
		for (size_t k = 0; k < t->n_deaths; k++)
			if (t->deaths[k].stack == t->deaths[i].stack &&
			    is_other(t, k, process, culprit_of)) {
				n++;
				before += k < i;
			}
		if (before)
			continue;
		if (in_runtime_alone(t, &t->deaths[i])) {
			in_runtime += n;
			continue;
		}
		if (++places > PLACES_SHOWN) {
			left_out += n;
			continue;
		}
		char *in = where(t, &t->deaths[i], true);

		of_thread(&t->deaths[i], thread);
		if (n > 1)
			snprintf(thread, sizeof(thread), "%zu %s", n,
				 t->deaths[i].kind == DEATH_PARKED ? "goroutines" : "threads");
		notes_add(to, "%s %s then in %s", thread, n > 1 ? "were" : "was", in ? in : "?");
		free(in);
	}
	if (left_out)
		notes_add(to, "%zu more were then elsewhere", left_out);
	if (in_runtime)
		notes_add(
			to,
			"in Go's runtime alone: %zu threads and goroutines; gotrace info -F json has all",
			in_runtime);
}

/* Is it the first death of its process? */
static bool is_first(const struct sample_tables *t, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (t->deaths[k].process == t->deaths[i].process)
			return false;
	return true;
}

void deaths_notes(const struct sample_tables *t, struct notes *to)
{
	for (size_t i = 0; t && i < t->n_deaths; i++) {
		if (!is_first(t, i))
			continue;
		const uint32_t process = t->deaths[i].process;
		const struct sample_death *d = culprit(t, process);

		tell_cause(t, process, d, to);
		tell_others(t, process, d, to);
	}
}

/* ---- JSON */

/* Bytes of stacks that all deaths of a trace may take: so many, and so many for each byte of its
 * file. */
#define FREE_BYTES     (128ull << 20)
#define BYTES_PER_BYTE 500
#define FRAME_BYTES    16 /* what stands around a name, with its indent */

/* Bytes that a name takes, escaped. */
static uint64_t written_bytes(const char *name)
{
	uint64_t n = FRAME_BYTES;

	for (; *name; name++)
		n += *name >= ' ' && *name <= '~' ? 1 : 6;
	return n;
}

/* From the first one on that would take more than is left, one line is in the place of each. */
static void stack_json(const struct sample_tables *t, const struct sample_death *d, uint64_t *left,
		       size_t *left_out, struct json *j)
{
	struct frames f = { 0 };
	uint64_t bytes = 0;

	if (!*left_out)
		f = frames_of(t, d);
	for (size_t i = 0; i < f.n; i++)
		bytes += written_bytes(f.names[i]);
	const bool fits = !*left_out && bytes <= *left;

	*left -= fits ? bytes : 0;
	*left_out += !fits;
	json_key(j, "stack");
	json_open(j, '[');
	for (size_t i = 0; fits && i < f.n; i++)
		json_str(j, f.names[i]);
	if (!fits)
		json_str(j, "[left out]");
	json_close(j, ']');
	free_frames(&f);
}

static void death_json(const struct sample_tables *t, const struct sample_death *d, uint64_t *left,
		       size_t *left_out, struct json *j)
{
	char name[24];

	json_open(j, '{');
	json_kv_str(j, "process", t->processes[d->process].comm);
	json_kv_u64(j, "pid", t->processes[d->process].pid);
	if (d->kind != DEATH_PARKED)
		json_kv_u64(j, "thread", d->tid);
	if (d->goid)
		json_kv_u64(j, "goroutine", d->goid);
	json_kv_u64(j, "time_ns", d->ts_ns);
	json_kv_str(j, "kind", kinds[d->kind]);
	if (d->signal) {
		signal_name(d->signal, name);
		json_kv_str(j, "signal", name);
	}
	stack_json(t, d, left, left_out, j);
	json_close(j, '}');
}

void deaths_json(const struct sample_tables *t, uint64_t file_bytes, struct json *j)
{
	uint64_t left = FREE_BYTES + BYTES_PER_BYTE * file_bytes;
	size_t left_out = 0;

	if (!t || !t->n_deaths)
		return;
	json_key(j, "deaths");
	json_open(j, '[');
	for (size_t i = 0; i < t->n_deaths; i++)
		death_json(t, &t->deaths[i], &left, &left_out, j);
	json_close(j, ']');
	if (left_out)
		json_kv_u64(j, "death_stacks_left_out", left_out);
}
