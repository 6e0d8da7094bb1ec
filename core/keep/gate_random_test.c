// SPDX-License-Identifier: BSD-2-Clause
/*
 * The gate before the engine, on random executions: what comes out is the true calls, filtered by
 * what the options mean.
 */
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "keep/gate.h"
#include "model/exec_check_fixture.h"

enum { OUT, KEPT, SKIPPED };

/* What is asked for, and what of each call is to come of it. */
struct asked {
	struct trial *t;
	const struct exec *x;
	bool trigger[EXEC_FUNCS], any_trigger;
	uint32_t depth;
	uint64_t one_in;
	uint64_t from_ns, to_ns; /* when it is switched on and off; 0: always on */
	/* by call */
	uint8_t *state;
	uint32_t *level;
	bool *outermost;
	uint64_t n_outermost, n_chosen;
};

/* ---- the truth, filtered */

/* The innermost call that is open on a goroutine at that time; -1: none. */
static int64_t innermost(const struct exec *x, uint64_t goid, uint64_t at_ns, size_t before)
{
	for (size_t i = before; i-- > 0;) {
		const struct exec_call *c = &x->calls[i];

		if (!c->system && c->stack == goid && c->start_ns < at_ns &&
		    (c->end_ns > at_ns || (c->end == CALL_UNFINISHED && c->end_ns == at_ns)))
			return (int64_t)i;
	}
	return -1;
}

/* What a goroutine is recorded for at that time; `before`: calls that have begun. */
static uint8_t state_at(const struct asked *a, uint64_t goid, uint64_t at_ns, size_t before)
{
	const struct exec *x = a->x;
	int64_t open = innermost(x, goid, at_ns, before);

	if (!a->any_trigger)
		return KEPT;
	if (open >= 0)
		return a->state[open];
	size_t i = x->n;

	while (i && x->events[i - 1].h.ts_ns >= at_ns)
		i--;
	for (; i && x->events[i - 1].h.kind != EV_IMAGE; i--) {
		const struct event_ext *e = &x->events[i - 1];

		if (e->h.kind == EV_END && e->h.goid == goid)
			return OUT;
		if (e->h.kind == EV_CREATE && e->arg[0] == goid)
			return e->h.goid ? state_at(a, e->h.goid, e->h.ts_ns, before) : OUT;
	}
	return OUT;
}

/* Was a call that began then let through? Which are chosen is the gate's to say. */
static bool came_out(const struct trial *t, const struct exec_call *c)
{
	for (size_t i = 0; i < t->n_fed; i++) {
		const struct event *e = &t->fed[i].h;

		if (e->ts_ns == c->start_ns && t->x->info.sites[e->site].func == c->func &&
		    (e->kind == EV_ENTRY || e->kind == EV_ENTRY_EXIT || e->kind == EV_ENTRY_TAIL))
			return true;
	}
	return false;
}

static void filter(struct asked *a)
{
	const struct exec *x = a->x;

	a->state = calloc(x->n_calls + 1, 1);
	a->outermost = calloc(x->n_calls + 1, 1);
	a->level = calloc(x->n_calls + 1, sizeof(*a->level));
	assert_true(a->state && a->outermost && a->level);
	for (size_t i = 0; i < x->n_calls; i++) {
		const struct exec_call *c = &x->calls[i];
		int64_t p = c->parent;

		a->state[i] = p >= 0 ? a->state[p] : state_at(a, c->goid, c->start_ns, i);
		a->level[i] = p >= 0 && a->state[p] == KEPT ? a->level[p] + !c->in_place : 1;
		if (a->any_trigger && a->state[i] == OUT && a->trigger[c->func]) {
			a->outermost[i] = true;
			a->n_outermost++;
			a->state[i] = a->one_in <= 1 || came_out(a->t, c) ? KEPT : SKIPPED;
			a->n_chosen += a->state[i] == KEPT;
		}
	}
}

static bool is_kept(const struct asked *a, size_t i)
{
	return a->state[i] == KEPT && (!a->depth || a->level[i] <= a->depth);
}

/* How many of the calls below it on its stack are kept. */
static uint32_t kept_below(const struct asked *a, size_t i)
{
	uint32_t n = 0;

	for (int64_t p = a->x->calls[i].parent; p >= 0; p = a->x->calls[p].parent)
		n += is_kept(a, (size_t)p);
	return n;
}

/* Are all calls made in it kept as well? Then it has the self time that it had. */
static bool whole(const struct asked *a, size_t i)
{
	return !a->depth || a->level[i] < a->depth;
}

/* ---- running the gate */

static int take(void *ctx, const struct event_ext *ev)
{
	trial_add(ctx, ev);
	return 0;
}

static int take_many(void *ctx, const struct event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++)
		trial_add(ctx, &(struct event_ext){ .h = ev[i] });
	return 0;
}

static bool has_args(const struct event_ext *ev)
{
	return ev->arg[0] || ev->arg[1] || ev->arg[2] || ev->arg[3] || ev->h.kind == EV_STOP ||
	       ev->h.kind == EV_RESUME || ev->h.kind == EV_UNWIND;
}

/* Events one by one, or in arrays where they have no arguments, as a recorder has them. */
static struct gate_stats run(struct asked *a)
{
	struct trial *t = a->t;
	const struct gate_options opt = { .info = &a->x->info,
					  .next = { .event = take, .many = take_many, .ctx = t },
					  .depth = a->depth,
					  .trigger = a->any_trigger ? a->trigger : NULL,
					  .one_in = a->one_in,
					  .off = a->from_ns > 0,
					  .why = WINDOW_BY_TOGGLE };
	struct gate *g = gate_new(&opt);
	struct trace_info end = { 0 };

	assert_non_null(g);
	struct trace_sink sink = gate_sink(g);

	if (a->from_ns) {
		assert_true(gate_switch(g, a->from_ns));
		assert_true(gate_switch(g, a->to_ns));
	}
	for (size_t i = 0; i < a->x->n;) {
		struct event array[8];
		size_t n = 0, most = exec_random(&t->rng) % 9;

		while (n < most && i < a->x->n && !has_args(&a->x->events[i]) &&
		       a->x->events[i].h.kind != EV_CREATE)
			array[n++] = a->x->events[i++].h;
		if (n)
			assert_int_equal(sink.many(sink.ctx, array, n), 0);
		if (n < most || !most)
			if (i < a->x->n) {
				assert_int_equal(sink.event(sink.ctx, &a->x->events[i]), 0);
				i++;
			}
		assert_int_equal(sink.round(sink.ctx,
					    i < a->x->n ? a->x->events[i].h.ts_ns : UINT64_MAX / 2),
				 0);
	}
	assert_int_equal(sink.finish(sink.ctx, &end), 0);
	struct gate_stats st = gate_stats(g);

	HOLDS(t, trace_info_u64(&end, "end.kept", 7) == st.kept);
	trace_info_free(&end);
	gate_free(g);
	return st;
}

static void forget(struct asked *a)
{
	free(a->state);
	free(a->level);
	free(a->outermost);
}

/* ---- checks */

/* Events of calls, with a known way, that are in a call that is told of. */
static uint64_t told_events(const struct event_ext *ev, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += EVF_HOW(ev[i].h.flags) && ev[i].h.kind != EV_WINDOW &&
		       ev[i].h.kind != EV_STOP && ev[i].h.kind != EV_RESUME &&
		       ev[i].h.kind != EV_CREATE && ev[i].h.kind != EV_END &&
		       ev[i].h.kind != EV_UNWIND;
	return sum;
}

/* Until the first entry of a stopped prologue is known to be that, what system stacks do for its
 * goroutine looks as if it was done in the call. */
static bool ambiguous(const struct trial *t)
{
	bool system = false;

	for (size_t i = 0; i < t->x->n_calls; i++)
		system |= t->x->calls[i].system;
	return system && t->opt->thesis;
}

static void check(struct trial *t, bool depth, bool trigger, bool one_in)
{
	if (trigger && ambiguous(t))
		return;
	struct asked a = { .t = t, .x = t->x };
	struct tuple *want = calloc(t->x->n_calls + 1, sizeof(*want));
	uint64_t inferred = 0;
	struct seen seen;
	size_t n = 0;

	assert_non_null(want);
	a.depth = depth ? 1 + (uint32_t)(exec_random(&t->rng) % 3) : 0;
	a.any_trigger = trigger;
	a.one_in = one_in ? 1 + exec_random(&t->rng) % 4 : 0;
	for (int i = 0; i < EXEC_FUNCS; i++)
		a.trigger[i] = exec_random(&t->rng) % 3 == 0;
	struct gate_stats st = run(&a);

	filter(&a);
	for (size_t i = 0; i < t->x->n_calls; i++)
		if (is_kept(&a, i)) {
			want[n] = tuple_of(&t->x->calls[i]);
			want[n].level = kept_below(&a, i);
			if (!whole(&a, i))
				want[n].self_ns = 0;
			inferred += t->x->calls[i].suspect;
			n++;
		}
	struct model *m = trial_run(t, &seen);

	/* Which calls are whole is told by where they began. */
	for (size_t i = 0; a.depth && i < seen.n; i++)
		for (size_t k = 0; k < t->x->n_calls; k++)
			if (t->x->calls[k].start_ns == seen.calls[i].start_ns && !whole(&a, k))
				seen.calls[i].self_ns = 0;
	trial_same_calls(t, want, n, &seen);
	HOLDS(t, model_totals(m)->orphan_exits == 0 && model_totals(m)->bad_events == 0);
	HOLDS(t, model_totals(m)->suspect_calls == inferred);
	HOLDS(t, st.events == t->x->n && st.kept <= st.events);
	HOLDS(t, st.seen == a.n_outermost && st.chosen == a.n_chosen);
	HOLDS(t, !one_in || (st.chosen >= st.seen / a.one_in &&
			     st.chosen <= (st.seen + a.one_in - 1) / a.one_in));
	if (depth && !trigger)
		HOLDS(t, told_events(t->fed, t->n_fed) + model_totals(m)->left_out ==
				 told_events(t->x->events, t->x->n));
	trial_forget(m, &seen);
	forget(&a);
	free(want);
}

static void check_depth(struct trial *t)
{
	check(t, true, false, false);
}

static void check_trigger(struct trial *t)
{
	check(t, false, true, false);
}

static void check_one_in(struct trial *t)
{
	check(t, false, true, true);
}

static void check_together(struct trial *t)
{
	check(t, true, true, true);
}

/* Nothing is asked for: all events come out as they were. */
static void check_nothing(struct trial *t)
{
	struct asked a = { .t = t, .x = t->x };

	run(&a);
	HOLDS(t, t->n_fed == t->x->n);
	for (size_t i = 0; i < t->x->n && i < t->n_fed; i++)
		HOLDS(t, !memcmp(&t->fed[i], &t->x->events[i], sizeof(t->fed[i])));
}

/* Recorded from one moment to another: what is open at either edge is cut there. */
static void check_window(struct trial *t)
{
	const struct exec *x = t->x;
	struct asked a = { .t = t, .x = x };
	struct tuple *want = calloc(x->n_calls + 1, sizeof(*want));
	uint64_t first_ns = x->events[0].h.ts_ns, last_ns = x->events[x->n - 1].h.ts_ns;
	struct seen seen;
	size_t n = 0;

	assert_non_null(want);
	/* Calls end at the last event before an image, and are open for longer. */
	for (size_t i = 0; i < x->n; i++)
		if (x->events[i].h.kind == EV_IMAGE) {
			free(want);
			return;
		}
	a.from_ns = first_ns + exec_random(&t->rng) % (last_ns - first_ns + 1);
	a.to_ns = a.from_ns + 1 + exec_random(&t->rng) % (last_ns - a.from_ns + 1);
	a.any_trigger = exec_random(&t->rng) % 2;
	a.depth = (uint32_t)(exec_random(&t->rng) % 4);
	for (int i = 0; i < EXEC_FUNCS; i++)
		a.trigger[i] = exec_random(&t->rng) % 2;
	run(&a);
	filter(&a);
	for (size_t i = 0; i < x->n_calls; i++) {
		struct tuple c = tuple_of(&x->calls[i]);
		bool open = x->calls[i].end == CALL_UNFINISHED;

		if (!is_kept(&a, i) || c.start_ns >= a.to_ns || (!open && c.end_ns < a.from_ns))
			continue;
		if (c.start_ns < a.from_ns && c.end != CALL_UNWOUND && c.end != CALL_INFERRED)
			c.end = CALL_UNFINISHED;
		if (open || c.end_ns >= a.to_ns) {
			c.end_ns = a.to_ns;
			c.end = CALL_UNFINISHED;
		}
		c.start_ns = c.start_ns < a.from_ns ? a.from_ns : c.start_ns;
		c.level = kept_below(&a, i);
		c.self_ns = 0;
		want[n++] = c;
	}
	struct model *m = trial_run(t, &seen);

	for (size_t i = 0; i < seen.n; i++)
		seen.calls[i].self_ns = 0;
	/* The first entry of a prologue about to be stopped looks the same as a call's. */
	if (!t->opt->thesis)
		trial_same_calls(t, want, n, &seen);
	HOLDS(t, seen.n >= n);
	HOLDS(t, model_totals(m)->orphan_exits == 0 && model_totals(m)->bad_events == 0);
	HOLDS(t, model_totals(m)->windows == 1);
	trial_forget(m, &seen);
	forget(&a);
	free(want);
}

#define CASE(name, text)                             \
	TEST(test_##name)                            \
	{                                            \
		exec_check_each(text, check_##name); \
	}
CASE(nothing, "a gate that is open")
CASE(depth, "calls that are not too deep")
CASE(trigger, "calls inside the trigger")
CASE(one_in, "some calls of the trigger")
CASE(together, "trigger, some of it, not too deep")
CASE(window, "switched on and off")

TESTS(test_nothing, test_depth, test_trigger, test_one_in, test_together, test_window)
