// SPDX-License-Identifier: BSD-2-Clause
/*
 * What --min-duration passes on of states of goroutines, on random executions: of each call that is
 * passed on all that happened in it, nanosecond by nanosecond.
 */
#include <stdlib.h>

#include "base/test_fixture.h"
#include "keep/event_list_fixture.h"
#include "keep/keep_states_fixture.h"
#include "keep/min_duration.h"

static struct event_list through(const struct run *r, uint64_t min_ns)
{
	struct event_list out = { 0 };
	const struct trace_sink next = { .event = event_list_take, .ctx = &out };
	struct min_duration *m = min_duration_new(&r->info, min_ns, &next);

	assert_non_null(m);
	struct trace_sink sink = min_duration_sink(m);

	for (size_t i = 0; i < r->n; i++) {
		if (i % 3 == 0)
			assert_int_equal(sink.round(sink.ctx, r->events[i].h.ts_ns), 0);
		assert_int_equal(sink.event(sink.ctx, &r->events[i]), 0);
	}
	assert_int_equal(sink.finish(sink.ctx, NULL), 0);
	min_duration_free(m);
	return out;
}

static unsigned n_kept, n_left; /* calls */

/* Which calls are passed on is the sink's to say; long ones are. */
static void decide(struct kept *k, const struct event_list *l, uint64_t min_ns)
{
	const struct truth *x = k->run->truth;
	bool came[GOROUTINES][TIME] = { { false } };

	for (size_t i = 0; i < l->n; i++)
		if (l->ev[i].h.kind == EV_ENTRY)
			came[l->ev[i].h.goid - 1][l->ev[i].h.ts_ns - BASE] = true;
	for (unsigned g = 0; g < GOROUTINES; g++)
		for (unsigned t = 0; t < TIME; t++)
			for (int i = 0; i < x->at[g][t].n; i++) {
				int c = x->at[g][t].calls[i];
				uint64_t end = x->calls[c].over ? x->calls[c].end_ns : TIME;

				k->want[c] = came[g][x->calls[c].start_ns];
				assert_true(k->want[c] || end - x->calls[c].start_ns < min_ns);
			}
}

static void check(uint64_t seed)
{
	const uint64_t min_ns = 10 + seed % 60;
	struct kept k;

	kept_begin(&k, seed);
	k.some_stops = k.of_outermost = true;
	struct event_list l = through(k.run, min_ns);

	decide(&k, &l, min_ns);
	for (size_t i = 0; i < l.n; i++)
		kept_feed(&k, &l.ev[i]);
	kept_finish(&k);
	kept_same_calls(&k);
	for (size_t i = 0; i < k.run->truth->n_calls; i++) {
		n_kept += k.want[i];
		n_left += !k.want[i];
	}
	free(l.ev);
	kept_end(&k);
}

TEST(test_random)
{
	for (uint64_t seed = 1; seed <= 2000; seed++)
		check(seed);
	assert_true(n_kept > 10000 && n_left > 10000);
}

TESTS(test_random)
