// SPDX-License-Identifier: BSD-2-Clause
/*
 * The engine against random executions whose calls are known: exact without
 * losses; with them, exact wherever no call was open across the gap.
 *
 *   GOTRACE_RANDOM_RUNS=N    executions (20,000)
 *   GOTRACE_RANDOM_SEED=N    the first one's seed; a failure prints the one to give
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "model/model.h"
#include "model/random_exec.h"

/* What one call must be, comparable byte by byte. */
struct tuple {
	uint64_t start_ns, end_ns, self_ns, goid;
	uint32_t func, level, end, system;
};

struct seen {
	struct tuple *calls; size_t n, cap;
	bool *suspect;       size_t cap_suspect;
	uint64_t root_ns, calls_sum;
	uint64_t seed;
	bool unbalanced;     /* a goroutine's total was not its parts' sum */
};

static void on_call(void *ctx, const struct call *c)
{
	struct seen *s = ctx;

	assert_int_equal(vec_reserve(&s->calls, &s->cap, s->n + 1), 0);
	assert_int_equal(vec_reserve(&s->suspect, &s->cap_suspect, s->n + 1), 0);
	s->suspect[s->n] = c->suspect;
	s->calls[s->n++] = (struct tuple){ c->start_ns, c->end_ns, c->self_ns, c->goid, c->func, c->level,
					   c->end, c->system };
}

static void on_goroutine(void *ctx, const struct goroutine_info *g)
{
	struct seen *s = ctx;

	s->root_ns += g->total_ns;
	s->calls_sum += g->calls;
	if (g->total_ns != g->self_ns + g->morestack_ns + g->preempt_ns)
		s->unbalanced = true;
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct tuple));
}

static struct tuple truth_of(const struct exec_call *c)
{
	return (struct tuple){ c->start_ns, c->end_ns, c->end_ns - c->start_ns - c->child_ns, c->goid, c->func,
			       c->level, c->end, c->system };
}

#define CHECK(seed, cond) \
	do { \
		if (!(cond)) \
			fail_msg("GOTRACE_RANDOM_SEED=%" PRIu64 ": %s", (uint64_t)(seed), #cond); \
	} while (0)

static struct model *run(const struct exec *x, const struct event_ext *events, size_t n, struct seen *seen)
{
	struct model_options opt = { .on_call = on_call, .on_goroutine = on_goroutine, .ctx = seen };
	struct model *m = model_new(&x->info, &opt);

	assert_non_null(m);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(model_feed(m, &events[i]), 0);
	assert_int_equal(model_finish(m), 0);
	return m;
}

static void print_tuple(const char *what, const struct tuple *t)
{
	print_message("%s: goid %" PRIu64 " main.%c level %u: %" PRIu64 "-%" PRIu64 " self %" PRIu64 " end %u%s\n", what,
		      t->goid, 'a' + (int)t->func, t->level, t->start_ns, t->end_ns, t->self_ns, t->end,
		      t->system ? " system" : "");
}

static void forget(struct seen *seen)
{
	free(seen->calls);
	free(seen->suspect);
	*seen = (struct seen){ 0 };
}

/* ---- without losses ---- */

static void check_calls(const struct exec *x, struct seen *seen)
{
	struct tuple *want = calloc(x->n_calls + 1, sizeof(*want));

	assert_non_null(want);
	for (size_t i = 0; i < x->n_calls; i++)
		want[i] = truth_of(&x->calls[i]);
	CHECK(seen->seed, seen->n == x->n_calls);
	if (seen->n) {
		qsort(want, x->n_calls, sizeof(*want), by_bytes);
		qsort(seen->calls, seen->n, sizeof(*want), by_bytes);
	}
	for (size_t i = 0; i < seen->n; i++) {
		if (!memcmp(&want[i], &seen->calls[i], sizeof(*want)))
			continue;
		print_tuple("truth", &want[i]);
		print_tuple("said", &seen->calls[i]);
		CHECK(seen->seed, !"calls as they were");
	}
	free(want);
}

static void count(struct call_stats *st, const struct exec_call *c, bool whole)
{
	uint64_t dur = c->end_ns - c->start_ns;
	bool finished = c->end == CALL_FINISHED || c->end == CALL_TAIL;

	st->calls++;
	st->unwound += c->end == CALL_UNWOUND;
	st->unfinished += c->end == CALL_UNFINISHED;
	st->self_ns += dur - c->child_ns;
	st->total_ns += whole ? dur : 0;
	if (!finished)
		return;
	st->min_ns = !st->finished || dur < st->min_ns ? dur : st->min_ns;
	st->max_ns = dur > st->max_ns ? dur : st->max_ns;
	st->sum_ns += dur;
	st->finished++;
}

static void count_stops(struct call_stats *st, const struct exec_node *n)
{
	st->morestack_ns += n->growth_ns;
	st->morestack_count += n->growths;
	st->preempt_ns += n->preempt_ns;
	st->preempt_count += n->preempts;
	st->declined_count += n->declined;
}

static void same_stats(uint64_t seed, const struct call_stats *want, const struct call_stats *got)
{
	struct call_stats a = *want, b = *got;

	memset(&a.hist, 0, sizeof(a.hist));
	memset(&b.hist, 0, sizeof(b.hist));
	CHECK(seed, a.calls == b.calls);
	CHECK(seed, a.total_ns == b.total_ns);
	CHECK(seed, a.self_ns == b.self_ns);
	CHECK(seed, a.morestack_ns == b.morestack_ns && a.morestack_count == b.morestack_count);
	CHECK(seed, a.preempt_ns == b.preempt_ns && a.preempt_count == b.preempt_count);
	CHECK(seed, !memcmp(&a, &b, sizeof(a)));
}

/* Is the call's function (by node: its node) open below it? */
static bool open_below(const struct exec *x, const struct exec_call *c, bool by_node)
{
	for (int64_t p = c->parent; p >= 0; p = x->calls[p].parent)
		if (by_node ? x->calls[p].node == c->node : x->calls[p].func == c->func)
			return true;
	return false;
}

static void check_funcs(const struct exec *x, const struct model *m, const struct seen *seen)
{
	struct call_stats want[EXEC_FUNCS] = { 0 };
	size_t n;
	const struct call_stats *got = model_funcs(m, &n);

	for (size_t i = 0; i < x->n_calls; i++)
		count(&want[x->calls[i].func], &x->calls[i], !open_below(x, &x->calls[i], false));
	for (size_t i = 1; i < x->n_nodes; i++)
		if (x->nodes[i].func < EXEC_FUNCS)
			count_stops(&want[x->nodes[i].func], &x->nodes[i]);
	CHECK(seen->seed, n == EXEC_FUNCS);
	for (size_t i = 0; i < n; i++) {
		same_stats(seen->seed, &want[i], &got[i]);
		CHECK(seen->seed, got[i].hist.count == got[i].finished);
	}
}

static void check_paths(const struct exec *x, const struct model *m, const struct seen *seen)
{
	struct call_stats *want = calloc(x->n_nodes, sizeof(*want));
	size_t n, matched = 0;
	const struct path_node *got = model_paths(m, &n);
	uint32_t *twin = calloc(n, sizeof(*twin)); /* node of the truth */

	assert_true(want && twin);
	for (size_t i = 0; i < x->n_calls; i++)
		count(&want[x->calls[i].node], &x->calls[i], !open_below(x, &x->calls[i], true));
	for (size_t i = 1; i < x->n_nodes; i++)
		count_stops(&want[i], &x->nodes[i]);
	for (size_t i = 1; i < n; i++) {
		for (uint32_t k = 1; k < x->n_nodes && !twin[i]; k++)
			if (x->nodes[k].parent == twin[got[i].parent] && x->nodes[k].func == got[i].func &&
			    x->nodes[k].go_edge == got[i].go_edge && x->nodes[k].go_pc == got[i].go_pc)
				twin[i] = k;
		CHECK(seen->seed, twin[i]);
		same_stats(seen->seed, &want[twin[i]], &got[i].stats);
		matched++;
	}
	/* The truth's timer node is there before any call below it. */
	for (size_t k = 1; k < x->n_nodes; k++)
		matched -= x->nodes[k].func < EXEC_FUNCS || want[k].calls;
	CHECK(seen->seed, matched <= 1);
	free(want);
	free(twin);
}

static void check_exact(const struct exec *x, uint64_t seed)
{
	struct seen seen = { .seed = seed };
	struct model *m = run(x, x->events, x->n, &seen);
	const struct model_totals *t = model_totals(m);

	CHECK(seed, t->orphan_exits == 0 && t->bad_events == 0 && t->suspect_calls == 0);
	CHECK(seed, t->events == x->n && t->calls == x->n_calls && seen.calls_sum == x->n_calls);
	check_calls(x, &seen);
	check_funcs(x, m, &seen);
	check_paths(x, m, &seen);
	CHECK(seed, t->root_ns == x->root_ns && seen.root_ns == x->root_ns && !seen.unbalanced);
	model_free(m);
	forget(&seen);
}

/* ---- with losses ---- */

struct gap {
	uint64_t from_ns, to_ns;
	uint64_t stack;      /* whose calls it touches, when not all */
	bool system, all, told;
};

static int by_moment(const void *a, const void *b) /* level left out: it may differ below a lost frame */
{
	struct tuple x = *(const struct tuple *)a, y = *(const struct tuple *)b;

	x.level = y.level = 0;
	return memcmp(&x, &y, sizeof(x));
}

static bool touched(const struct exec_call *c, const struct gap *g)
{
	bool concerned = g->all || (c->system == g->system && c->stack == g->stack);

	/* An unfinished call was still open after the event it is taken to end at. */
	return concerned && c->start_ns <= g->to_ns && (c->end_ns >= g->from_ns || c->end == CALL_UNFINISHED);
}

static void check_outside(const struct exec *x, struct seen *seen, const struct gap *gap)
{
	struct tuple *want = calloc(x->n_calls + 1, sizeof(*want));

	assert_non_null(want);
	for (size_t i = 0; i < x->n_calls; i++)
		want[i] = truth_of(&x->calls[i]);
	if (x->n_calls)
		qsort(want, x->n_calls, sizeof(*want), by_moment);
	for (size_t i = 0; gap->told && i < seen->n; i++) {
		bool true_call = x->n_calls && bsearch(&seen->calls[i], want, x->n_calls, sizeof(*want), by_moment);

		if (true_call || seen->suspect[i])
			continue;
		print_tuple("said", &seen->calls[i]);
		CHECK(seen->seed, !"a wrong call is marked suspect");
	}
	if (seen->n)
		qsort(seen->calls, seen->n, sizeof(*want), by_moment);
	for (size_t i = 0; i < x->n_calls; i++) {
		struct tuple t = truth_of(&x->calls[i]);

		if (touched(&x->calls[i], gap) ||
		    (seen->n && bsearch(&t, seen->calls, seen->n, sizeof(t), by_moment)))
			continue;
		print_message("gap %" PRIu64 "-%" PRIu64 "\n", gap->from_ns, gap->to_ns);
		print_tuple("truth", &t);
		CHECK(seen->seed, !"a call clear of the gap is as it was");
	}
	free(want);
}

/* Calls of functions that no lost event names are all there. */
static void check_counts(const struct exec *x, const struct model *m, uint64_t seed, const bool *concerned)
{
	uint64_t calls[EXEC_FUNCS] = { 0 };
	size_t n;
	const struct call_stats *got = model_funcs(m, &n);

	for (size_t i = 0; i < x->n_calls; i++)
		calls[x->calls[i].func]++;
	for (size_t i = 0; i < n; i++) {
		uint64_t low = calls[i] - (concerned[i] && calls[i]), high = calls[i] + concerned[i];

		CHECK(seed, got[i].calls >= low && got[i].calls <= high);
	}
}

static bool names_function(unsigned kind)
{
	return kind <= EV_ENTRY_TAIL || kind == EV_MORESTACK;
}

/* Any one event is missing; whether anybody says so, and how exactly, varies. */
static void check_one_lost(const struct exec *x, uint64_t seed, uint64_t *rng)
{
	size_t at = exec_random(rng) % x->n;
	struct event_ext *events = calloc(x->n, sizeof(*events)), *e = &events[at];
	bool concerned[EXEC_FUNCS] = { false };
	struct gap gap = { x->events[at].h.ts_ns, x->events[at].h.ts_ns, x->events[at].h.goid, false, false, false };
	unsigned how = exec_random(rng) % 3;

	assert_non_null(events);
	memcpy(events, x->events, x->n * sizeof(*events));
	if (e->h.flags & EVF_SYSTEM) {
		gap.system = true;
		gap.stack = e->h.tid;
	}
	gap.all = e->h.kind == EV_IMAGE; /* whose goroutines it ended, none can say */
	gap.told = how > 0;
	/* Unfinished calls are taken to end at the last event: it must be known of. */
	if (!gap.told && (at + 1 == x->n || x->events[at + 1].h.kind == EV_IMAGE)) {
		free(events);
		return;
	}
	if (names_function(e->h.kind))
		concerned[x->info.sites[e->h.site].func] = true;
	struct event_ext loss = { .h = { .ts_ns = e->h.ts_ns, .goid = e->h.goid, .kind = EV_LOSS,
					 .flags = how == 2 || gap.all ? EVF_ALL : 0 },
				  .arg = { e->h.ts_ns, 1 } };
	if (gap.told)
		*e = loss;
	else
		memmove(e, e + 1, (x->n - at - 1) * sizeof(*e));
	struct seen seen = { .seed = seed };
	struct model *m = run(x, events, x->n - !gap.told, &seen);

	CHECK(seed, model_totals(m)->lost_events == gap.told);
	check_counts(x, m, seed, concerned);
	check_outside(x, &seen, &gap);
	CHECK(seed, seen.root_ns == model_totals(m)->root_ns && seen.calls_sum == model_totals(m)->calls);
	model_free(m);
	forget(&seen);
	free(events);
}

/* A run of events of which only some are left, as when a ring is too small. */
static void check_burst_lost(const struct exec *x, uint64_t seed, uint64_t *rng)
{
	struct event_ext *events = calloc(x->n + 1, sizeof(*events));
	size_t from = exec_random(rng) % x->n, to = from + exec_random(rng) % 20, n = 0;
	struct gap gap = { .from_ns = x->events[from].h.ts_ns, .all = true, .told = true };
	uint64_t lost = 0;

	assert_non_null(events);
	if (to >= x->n)
		to = x->n - 1;
	gap.to_ns = x->events[to].h.ts_ns;
	for (size_t i = 0; i < x->n; i++) {
		if (i == from)
			events[n++] = (struct event_ext){ .h = { .ts_ns = gap.from_ns, .kind = EV_LOSS, .flags = EVF_ALL },
							  .arg = { gap.to_ns, 0 } };
		if (i >= from && i <= to && exec_random(rng) % 2)
			lost++;
		else
			events[n++] = x->events[i];
	}
	events[from].arg[1] = lost;
	struct seen seen = { .seed = seed };
	struct model *m = run(x, events, n, &seen);

	CHECK(seed, model_totals(m)->lost_events == lost && model_totals(m)->loss_records == 1);
	check_outside(x, &seen, &gap);
	model_free(m);
	forget(&seen);
	free(events);
}

/* ---- */

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *v = getenv(name);

	return v && *v ? strtoull(v, NULL, 0) : otherwise;
}

static void each(void (*check)(const struct exec *x, uint64_t seed, uint64_t *rng))
{
	uint64_t runs = number("GOTRACE_RANDOM_RUNS", 20000), first = number("GOTRACE_RANDOM_SEED", 1);

	for (uint64_t seed = first; seed < first + runs; seed++) {
		uint64_t rng = seed * 77;
		uint64_t kind = exec_random(&rng);
		struct exec_options opt = { .thesis = kind & 1, .global = kind & 6, .steps = 10 + kind / 8 % 200 };
		struct exec x;

		assert_int_equal(exec_make(&x, seed, &opt), 0);
		if (x.n)
			check(&x, seed, &rng);
		exec_free(&x);
	}
	print_message("%" PRIu64 " executions from seed %" PRIu64 "\n", runs, first);
}

static void exact(const struct exec *x, uint64_t seed, uint64_t *rng)
{
	(void)rng;
	check_exact(x, seed);
}

static void test_exact(void **state)
{
	(void)state;
	each(exact);
}

static void test_one_lost(void **state)
{
	(void)state;
	each(check_one_lost);
}

static void test_burst_lost(void **state)
{
	(void)state;
	each(check_burst_lost);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_one_lost),
		cmocka_unit_test(test_burst_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
