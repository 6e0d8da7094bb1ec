// SPDX-License-Identifier: BSD-2-Clause
#include "model/exec_check_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "model/audit_fixture.h"
#include "trace/evlist.h"

#ifdef __SANITIZE_ADDRESS__
#define DEFAULT_RUNS 10000
#else
#define DEFAULT_RUNS 100000
#endif
#define MAX_STEPS 160

static void on_call(void *ctx, const struct call *c)
{
	struct seen *s = ctx;

	assert_int_equal(vec_reserve(&s->calls, &s->cap, s->n + 1), 0);
	assert_int_equal(vec_reserve(&s->suspect, &s->cap_suspect, s->n + 1), 0);
	s->suspect[s->n] = c->suspect;
	s->calls[s->n++] = (struct tuple){ c->start_ns, c->end_ns, c->self_ns, c->goid,
					   c->func,     c->level,  c->end,     c->system };
}

static void on_prologue_stop(void *ctx, const struct prologue_stop_time *t)
{
	struct seen *s = ctx;

	s->stops_by_path += audit_weigh(t->path, t->morestack_ns, t->preempt_ns);
	s->stops_by_stack += audit_weigh(t->goid << 1 | t->system, t->morestack_ns, t->preempt_ns);
}

static void on_goroutine(void *ctx, const struct goroutine_info *g)
{
	struct seen *s = ctx;

	s->root_ns += g->total_ns;
	s->calls_sum += g->calls;
	s->stack_stops += audit_weigh(g->goid << 1 | g->system, g->morestack_ns, g->preempt_ns);
	if (g->total_ns != g->self_ns + g->morestack_ns + g->preempt_ns)
		s->unbalanced = true;
}

int tuple_order(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct tuple));
}

struct tuple tuple_of(const struct exec_call *c)
{
	return (struct tuple){ c->start_ns, c->end_ns, c->end_ns - c->start_ns - c->child_ns,
			       c->goid,     c->func,   c->level,
			       c->end,      c->system };
}

struct tuple *tuples_sorted(const struct exec *x, int (*order)(const void *, const void *))
{
	struct tuple *t = calloc(x->n_calls + 1, sizeof(*t));

	assert_non_null(t);
	for (size_t i = 0; i < x->n_calls; i++)
		t[i] = tuple_of(&x->calls[i]);
	qsort(t, x->n_calls, sizeof(*t), order);
	return t;
}

void trial_note(struct trial *t, bool holds, const char *what)
{
	if (!holds && !t->fault[0])
		snprintf(t->fault, sizeof(t->fault), "does not hold: %s", what);
}

void trial_note_call(struct trial *t, const char *what, const struct tuple *a)
{
	if (!t->fault[0])
		snprintf(t->fault, sizeof(t->fault),
			 "%s: goid %" PRIu64 "%s main.%c level %u: %" PRIu64 "-%" PRIu64
			 " self %" PRIu64 " end %u",
			 what, a->goid, a->system ? " system" : "", 'a' + (int)a->func, a->level,
			 a->start_ns, a->end_ns, a->self_ns, a->end);
}

void trial_add(struct trial *t, const struct event_ext *ev)
{
	assert_int_equal(vec_reserve(&t->fed, &t->cap_fed, t->n_fed + 1), 0);
	t->fed[t->n_fed++] = *ev;
}

struct model *trial_run(struct trial *t, struct seen *seen)
{
	*seen = (struct seen){ 0 };
	const struct model_options opt = { .on_call = on_call,
					   .on_prologue_stop = on_prologue_stop,
					   .on_goroutine = on_goroutine,
					   .ctx = seen };
	struct model *m = model_new(&t->x->info, &opt);
	uint64_t path_stops = 0;
	size_t n;

	assert_non_null(m);
	for (size_t i = 0; i < t->n_fed; i++)
		assert_int_equal(model_feed(m, &t->fed[i]), 0);
	assert_int_equal(model_finish(m), 0);
	const struct path_node *nodes = model_paths(m, &n);
	for (size_t i = 0; i < n; i++)
		path_stops += audit_weigh(i, nodes[i].stats.morestack_ns,
					  nodes[i].stats.preempt_ns);
	HOLDS(t, seen->stops_by_path == path_stops);
	HOLDS(t, seen->stops_by_stack == seen->stack_stops);
	HOLDS(t, !seen->unbalanced);
	HOLDS(t, seen->root_ns == model_totals(m)->root_ns);
	HOLDS(t, seen->calls_sum == model_totals(m)->calls);
	return m;
}

void trial_same_calls(struct trial *t, struct tuple *want, size_t n, struct seen *seen)
{
	HOLDS(t, seen->n == n);
	if (n)
		qsort(want, n, sizeof(*want), tuple_order);
	if (seen->n)
		qsort(seen->calls, seen->n, sizeof(*want), tuple_order);
	for (size_t i = 0, k = 0; i < n || k < seen->n; i++, k++) {
		int order = i >= n ? 1 : k >= seen->n ? -1 : tuple_order(&want[i], &seen->calls[k]);

		if (order < 0)
			trial_note_call(t, "a call is missing", &want[i]);
		else if (order)
			trial_note_call(t, "a call too many", &seen->calls[k]);
	}
}

void trial_forget(struct model *m, struct seen *seen)
{
	model_free(m);
	free(seen->calls);
	free(seen->suspect);
}

/* ---- many executions, and making one small ---- */

struct search {
	exec_check *check;
	uint64_t seed;
	struct exec_options opt;
	bool skip[MAX_STEPS];
	struct trial t; /* of the last execution that was tried */
	struct exec x;
};

static void try_once(struct search *s, uint64_t rng)
{
	exec_free(&s->x);
	assert_int_equal(exec_make(&s->x, s->seed, &s->opt), 0);
	s->t = (struct trial){
		.x = &s->x, .opt = &s->opt, .rng = rng, .fed = s->t.fed, .cap_fed = s->t.cap_fed
	};
	if (s->x.n)
		s->check(&s->t);
}

/* Does the check fail still? What it chooses (an event to be lost, say) is another one in a smaller
 * execution: a few choices are tried. */
static bool fails(struct search *s, uint64_t rng)
{
	for (unsigned i = 0; i < 12; i++) {
		try_once(s, rng + i);
		if (s->t.fault[0])
			return true;
	}
	return false;
}

/* Leaves out runs of steps, half of them, then ever fewer, for as long as the check fails. */
static void shrink(struct search *s, uint64_t rng)
{
	s->opt.skip = s->skip;
	for (unsigned len = s->opt.steps; len; len = len > 1 && len < 4 ? 1 : len / 2)
		for (bool again = true; again;) {
			again = false;
			for (unsigned at = 0; at < s->opt.steps; at += len) {
				bool before[MAX_STEPS], more = false;

				memcpy(before, s->skip, sizeof(before));
				for (unsigned i = at; i < at + len && i < s->opt.steps; i++) {
					more |= !s->skip[i];
					s->skip[i] = true;
				}
				if (more && fails(s, rng))
					again = len == 1;
				else
					memcpy(s->skip, before, sizeof(before));
			}
		}
	fails(s, rng);
}

static void report(const char *name, struct search *s)
{
	fprintf(stderr, "# %s, %s%s: %s\n", name, s->opt.thesis ? "thesis" : "emulated",
		s->opt.global ? "" : " without global probes", s->t.fault);
	evlist_write_info(stderr, &s->x.info);
	for (size_t i = 0; i < s->t.n_fed; i++)
		evlist_write_event(stderr, &s->x.info, NULL, &s->t.fed[i], NULL);
	fail_msg("%s: GOTRACE_RANDOM_SEED=%" PRIu64
		 " GOTRACE_RANDOM_RUNS=1; made smaller: %zu events above",
		 name, s->seed, s->t.n_fed);
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *v = getenv(name);

	return v && *v ? strtoull(v, NULL, 0) : otherwise;
}

void exec_check_each(const char *name, exec_check *check)
{
	uint64_t runs = number("GOTRACE_RANDOM_RUNS", DEFAULT_RUNS),
		 first = number("GOTRACE_RANDOM_SEED", 1);
	struct search s = { .check = check };
	uint64_t events = 0;

	for (s.seed = first; s.seed < first + runs; s.seed++) {
		uint64_t rng = s.seed * 77, kind = exec_random(&rng);

		s.opt = (struct exec_options){ .thesis = kind & 1,
					       .global = kind & 6,
					       .steps = 10 + kind / 8 % (MAX_STEPS - 10) };
		try_once(&s, rng);
		events += s.x.n;
		if (s.t.fault[0]) {
			shrink(&s, rng);
			report(name, &s);
		}
	}
	print_message("%s: %" PRIu64 " executions, seeds %" PRIu64 "-%" PRIu64 ", %" PRIu64
		      " events\n",
		      name, runs, first, first + runs - 1, events);
	exec_free(&s.x);
	free(s.t.fed);
}
