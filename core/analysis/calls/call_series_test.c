// SPDX-License-Identifier: BSD-2-Clause
/* Series of calls: which are drawn, and how sure their means are. */

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/calls/call_series.h"
#include "analysis/trace_fixture.h"

static void add(struct call_series *s, uint64_t run, uint64_t total)
{
	const uint64_t ns[CALL_PARTS] = { run, run, total };

	assert_int_equal(call_series_add(s, ns), 0);
}

TEST(few_say_nothing)
{
	struct call_series s = { 0 };

	for (int i = 0; i < CALL_SERIES_LEAST - 1; i++)
		add(&s, 100, 100);
	assert_true(isnan(call_series_error(&s, CALL_RUN)));
	add(&s, 100, 100);
	assert_true(call_series_error(&s, CALL_RUN) == 0);
	assert_true(isnan(call_series_low(&s, CALL_RUN)));
	assert_true(isnan(call_series_low_error(&s, CALL_RUN)));
	call_series_free(&s);
}

/* One of four takes twice as long: the mean's error is that of 1,000 draws. */
TEST(error_of_the_mean)
{
	struct call_series s = { 0 };

	srandom(1);
	for (int i = 0; i < 1000; i++)
		add(&s, random() % 4 ? 1000 : 2000, 5000);
	const double error = call_series_error(&s, CALL_RUN);

	assert_true(error > 0.6 * sqrt(0.1875 / 1000) / 1.25);
	assert_true(error < 1.5 * sqrt(0.1875 / 1000) / 1.25);
	assert_true(call_series_error(&s, CALL_TOTAL) == 0);
	assert_true(call_series_low(&s, CALL_RUN) == 1000);
	call_series_free(&s);
}

/* A disturbance of half the recording is one, however many calls it has. */
TEST(stretches_count)
{
	struct call_series s = { 0 };

	for (int i = 0; i < 800; i++)
		add(&s, i < 400 ? 1000 : 1500, 1);
	assert_true(call_series_error(&s, CALL_RUN) > 0.03);
	assert_true(call_series_low_error(&s, CALL_RUN) > 0.05);
	assert_true(call_series_low(&s, CALL_RUN) == 1000);
	call_series_free(&s);
}

TEST(many_are_drawn)
{
	struct call_series s = { 0 };

	for (unsigned i = 0; i < 100000; i++)
		add(&s, 1000 + i % 2, 7);
	assert_int_equal(s.finished, 100000);
	assert_int_equal(s.sum_total_ns, 700000);
	assert_int_equal(s.total.count, 100000);
	assert_in_range(s.n, CALL_SERIES_MOST / 4, CALL_SERIES_MOST);
	unsigned odd = 0;

	for (size_t i = 0; i < s.n; i++) {
		odd += s.calls[i].ns[CALL_RUN] & 1;
		assert_true(!i || s.calls[i].number > s.calls[i - 1].number);
	}
	assert_in_range(odd, s.n / 3, 2 * s.n / 3);
	call_series_free(&s);
}

/* Time without a processor is in no part, waiting is in SELF and TOTAL. */
TEST(parts_of_a_call)
{
	struct calls_of_all all;
	struct loaded_trace t;
	char path[TRACE_PATH_BYTES];

	fixture_write_text("@set states 1\n@set states.off_cpu told\n@set states.reason.7 sleep\n"
			   "1 entry main.f 100 1000\n1 entry main.g 200 1100\n"
			   "1 state - 0x6 1200\n1 state - 0x101 1500\n"
			   "1 state - 0x703 1600\n1 state - 1 1800\n"
			   "1 exit main.g 200 2000\n1 exit main.f 100 2500\n",
			   true, path);
	struct trace_reader *r = trace_reader_open(path);

	calls_of_all_begin(&all);
	assert_int_equal(trace_load(&t, r, NULL, &all.watch), 0);
	const struct call_series *f = calls_of_func(&all, 0), *g = calls_of_func(&all, 1);

	assert_true(f && g && f->n == 1 && g->n == 1);
	assert_int_equal(g->calls[0].ns[CALL_RUN], 400);
	assert_int_equal(g->calls[0].ns[CALL_SELF], 600);
	assert_int_equal(g->calls[0].ns[CALL_TOTAL], 600);
	assert_int_equal(f->calls[0].ns[CALL_RUN], 600);
	assert_int_equal(f->calls[0].ns[CALL_TOTAL], 1200);
	assert_null(calls_of_func(&all, 1000));
	calls_of_all_free(&all);
	trace_unload(&t);
	trace_reader_close(r);
	unlink(path);
}

TESTS(few_say_nothing, error_of_the_mean, stretches_count, many_are_drawn, parts_of_a_call)
