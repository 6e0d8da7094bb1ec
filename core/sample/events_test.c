// SPDX-License-Identifier: BSD-2-Clause
/* Which events a thread and a CPU have. */

#include "base/test_fixture.h"
#include "sample/events.h"

/* Bits of struct thread_has.events that complete a thread's events; 0: no single set does. */
static uint32_t completes(const struct sample_events *e)
{
	for (uint32_t has = 0; has < 1u << (EVENT_SETS + 1); has++)
		if (sample_events_complete(e, has))
			return has;
	return 0;
}

static struct sample_events events_of(const char *name, bool by_cpu)
{
	struct sample_events e;

	sample_events_init(&e, event_type_find(name), 99, 0, by_cpu, -1);
	return e;
}

/* A clock that began with each thread would lose the last part of the thread's time. */
TEST(a_thread_has_no_clock_where_cpus_have)
{
	struct sample_events e = events_of("cpu-clock", true);
	struct threads_config c;

	sample_events_describe(&e, &c);
	assert_int_equal(e.n_sets, EVENT_SETS);
	assert_int_equal(c.n, EVENT_SETS + 1);
	/* the one that counts */
	assert_int_equal(completes(&e), 1u << EVENT_SETS);
	assert_int_equal(c.event[EVENT_SETS].period, 0);
}

TEST(a_thread_has_all_events_that_take_samples_itself)
{
	struct sample_events e = events_of("page-faults", false);

	assert_int_equal(e.n_sets, 1);
	assert_int_equal(completes(&e), 3);
	assert_false(sample_events_complete(&e, 1));
	assert_false(sample_events_complete(&e, 2));
}

/* One in each quarter from 0.7 to 1.3 of the mean, so they differ. */
TEST(periods_are_around_the_interval)
{
	struct sample_events e = events_of("cpu-clock", true);

	for (unsigned i = 0; i < EVENT_SETS; i++) {
		const double part = (double)e.period[i] * 99 / 1e9;

		assert_true(part > 0.7 + 0.15 * i - 0.001);
		assert_true(part < 0.7 + 0.15 * (i + 1) + 0.001);
	}
}

TESTS(a_thread_has_no_clock_where_cpus_have, a_thread_has_all_events_that_take_samples_itself,
      periods_are_around_the_interval)
