// SPDX-License-Identifier: BSD-2-Clause
/*
 * The gate with states of goroutines, on random executions: of each call that it lets through all
 * is known that happened in it, nanosecond by nanosecond.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "keep/event_list_fixture.h"
#include "keep/gate.h"
#include "keep/keep_states_fixture.h"

static void give(const struct trace_sink *sink, const struct run *r)
{
	static struct event many[8 * TIME];

	for (size_t i = 0; i < r->n; i++) {
		size_t n = 0;

		while (i + n < r->n && n < 5 && !event_kind_has_args(r->events[i + n].h.kind)) {
			many[n] = r->events[i + n].h;
			n++;
		}
		if (n < 2) {
			assert_int_equal(sink->event(sink->ctx, &r->events[i]), 0);
			continue;
		}
		assert_int_equal(sink->many(sink->ctx, many, n), 0);
		i += n - 1;
	}
}

static struct event_list through(const struct kept *k, struct gate_options opt)
{
	struct event_list l = { 0 };
	struct trace_info end = { 0 };

	opt.info = &k->run->info;
	opt.next = (struct trace_sink){ .event = event_list_take,
					.many = event_list_take_many,
					.ctx = &l };
	struct gate *g = gate_new(&opt);

	assert_non_null(g);
	struct trace_sink sink = gate_sink(g);

	if (opt.off)
		assert_true(gate_switch(g, BASE + k->from));
	give(&sink, k->run);
	assert_int_equal(sink.finish(sink.ctx, &end), 0);
	trace_info_free(&end);
	gate_free(g);
	return l;
}

/* ---- what is to come out */

static bool came_out(const struct event_list *l, unsigned g, unsigned t)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->ev[i].h.kind == EV_ENTRY && l->ev[i].h.goid == g + 1 &&
		    l->ev[i].h.ts_ns == BASE + t)
			return true;
	return false;
}

/* Is the goroutine recorded from its beginning on? */
static bool begins_kept(const struct kept *k, unsigned g, const bool kept[CALLS])
{
	const struct run *r = k->run;

	for (size_t i = 0; i < r->n; i++) {
		const struct event_ext *e = &r->events[i];

		if (e->h.kind != EV_CREATE || e->arg[0] != g + 1)
			continue;
		const struct moment *m = &r->truth->at[e->h.goid - 1][e->h.ts_ns - BASE];

		return m->n && kept[m->calls[m->n - 1]];
	}
	return false;
}

/* All are created by the first goroutine, so that its calls are decided before theirs. */
static void decide(struct kept *k, const struct event_list *l, const struct gate_options *opt,
		   bool base[GOROUTINES])
{
	bool seen[CALLS] = { false }, kept[CALLS] = { false };
	const struct truth *x = k->run->truth;

	for (unsigned g = 0; g < GOROUTINES; g++) {
		base[g] = g && begins_kept(k, g, kept);
		for (unsigned t = 0; t < TIME; t++) {
			const struct moment *m = &x->at[g][t];
			int i = m->n ? m->calls[m->n - 1] : -1;
			int below = m->n > 1 ? m->calls[m->n - 2] : -1;

			if (!m->alive || i < 0 || seen[i])
				continue;
			seen[i] = true;
			bool outside = below >= 0 ? !kept[below] : !base[g];

			kept[i] = !outside || (opt->trigger[x->calls[i].func] &&
					       (opt->one_in <= 1 || came_out(l, g, t)));
			k->want[i] = kept[i];
		}
	}
}

static unsigned n_kept, n_left; /* calls */

static void check_trigger(uint64_t seed, uint64_t one_in)
{
	static const bool trigger[FUNCS] = { false, true };
	const struct gate_options opt = { .trigger = trigger, .one_in = one_in };
	bool base[GOROUTINES];
	struct kept k;

	kept_begin(&k, seed);
	struct event_list l = through(&k, opt);

	decide(&k, &l, &opt, base);
	for (size_t i = 0; i < l.n; i++)
		kept_feed(&k, &l.ev[i]);
	kept_finish(&k);
	kept_same_calls(&k);
	kept_same_wakes(&k);
	for (unsigned g = 0; g < GOROUTINES; g++)
		if (base[g])
			kept_same_life(&k, g);
	for (size_t i = 0; i < k.run->truth->n_calls; i++) {
		n_kept += k.want[i];
		n_left += !k.want[i];
	}
	free(l.ev);
	kept_end(&k);
}

TEST(test_trigger)
{
	for (uint64_t seed = 1; seed <= 2000; seed++)
		check_trigger(seed, seed % 3);
	assert_true(n_kept > 10000 && n_left > 10000);
}

/* What happens in calls that are too deep is of their callers. */
TEST(test_depth)
{
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		struct kept k;
		const uint32_t depth = 1 + seed % 3;

		kept_begin(&k, seed);
		struct event_list l = through(&k, (struct gate_options){ .depth = depth });

		for (unsigned g = 0; g < GOROUTINES; g++)
			for (unsigned t = 0; t < TIME; t++)
				for (unsigned d = depth; d < DEEP; d++)
					if (kept_number(&k, g, t, d) >= 0)
						k.want[kept_number(&k, g, t, d)] = false;
		for (size_t i = 0; i < l.n; i++)
			kept_feed(&k, &l.ev[i]);
		kept_finish(&k);
		kept_same_calls(&k);
		for (unsigned g = 0; g < GOROUTINES; g++)
			kept_same_life(&k, g);
		free(l.ev);
		kept_end(&k);
	}
}

/* The first moment from t on in which nothing happens. */
static unsigned quiet(const struct run *r, unsigned t)
{
	for (size_t i = 0; i < r->n; i++)
		t += r->events[i].h.ts_ns == BASE + t;
	return t;
}

/* Recording is switched on in the middle: what is open there is told, with all states. */
TEST(test_switched_on)
{
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		struct kept k;

		kept_begin(&k, seed);
		k.from = quiet(k.run, 1 + seed % (TIME / 2));
		struct event_list l = through(&k, (struct gate_options){ .off = true });

		for (size_t i = 0; i < l.n; i++)
			kept_feed(&k, &l.ev[i]);
		kept_finish(&k);
		kept_same_calls(&k);
		kept_same_wakes(&k);
		free(l.ev);
		kept_end(&k);
	}
}

TESTS(test_trigger, test_depth, test_switched_on)
