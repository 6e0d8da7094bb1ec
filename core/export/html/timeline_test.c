// SPDX-License-Identifier: BSD-2-Clause
/* Spans of a timeline: exact while they fit, joined where they do not, nothing lost unsaid. */

#include "base/test_fixture.h"
#include "export/html/timeline.h"

static void put_call(struct timeline *t, uint64_t goid, uint32_t level, uint32_t path,
		     uint64_t start_ns, uint64_t end_ns)
{
	timeline_call(t, &(struct call){ .start_ns = start_ns,
					 .end_ns = end_ns,
					 .self_ns = end_ns > start_ns ? end_ns - start_ns : 0,
					 .goid = goid,
					 .path = path,
					 .level = level });
}

static uint64_t busy_of(const struct timeline *t, uint32_t level, uint64_t *n)
{
	uint64_t ns = 0;

	*n = 0;
	for (size_t i = 0; i < t->n; i++)
		if (t->spans[i].level == level) {
			ns += t->spans[i].busy_ns;
			*n += t->spans[i].n;
		}
	return ns;
}

static uint64_t strips_of(const struct timeline *t)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < t->strips.n; i++)
		for (size_t k = 0; k < TIMELINE_BINS; k++)
			ns += t->strips.all[i].bins[k];
	return ns;
}

TEST(keeps_what_fits)
{
	struct timeline t = { .from_ns = 1000, .most = 100, .most_lanes = 50 };

	put_call(&t, 1, 1, 3, 1100, 1200); /* calls end from the inside */
	put_call(&t, 1, 1, 4, 1300, 1350);
	put_call(&t, 1, 0, 2, 1050, 1400);
	put_call(&t, 2, 0, 2, 1000, 5000);
	timeline_goroutine(&t, &(struct goroutine_info){ .goid = 2, .start_pc = 77 });
	assert_int_equal(timeline_finish(&t), 0);
	assert_int_equal(t.n, 4);
	assert_int_equal(t.apart_ns, 0);
	assert_int_equal(t.spans[0].level, 0);
	assert_int_equal(t.spans[1].what, 3);
	assert_int_equal(t.spans[2].what, 4);
	assert_int_equal(t.spans[2].start_ns, 1300);
	assert_int_equal(t.spans[3].lane, 1);
	assert_int_equal(t.lanes[1].start_pc, 77);
	assert_int_equal(t.lanes[0].busy_ns, 350 + 100 + 50);
	assert_int_equal(strips_of(&t), 350 + 4000);
	assert_int_equal(t.to_ns, 5000);
	timeline_free(&t);
}

/* Ten thousand calls in a hundred spans: all are counted, and their time. */
TEST(joins_what_does_not)
{
	struct timeline t = { .from_ns = 0, .most = 100, .most_lanes = 50 };
	uint64_t n;

	for (uint64_t i = 0; i < 10000; i++)
		put_call(&t, 1, 1, i % 4 ? 7 : 8, i * 1000, i * 1000 + 500);
	put_call(&t, 1, 0, 2, 0, 10000000);
	assert_int_equal(timeline_finish(&t), 0);
	assert_true(t.n <= 100 && t.n > 25);
	assert_int_equal(busy_of(&t, 1, &n), 10000 * 500);
	assert_int_equal(n, 10000);
	assert_int_equal(busy_of(&t, 0, &n), 10000000);
	for (size_t i = 0; i < t.n; i++) {
		if (t.spans[i].level != 1)
			continue;
		assert_int_equal(t.spans[i].what, 7); /* three in four */
		assert_true(t.spans[i].end_ns - t.spans[i].start_ns <= t.apart_ns);
		assert_true(!i || t.spans[i - 1].level != 1 ||
			    t.spans[i].start_ns >= t.spans[i - 1].end_ns);
	}
	timeline_free(&t);
}

/* A long call stays one by itself among short ones. */
TEST(long_calls_stay)
{
	struct timeline t = { .from_ns = 0, .most = 64, .most_lanes = 50 };
	size_t alone = 0;

	for (uint64_t i = 0; i < 5000; i++) {
		uint64_t at = i * 2000 + (i > 2500 ? 5000000 : 0);

		put_call(&t, 1, 0, 3, at, at + 100);
		if (i == 2500)
			put_call(&t, 1, 0, 9, at + 2000, at + 4000000);
	}
	assert_int_equal(timeline_finish(&t), 0);
	for (size_t i = 0; i < t.n; i++)
		if (t.spans[i].what == 9) {
			assert_int_equal(t.spans[i].n, 1);
			assert_int_equal(t.spans[i].end_ns - t.spans[i].start_ns, 3998000);
			alone++;
		}
	assert_int_equal(alone, 1);
	timeline_free(&t);
}

/* More goroutines than spans: those that did most stay, the others are counted. */
TEST(light_goroutines_go)
{
	struct timeline t = { .from_ns = 0, .most = 50, .most_lanes = 40 };
	uint64_t sum = 0;

	for (uint64_t g = 1; g <= 1000; g++) {
		put_call(&t, g, 0, 5, g * 10, g * 10 + g * 1000);
		sum += g * 1000;
	}
	assert_int_equal(timeline_finish(&t), 0);
	assert_true(t.n <= 40 && t.n >= 20 && t.n_lanes == t.n);
	assert_true(t.left_out);
	assert_int_equal(strips_of(&t), sum);
	for (size_t i = 0; i < t.n; i++) /* it is known only of what has ended */
		assert_true(t.lanes[t.spans[i].lane].id > 900);
	timeline_free(&t);
}

/* A goroutine whose outermost call ends last of all is not taken for one that did nothing. */
TEST(long_runners_stay)
{
	struct timeline t = { .from_ns = 0, .most = 50, .most_lanes = 40 };
	bool stays = false;

	for (uint64_t i = 0; i < 2000; i++) {
		put_call(&t, 1, 1, 7, i * 1000, i * 1000 + 900);
		put_call(&t, 2 + i, 0, 5, i * 1000, i * 1000 + 500);
	}
	put_call(&t, 1, 0, 6, 0, 2000000);
	assert_int_equal(timeline_finish(&t), 0);
	uint64_t n, ns = busy_of(&t, 1, &n);

	for (size_t i = 0; i < t.n_lanes; i++)
		stays |= t.lanes[i].id == 1;
	assert_true(stays && n == 2000 && ns == 2000 * 900);
	timeline_free(&t);
}

/* Forty goroutines that wait for long and serve requests, a thousand parked ones and a hundred
 * thousand short ones: some of each have lanes. */
TEST(each_go_statement_has_lanes)
{
	struct timeline t = { .from_ns = 0, .most = 8000, .most_lanes = 200 };
	unsigned of[3] = { 0 };

	for (uint64_t i = 0; i < 100000; i++) {
		const struct call_states waits = { .self = { .wait_ns = 4000 } };

		put_call(&t, 5000 + i, 0, 7, i * 100, i * 100 + 5000);
		if (i % 1000 == 0 && i < 50000)
			for (uint64_t g = 1; g <= 40; g++)
				timeline_call(&t, &(struct call){ .start_ns = i * 100,
								  .end_ns = i * 100 + 5000,
								  .self_ns = 5000,
								  .goid = g,
								  .path = 8,
								  .states = &waits });
	}
	for (uint64_t g = 1000; g < 2000; g++) {
		const struct call_states parked = { .self = { .wait_ns = 10000000 } };

		timeline_call(&t, &(struct call){ .end_ns = 10000000,
						  .self_ns = 10000000,
						  .goid = g,
						  .path = 9,
						  .states = &parked });
	}
	assert_int_equal(timeline_finish(&t), 0);
	for (size_t i = 0; i < t.n_lanes; i++)
		of[t.lanes[i].id < 1000 ? 0 : t.lanes[i].id < 5000 ? 1 : 2]++;
	assert_true(of[0] >= 24 && of[1] >= 24 && of[2] >= 24);
	assert_true(of[0] >= 32);
	assert_int_equal(t.apart_ns, 0); /* there was room for all of these */
	timeline_free(&t);
}

static void pin_the_last(void *ctx, struct timeline *t)
{
	timeline_pin(t, *(const uint64_t *)ctx, 0, false);
	timeline_pin(t, 1 << 30, 0, false); /* has no lane */
}

/* One that did less than all others is kept if it is pinned. */
TEST(pinned_lanes_stay)
{
	uint64_t pinned = 5;
	struct timeline t = {
		.most = 50, .most_lanes = 40, .pin = pin_the_last, .pin_ctx = &pinned
	};
	bool stays = false;

	for (uint64_t g = 1; g <= 1000; g++)
		put_call(&t, g, 0, 5, g * 10, g * 10 + (g == pinned ? 1 : 1000));
	assert_int_equal(timeline_finish(&t), 0);
	for (size_t i = 0; i < t.n_lanes; i++)
		stays |= t.lanes[i].id == pinned;
	assert_true(stays && t.n_lanes <= 40);
	timeline_free(&t);
}

TEST(states_are_spans)
{
	struct timeline t = { .from_ns = 100, .most = 100, .most_lanes = 50 };

	timeline_state(&t, &(struct state_span){ .goid = 4,
						 .from_ns = 50,
						 .to_ns = 200,
						 .state = STATE_WAITING,
						 .reason = 3,
						 .by_func = WAKE_NONE });
	timeline_state(&t, &(struct state_span){ .goid = 4,
						 .from_ns = 200,
						 .to_ns = 205,
						 .state = STATE_RUNNABLE,
						 .by = 9,
						 .by_func = 0 });
	timeline_state(&t, &(struct state_span){ .goid = 4,
						 .from_ns = 205,
						 .to_ns = 900,
						 .state = STATE_RUNNING,
						 .by_func = WAKE_NONE });
	put_call(&t, 4, 0, 2, 210, 800);
	assert_int_equal(timeline_finish(&t), 0);
	assert_int_equal(t.n, 4);
	assert_int_equal(t.n_lanes, 1);
	assert_int_equal(t.spans[1].woken, 1);
	assert_int_equal(t.spans[1].by, 9);
	assert_true(!t.spans[0].woken && !t.spans[2].woken && !t.spans[3].woken);
	assert_int_equal(t.spans[0].level, TIMELINE_STATES);
	assert_int_equal(t.spans[0].start_ns, 100);
	assert_int_equal(t.spans[0].what, STATE_DEPTH(STATE_WAITING, 3));
	assert_int_equal(t.spans[3].level, 0);
	timeline_free(&t);
}

TEST(system_stacks_are_lanes)
{
	struct timeline t = { .from_ns = 0, .most = 100, .most_lanes = 50 };

	put_call(&t, 9, 0, 2, 10, 20);
	timeline_call(&t, &(struct call){ .start_ns = 12,
					  .end_ns = 14,
					  .goid = 9,
					  .tid = 9,
					  .path = 3,
					  .system = true });
	put_call(&t, 9, 4000, 2, 10, 20);
	assert_int_equal(timeline_finish(&t), 0);
	assert_int_equal(t.n_lanes, 2);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.too_deep, 1);
	timeline_free(&t);
}

/* Times of a hostile trace: nothing overflows, nothing takes forever. */
TEST(nonsense_is_bounded)
{
	struct timeline t = { .from_ns = 5, .most = 16, .most_lanes = 50 };

	put_call(&t, 1, 0, 2, UINT64_MAX - 5, UINT64_MAX);
	put_call(&t, 1, 0, 2, 0, UINT64_MAX);
	put_call(&t, 1, 0, 2, 900, 3);
	for (uint64_t i = 0; i < 100; i++)
		put_call(&t, i, (uint32_t)i, 2, i << 56, i << 57);
	assert_int_equal(timeline_finish(&t), 0);
	assert_true(t.n <= 16);
	timeline_free(&t);
}

TESTS(keeps_what_fits, joins_what_does_not, long_calls_stay, light_goroutines_go, states_are_spans,
      system_stacks_are_lanes, nonsense_is_bounded, long_runners_stay, each_go_statement_has_lanes,
      pinned_lanes_stay)
