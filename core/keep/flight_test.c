// SPDX-License-Identifier: BSD-2-Clause
/* The flight recorder: its windows are traces of their own, and it does not grow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "keep/flight_fixture.h"
#include "model/exec_check_fixture.h"

static void add_to_trial(void *ctx, const struct event_ext *ev, const struct trace_values *values)
{
	(void)values;
	trial_add(ctx, ev);
}

/* ---- random executions: the last window has the calls that are in it */

static void feed(struct flight *f, const struct exec *x)
{
	struct trace_sink sink = flight_sink(f);

	for (size_t i = 0; i < x->n; i++) {
		const struct event_ext *e = &x->events[i];

		if (event_kind_has_args(e->h.kind) || i % 3)
			assert_int_equal(sink.event(sink.ctx, e), 0);
		else
			assert_int_equal(sink.many(sink.ctx, &e->h, 1), 0);
		assert_int_equal(sink.round(sink.ctx, e->h.ts_ns), 0);
	}
}

/* What the truth has from then on, with what is open there. */
static size_t calls_after(const struct exec *x, uint64_t from_ns, struct tuple *want)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_calls; i++) {
		struct tuple c = tuple_of(&x->calls[i]);

		if (c.end_ns <= from_ns && c.end != CALL_UNFINISHED)
			continue;
		if (c.start_ns <= from_ns) {
			c.start_ns = from_ns;
			if (c.end != CALL_UNWOUND && c.end != CALL_INFERRED)
				c.end = CALL_UNFINISHED;
		}
		c.self_ns = 0;
		want[n++] = c;
	}
	return n;
}

static unsigned n_cut; /* windows that did not have all */

static bool usable(struct trial *t)
{
	if (t->opt->thesis || exec_random(&t->rng) % 10)
		return false; /* a recorder is large: some executions */
	for (size_t i = 0; i < t->x->n; i++)
		if (t->x->events[i].h.kind == EV_IMAGE)
			return false; /* calls end before it, and are open for longer */
	return t->x->n > 1;
}

static void check_window(struct trial *t)
{
	const struct exec *x = t->x;
	struct tuple *want;
	struct seen seen;

	if (!usable(t))
		return;
	uint64_t span_ns = x->events[x->n - 1].h.ts_ns - x->events[0].h.ts_ns;
	const struct flight_options opt = { .info = &x->info,
					    .keep_ns = 1 + span_ns / 2,
					    .keep_bytes = 100 << 20 };
	struct flight *f = flight_new(&opt);

	assert_non_null(f);
	feed(f, x);
	struct flight_window *w = flight_last(f);

	assert_non_null(w);
	n_cut += !w->whole;
	flight_fixture_read(w, &x->info, add_to_trial, t);
	want = calloc(x->n_calls + 1, sizeof(*want));
	assert_non_null(want);
	size_t n = calls_after(x, w->whole ? 0 : w->first_ns, want);
	struct model *m = trial_run(t, &seen);

	for (size_t i = 0; i < seen.n; i++)
		seen.calls[i].self_ns = 0;
	trial_same_calls(t, want, n, &seen);
	HOLDS(t, model_totals(m)->orphan_exits == 0 && model_totals(m)->bad_events == 0);
	HOLDS(t, w->whole || model_totals(m)->windows == 1);
	HOLDS(t, w->whole || x->events[x->n - 1].h.ts_ns - w->first_ns >= opt.keep_ns);
	trial_forget(m, &seen);
	free(want);
	flight_window_free(w);
	flight_free(f);
}

TEST(test_window)
{
	exec_check_each("the window of a flight recorder", check_window);
	assert_true(n_cut > 0);
}

/* ---- a program that calls on */

static void count(void *ctx, const struct event_ext *ev, const struct trace_values *values)
{
	uint64_t *n = ctx;

	(void)ev;
	(void)values;
	++*n;
}

static struct event event_of(uint64_t goid, uint32_t func, unsigned kind, uint32_t depth,
			     uint64_t ts_ns)
{
	return (struct event){ .ts_ns = ts_ns,
			       .goid = goid,
			       .site = exec_site(func, kind, TRACE_NONE),
			       .depth = depth,
			       .tid = 1,
			       .kind = (uint16_t)kind };
}

/* Some millions of events, of which a hundredth is kept. */
TEST(test_does_not_grow)
{
	enum { ROUNDS = 1000, CALLS = 2000 };
	static struct event ev[2 * CALLS];
	struct trace_info info = { 0 };
	uint64_t now_ns = 1000000, most = 0, seed = 1, n = 0;

	assert_int_equal(exec_info(&info), 0);
	const struct flight_options opt = { .info = &info, .keep_bytes = 1 << 20 };
	struct flight *f = flight_new(&opt);

	assert_non_null(f);
	struct trace_sink sink = flight_sink(f);
	struct event_ext first = { .h = event_of(1, 0, EV_ENTRY, 16, now_ns) };

	assert_int_equal(sink.event(sink.ctx, &first), 0);
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < CALLS; i++) {
			uint32_t func = 1 + exec_random(&seed) % 5;

			now_ns += 1 + exec_random(&seed) % 1000;
			ev[2 * i] = event_of(1, func, EV_ENTRY, 32, now_ns);
			now_ns += 1 + exec_random(&seed) % 1000;
			ev[2 * i + 1] = event_of(1, func, EV_EXIT, 32, now_ns);
		}
		const struct event_ext sample = { .h = event_of(1, 0, EV_SAMPLE, 16, now_ns),
						  .arg = { 1000 } };

		assert_int_equal(sink.many(sink.ctx, ev, 2 * CALLS), 0);
		assert_int_equal(sink.event(sink.ctx, &sample), 0);
		assert_int_equal(sink.round(sink.ctx, now_ns), 0);
		most = flight_stats(f).bytes > most ? flight_stats(f).bytes : most;
	}
	struct flight_stats st = flight_stats(f);

	assert_int_equal(st.events, 1 + (1 + 2ull * CALLS) * ROUNDS);
	assert_true(most <= opt.keep_bytes + opt.keep_bytes / 4);
	assert_true(most >= opt.keep_bytes / 2);
	assert_true(st.open_bytes < 4096);
	struct flight_window *w = flight_last(f);

	assert_non_null(w);
	assert_false(w->whole);
	flight_fixture_read(w, &info, count, &n);
	assert_true(n > 50000 && n < st.events / 4);
	flight_window_free(w);
	flight_free(f);
	trace_info_free(&info);
}

/* ---- when it writes */

struct hits {
	unsigned n;
	uint64_t took_ns, at_ns, goid;
};

static void note_hit(void *ctx, const struct event_ext *ev, const struct trace_values *values)
{
	struct hits *h = ctx;

	(void)values;
	if (ev->h.kind != EV_WINDOW || ev->arg[0] != WINDOW_HIT)
		return;
	h->n++;
	h->took_ns = ev->arg[1];
	h->at_ns = ev->h.ts_ns;
	h->goid = ev->h.goid;
}

static struct flight *recorder(const struct trace_info *info, uint64_t when_ns, uint32_t times)
{
	static const bool when[EXEC_FUNCS] = { false, true };
	const struct flight_options opt = { .info = info,
					    .keep_bytes = 1 << 20,
					    .when = when,
					    .when_ns = when_ns,
					    .times = times };
	struct flight *f = flight_new(&opt);

	assert_non_null(f);
	return f;
}

static void give(struct flight *f, uint64_t goid, uint32_t func, unsigned kind, uint32_t depth,
		 uint64_t ts_ns)
{
	struct trace_sink sink = flight_sink(f);
	const struct event_ext ev = { .h = event_of(goid, func, kind, depth, ts_ns) };

	assert_int_equal(sink.event(sink.ctx, &ev), 0);
}

static void round_at(struct flight *f, uint64_t now_ns)
{
	struct trace_sink sink = flight_sink(f);

	assert_int_equal(sink.round(sink.ctx, now_ns), 0);
}

static struct hits taken(struct flight *f, const struct trace_info *info)
{
	struct flight_window *w = flight_take(f);
	struct hits h = { 0 };

	assert_non_null(w);
	assert_true(w->hit);
	flight_fixture_read(w, info, note_hit, &h);
	flight_window_free(w);
	return h;
}

/* A call that was open for too long is told at once, and written when it has ended. */
TEST(test_slow_call)
{
	struct trace_info info = { 0 };

	assert_int_equal(exec_info(&info), 0);
	struct flight *f = recorder(&info, 1000, 2);

	give(f, 1, 1, EV_ENTRY, 16, 100);
	give(f, 1, 1, EV_EXIT, 16, 1100); /* not longer than that */
	round_at(f, 2000);
	assert_null(flight_take(f));
	give(f, 2, 1, EV_ENTRY, 16, 3000);
	round_at(f, 4000);
	round_at(f, 4100); /* told */
	assert_null(flight_take(f));
	give(f, 3, 2, EV_ENTRY, 16, 4200);
	give(f, 2, 1, EV_EXIT, 16, 5000);
	round_at(f, 5100);
	struct hits h = taken(f, &info);

	assert_int_equal(h.n, 1);
	assert_int_equal(h.at_ns, 4100);
	assert_int_equal(h.took_ns, 1100);
	assert_int_equal(h.goid, 2);
	assert_null(flight_take(f));
	assert_false(flight_ended(f));
	/* The second is the last. */
	give(f, 2, 1, EV_ENTRY, 16, 6000);
	give(f, 2, 1, EV_EXIT, 16, 9000);
	round_at(f, 9001);
	assert_true(flight_ended(f));
	assert_null(flight_take(f));
	give(f, 2, 1, EV_ENTRY, 16, 9500); /* too late */
	struct flight_window *w = flight_last(f);

	h = (struct hits){ 0 };
	assert_non_null(w);
	assert_int_equal(w->last_ns, 9000);
	flight_fixture_read(w, &info, note_hit, &h);
	assert_int_equal(h.n, 2);
	assert_int_equal(h.took_ns, 3000);
	flight_window_free(w);
	flight_free(f);
	trace_info_free(&info);
}

/* A call that does not end is waited for, but not for ever. */
TEST(test_hanging_call)
{
	const uint64_t second = 1000000000;
	struct trace_info info = { 0 };

	assert_int_equal(exec_info(&info), 0);
	struct flight *f = recorder(&info, 2 * second, 3);

	give(f, 1, 1, EV_ENTRY, 16, second);
	round_at(f, 4 * second);
	assert_null(flight_take(f));
	round_at(f, 5 * second);
	assert_null(flight_take(f));
	round_at(f, 6 * second);
	assert_int_equal(taken(f, &info).n, 1);
	give(f, 1, 1, EV_EXIT, 16, 7 * second); /* was told */
	round_at(f, 20 * second);
	assert_null(flight_take(f));
	flight_free(f);
	trace_info_free(&info);
}

/* What is asked for is written at the next round, with the names of program counters. */
TEST(test_asked)
{
	struct trace_info info = { 0 };
	uint64_t n = 0;

	assert_int_equal(exec_info(&info), 0);
	struct flight *f = recorder(&info, 1000, 1);

	flight_name_pc(f, &(struct trace_pc){ .pc = 77, .func = (char *)"main.go" });
	give(f, 1, 2, EV_ENTRY, 16, 100);
	flight_ask(f);
	assert_null(flight_take(f));
	round_at(f, 200);
	give(f, 1, 2, EV_EXIT, 16, 300);
	struct flight_window *w = flight_take(f);

	assert_non_null(w);
	assert_false(w->hit);
	assert_int_equal(w->pcs.n_pcs, 1);
	flight_fixture_read(w, &info, count, &n);
	assert_int_equal(n, 1);
	flight_window_free(w);
	w = flight_last(f);
	n = 0;
	flight_fixture_read(w, &info, count, &n);
	assert_int_equal(n, 2); /* the other window took nothing away */
	flight_window_free(w);
	flight_free(f);
	trace_info_free(&info);
}

TESTS(test_window, test_does_not_grow, test_slow_call, test_hanging_call, test_asked)
