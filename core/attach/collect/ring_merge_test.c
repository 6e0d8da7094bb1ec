// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "base/test_fixture.h"
#include "attach/collect/ring_merge.h"

struct out {
	uint64_t ts[64];
	uint32_t site[64];
	size_t n, stop_after;
};

static int take(void *ctx, const struct event_ext *ev)
{
	struct out *o = ctx;

	o->ts[o->n] = ev->h.ts_ns;
	o->site[o->n++] = ev->h.site;
	return o->stop_after && o->n == o->stop_after ? -7 : 0;
}

static void add(struct merge *m, unsigned queue, uint64_t ts, uint32_t site)
{
	struct event_ext ev = { .h = { .ts_ns = ts, .site = site } };

	assert_int_equal(merge_add(m, queue, &ev), 0);
}

TEST(in_time_order_up_to_the_watermark)
{
	struct merge m;
	struct out o = { 0 };

	assert_int_equal(merge_init(&m, 3), 0);
	add(&m, 0, 10, 0), add(&m, 0, 40, 0);
	add(&m, 1, 20, 1), add(&m, 1, 30, 1), add(&m, 1, 50, 1);
	assert_int_equal(merge_until(&m, 40, take, &o), 0);
	assert_int_equal(o.n, 3);
	assert_int_equal(o.ts[0], 10);
	assert_int_equal(o.ts[1], 20);
	assert_int_equal(o.ts[2], 30);
	add(&m, 2, 45, 2); /* a loss, found later */
	assert_int_equal(merge_until(&m, UINT64_MAX, take, &o), 0);
	assert_int_equal(o.n, 6);
	assert_int_equal(o.ts[3], 40);
	assert_int_equal(o.ts[4], 45);
	assert_int_equal(o.ts[5], 50);
	merge_free(&m);
}

/* A program preempted between reservation and clock. */
TEST(a_late_clock_within_one_ring)
{
	struct merge m;
	struct out o = { 0 };

	assert_int_equal(merge_init(&m, 1), 0);
	add(&m, 0, 10, 0), add(&m, 0, 90, 1), add(&m, 0, 20, 2), add(&m, 0, 20, 3);
	assert_int_equal(merge_until(&m, UINT64_MAX, take, &o), 0);
	assert_int_equal(o.ts[1], 20);
	assert_int_equal(o.site[1], 2); /* equal times keep the order of arrival */
	assert_int_equal(o.site[2], 3);
	assert_int_equal(o.ts[3], 90);
	merge_free(&m);
}

TEST(an_error_stops_and_loses_nothing)
{
	struct merge m;
	struct out o = { .stop_after = 2 };

	assert_int_equal(merge_init(&m, 2), 0);
	for (int i = 0; i < 5; i++)
		add(&m, i % 2, i, i);
	assert_int_equal(merge_until(&m, UINT64_MAX, take, &o), -7);
	o.stop_after = 0;
	assert_int_equal(merge_until(&m, UINT64_MAX, take, &o), 0);
	assert_int_equal(o.n, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(o.ts[i], i);
	merge_free(&m);
}

/* Random queues against a plain sort. */
TEST(random_queues)
{
	srand(4711);
	for (int round = 0; round < 200; round++) {
		struct merge m;
		struct out o = { 0 };
		uint64_t clock = 0;

		assert_int_equal(merge_init(&m, 4), 0);
		for (int i = 0; i < 60; i++) {
			clock += rand() % 5;
			add(&m, rand() % 4, clock > 8 ? clock - rand() % 8 : clock, i);
			if (i % 20 == 19)
				assert_int_equal(
					merge_until(&m, clock > 8 ? clock - 8 : 0, take, &o), 0);
		}
		assert_int_equal(merge_until(&m, UINT64_MAX, take, &o), 0);
		assert_int_equal(o.n, 60);
		for (size_t i = 1; i < o.n; i++)
			assert_true(o.ts[i - 1] <= o.ts[i]);
		merge_free(&m);
	}
}

TESTS(in_time_order_up_to_the_watermark, a_late_clock_within_one_ring,
      an_error_stops_and_loses_nothing, random_queues)
