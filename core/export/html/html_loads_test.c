// SPDX-License-Identifier: BSD-2-Clause
/* At each moment so many goroutines ran, waited, were in system calls: every nanosecond once. */

#include "base/test_fixture.h"
#include "export/html/html.h"

enum { IDLE, SWEEPER, ACTIVE, NETWORK, SLEEP, ASSIST };

static struct trace_kv reasons[] = {
	{ "states.reason.0", "GC worker (idle)" },
	{ "states.reason.1", "GC sweep wait" },
	{ "states.reason.2", "GC worker (active)" },
	{ "states.reason.3", "IO wait" },
	{ "states.reason.4", "sleep" },
	{ "states.reason.5", "GC assist marking" },
};
static const struct trace_info info = { .kvs = reasons,
					.n_kvs = sizeof(reasons) / sizeof(reasons[0]) };

static void put(struct html_loads *l, uint64_t goid, uint16_t state, uint16_t reason,
		uint64_t from_ns, uint64_t to_ns)
{
	const struct state_span s = {
		.goid = goid, .from_ns = from_ns, .to_ns = to_ns, .state = state, .reason = reason
	};

	assert_int_equal(html_loads_add(l, &info, 1000, &s), 0);
}

static uint64_t sum_of(const struct html_loads *l, uint32_t key)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < l->strips.n; i++)
		for (size_t k = 0; l->strips.all[i].key == key && k < TIMELINE_BINS; k++)
			ns += l->strips.all[i].bins[k];
	return ns;
}

TEST(adds_up_what_is_shown)
{
	struct html_loads l = { 0 };

	put(&l, 1, STATE_RUNNING, 0, 900, 1500); /* 100 of it before the recording */
	put(&l, 2, STATE_RUNNING, 0, 1000, 1200);
	put(&l, 1, STATE_RUNNABLE, 0, 1500, 1507);
	put(&l, 1, STATE_SYSCALL, 0, 1507, 1600);
	put(&l, 1, STATE_WAITING, NETWORK, 1600, 1700);
	put(&l, 1, STATE_WAITING, SLEEP, 1700, 5000);
	put(&l, 1, STATE_WAITING, ASSIST, 5000, 5001);
	put(&l, 1, STATE_OFF_CPU, 0, 5001, 5011);
	put(&l, 1, STATE_UNKNOWN, 0, 5011, 6000);
	put(&l, 1, STATE_RUNNING, 0, 10, 20); /* long ago */
	assert_int_equal(sum_of(&l, STATE_RUNNING), 500 + 200);
	assert_int_equal(sum_of(&l, STATE_RUNNABLE), 7);
	assert_int_equal(sum_of(&l, STATE_SYSCALL), 93);
	assert_int_equal(sum_of(&l, STATE_DEPTH(STATE_WAITING, NETWORK)), 100);
	assert_int_equal(sum_of(&l, STATE_DEPTH(STATE_WAITING, ASSIST)), 1);
	assert_int_equal(sum_of(&l, STATE_OFF_CPU), 10);
	assert_int_equal(l.strips.n, 6);
	html_loads_free(&l);
}

/* A worker of the collector is known by how it waits; the same number in another image is not. */
TEST(knows_the_collector)
{
	struct html_loads l = { 0 };

	put(&l, 7, STATE_WAITING, IDLE, 1000, 2000);
	put(&l, 7, STATE_RUNNING, 0, 2000, 2050);
	put(&l, 7, STATE_WAITING, ACTIVE, 2050, 2070);
	put(&l, 7, STATE_WAITING, IDLE, 2070, 3000);
	put(&l, 7, STATE_RUNNING, 0, 3000, 3005);
	put(&l, 8, STATE_WAITING, SWEEPER, 1000, 3000);
	put(&l, 8, STATE_RUNNING, 0, 3000, 3001);
	assert_int_equal(html_loads_add(&l, &info, 1000,
					&(struct state_span){ .goid = 7,
							      .image = 1,
							      .from_ns = 1000,
							      .to_ns = 1300,
							      .state = STATE_RUNNING }),
			 0);
	assert_int_equal(l.n_workers, 1);
	assert_int_equal(sum_of(&l, HTML_LOAD_COLLECTOR), 55);
	assert_int_equal(sum_of(&l, STATE_DEPTH(STATE_WAITING, ACTIVE)), 20);
	assert_int_equal(sum_of(&l, STATE_RUNNING), 1 + 300);
	assert_int_equal(l.strips.n, 3);
	html_loads_free(&l);
}

/* However long it takes and however many keys there are. */
TEST(is_bounded)
{
	struct timeline_strips s = { 0 };
	uint64_t ns = 0;

	for (uint64_t i = 0; i < 64; i++) {
		assert_int_equal(timeline_strips_add(&s, 1, 0, (uint64_t)1 << i), 0);
		ns += (uint64_t)1 << i;
	}
	for (size_t k = 0; k < TIMELINE_BINS; k++)
		ns -= s.all[0].bins[k];
	assert_int_equal(ns, 0);
	for (uint32_t key = 2; key < 1000; key++)
		assert_int_equal(timeline_strips_add(&s, key, 5, 6), 0);
	assert_int_equal(s.n + s.left_out, 999);
	assert_true(s.left_out > 0);
	timeline_strips_free(&s);
}

TESTS(adds_up_what_is_shown, knows_the_collector, is_bounded)
