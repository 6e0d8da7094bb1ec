// SPDX-License-Identifier: BSD-2-Clause
/*
 * Functions that are released while they are recorded: of random executions, the function's counts
 * are those up to then, all others' are exact, no more calls are suspect, and times still add up.
 */
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "model/exec_check_fixture.h"

/* What a recorder writes: the release, and from then on no event of the function. */
static void add_released(struct trial *t, uint32_t func, size_t from)
{
	const struct exec *x = t->x;

	for (size_t i = 0; i < x->n; i++) {
		const struct event *e = &x->events[i].h;
		/* what happens to goroutines has no site there */
		bool of_func = (e->kind <= EV_ENTRY_TAIL || e->kind == EV_MORESTACK) &&
			       x->info.sites[e->site].func == func;

		if (i == from)
			trial_add(t, &(struct event_ext){
					     .h = { .ts_ns = x->events[i].h.ts_ns,
						    .site = exec_site(func, EV_ENTRY, TRACE_NONE),
						    .kind = EV_RELEASED } });
		if (i < from || !of_func)
			trial_add(t, &x->events[i]);
	}
}

static void check_release(struct trial *t)
{
	const struct exec *x = t->x;
	uint32_t func = (uint32_t)(exec_random(&t->rng) % EXEC_FUNCS);
	size_t from = exec_random(&t->rng) % x->n, n;
	uint64_t from_ns = x->events[from].h.ts_ns, want[EXEC_FUNCS] = { 0 };
	uint64_t suspect[EXEC_FUNCS] = { 0 };
	struct seen seen;

	add_released(t, func, from);
	for (size_t i = 0; i < x->n_calls; i++)
		if (x->calls[i].func != func || x->calls[i].start_ns < from_ns)
			want[x->calls[i].func]++;
	for (size_t i = 0; i < x->n_calls; i++)
		suspect[x->calls[i].func] += x->calls[i].suspect;
	struct model *m = trial_run(t, &seen);
	const struct call_stats *st = model_funcs(m, &n);

	HOLDS(t, n == EXEC_FUNCS);
	for (uint32_t f = 0; f < EXEC_FUNCS; f++) {
		/* The first entry of a prologue about to be stopped looks the same as a call's. */
		HOLDS(t, st[f].calls == want[f] ||
				 (t->opt->thesis && f == func && st[f].calls > want[f]));
		HOLDS(t, st[f].suspect <= suspect[f]);
		HOLDS(t, !model_released_ns(m, f) == (f != func));
	}
	HOLDS(t, model_totals(m)->orphan_exits == 0);
	HOLDS(t, model_totals(m)->bad_events == 0);
	HOLDS(t, model_totals(m)->released == 1);
	HOLDS(t, !seen.unbalanced);
	for (size_t i = 0; i < seen.n; i++)
		HOLDS(t, seen.calls[i].func != func || seen.calls[i].start_ns <= from_ns);
	trial_forget(m, &seen);
}

TEST(test_release)
{
	exec_check_each("a function released in the middle", check_release);
}

/* Its end is that of the last call that was open in it; its caller has the time after that. */
TEST(test_open_calls)
{
	struct trace_info info = { 0 };
	static const struct {
		uint32_t func;
		uint16_t kind;
		uint32_t depth;
		uint64_t ts_ns;
	} events[] = {
		{ 0, EV_ENTRY, 100, 1000 },   { 1, EV_ENTRY, 200, 1100 },
		{ 2, EV_ENTRY, 300, 1200 },   { 1, EV_RELEASED, 0, 1300 },
		{ 2, EV_EXIT, 300, 1400 },    { 2, EV_ENTRY, 300, 1500 },
		{ 2, EV_EXIT, 300, 1600 },    { 0, EV_EXIT, 100, 2000 },
		{ 1, EV_RELEASED, 0, 2000 },  { 1, EV_ENTRY, 100, 2100 },
		{ 77, EV_RELEASED, 0, 2200 },
	};
	size_t n;

	assert_int_equal(exec_info(&info), 0);
	struct model *m = model_new(&info, NULL);

	assert_non_null(m);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		unsigned kind = events[i].kind == EV_RELEASED ? EV_ENTRY : events[i].kind;
		uint32_t site = events[i].func == 77 ? 7777
						     : exec_site(events[i].func, kind, TRACE_NONE);

		assert_int_equal(model_feed(m,
					    &(struct event_ext){ .h = { .ts_ns = events[i].ts_ns,
									.goid = 1,
									.site = site,
									.depth = events[i].depth,
									.tid = 1,
									.kind = events[i].kind } }),
				 0);
	}
	assert_int_equal(model_finish(m), 0);
	const struct call_stats *st = model_funcs(m, &n);

	assert_int_equal(st[1].calls, 1);
	assert_int_equal(st[1].unfinished, 1);
	assert_int_equal(st[1].total_ns, 300);
	assert_int_equal(st[1].self_ns, 100);
	assert_int_equal(st[2].calls, 2);
	assert_int_equal(st[0].total_ns, 1000);
	assert_int_equal(st[0].self_ns, 600);
	assert_int_equal(model_released_ns(m, 1), 1300);
	/* A second release, an event after it, and one of no function make no sense. */
	assert_int_equal(model_totals(m)->released, 1);
	assert_int_equal(model_totals(m)->bad_events, 3);
	model_free(m);
	trace_info_free(&info);
}

/* What a reader does that is older than the kind, and every reader with kinds it does not know: it
 * counts the event and leaves it out; counts are the same, open calls are closed as suspect. */
TEST(test_unknown_kind)
{
	struct trace_info info = { 0 };
	const struct event_ext events[] = {
		{ .h = { .ts_ns = 1000, .goid = 1, .tid = 1, .depth = 100, .kind = EV_ENTRY } },
		{ .h = { .ts_ns = 1100, .goid = 1, .tid = 1, .depth = 200, .kind = EV_ENTRY } },
		{ .h = { .ts_ns = 1200, .kind = EV_KIND_MAX + 1 }, .arg = { 1, 2 } },
		{ .h = { .ts_ns = 1300, .goid = 1, .tid = 1, .depth = 100, .kind = EV_EXIT } },
	};
	size_t n;

	assert_int_equal(exec_info(&info), 0);
	struct model *m = model_new(&info, NULL);

	assert_non_null(m);
	for (size_t i = 0; i < 4; i++) {
		struct event_ext ev = events[i];

		ev.h.site = exec_site(i == 1, i == 3 ? EV_EXIT : EV_ENTRY, TRACE_NONE);
		assert_int_equal(model_feed(m, &ev), 0);
	}
	assert_int_equal(model_finish(m), 0);
	const struct call_stats *st = model_funcs(m, &n);

	assert_int_equal(st[0].calls, 1);
	assert_int_equal(st[0].total_ns, 300);
	assert_int_equal(st[1].calls, 1);
	assert_int_equal(st[1].suspect, 1);
	assert_int_equal(model_totals(m)->bad_events, 1);
	model_free(m);
	trace_info_free(&info);
}

TESTS(test_release, test_open_calls, test_unknown_kind)
