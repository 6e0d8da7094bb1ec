// SPDX-License-Identifier: BSD-2-Clause
/*
 * The flight recorder with states of goroutines: from where its window begins, all that it says of
 * them is what happened, nanosecond by nanosecond.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "keep/flight_fixture.h"
#include "keep/keep_states_fixture.h"

static void feed(void *ctx, const struct event_ext *ev, const struct trace_values *values)
{
	(void)values;
	kept_feed(ctx, ev);
}

static void give(struct flight *f, const struct run *r)
{
	struct trace_sink sink = flight_sink(f);

	for (size_t i = 0; i < r->n; i++) {
		const struct event_ext *e = &r->events[i];

		if (event_kind_has_args(e->h.kind) || i % 3)
			assert_int_equal(sink.event(sink.ctx, e), 0);
		else
			assert_int_equal(sink.many(sink.ctx, &e->h, 1), 0);
		assert_int_equal(sink.round(sink.ctx, e->h.ts_ns), 0);
	}
}

static unsigned n_cut; /* windows that do not have all */

static void check(uint64_t seed)
{
	struct kept k;

	kept_begin(&k, seed);
	const struct flight_options opt = { .info = &k.run->info,
					    .keep_ns = TIME / 4 + seed % (TIME / 2),
					    .keep_bytes = 100 << 20 };
	struct flight *f = flight_new(&opt);

	assert_non_null(f);
	give(f, k.run);
	struct flight_window *w = flight_last(f);

	assert_non_null(w);
	n_cut += !w->whole;
	k.from = w->whole ? 0 : w->first_ns - BASE;
	flight_fixture_read(w, &k.run->info, feed, &k);
	kept_finish(&k);
	kept_same_calls(&k);
	kept_same_wakes(&k);
	for (unsigned g = 0; g < GOROUTINES; g++)
		kept_same_life(&k, g);
	kept_end(&k);
	flight_window_free(w);
	flight_free(f);
}

TEST(test_random)
{
	for (uint64_t seed = 1; seed <= 2000; seed++)
		check(seed);
	assert_true(n_cut > 1000);
}

TESTS(test_random)
