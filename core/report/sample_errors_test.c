// SPDX-License-Identifier: BSD-2-Clause
/* How sure times of snapshots are (sample --wall). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/samples/wall_fixture.h"
#include "report/report_fixture.h"
#include "trace/keys.h"
#include "trace/samples.h"

static char path[] = "/tmp/errors-XXXXXX";

FIXTURE(set_up)
{
	const struct sample_process p = { .pid = 7, .comm = "prog" };
	struct trace_info info = { 0 };
	uint32_t number;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	assert_int_equal(trace_info_set(&info, KEY_SAMPLE_WALL, "1"), 0);
	assert_int_equal(trace_info_set(&info, KEY_SAMPLE_FREQUENCY, "99"), 0);
	assert_int_equal(trace_info_set(&info, KEY_STATES, "1"), 0);
	struct trace_writer *w = trace_writer_new(fd, &info);

	trace_info_free(&info);
	assert_non_null(w);
	assert_int_equal(trace_writer_process(w, &p, &number), 0);
	/* Looks are 100 ms apart. Three in step: function 1 is seen once, then function 2. */
	for (uint64_t goid = 1; goid <= 3; goid++)
		wall_trace_put(w, goid, 1, 1100, 100, 100);
	for (uint64_t goid = 1; goid <= 3; goid++)
		wall_trace_put(w, goid, 2, 1900, 800, 100);
	wall_trace_put(w, 4, 3, 2000, 100, 100);
	return trace_writer_finish(w, NULL, 0);
}

FIXTURE(tear_down)
{
	return unlink(path);
}

TEST(single_goroutines_by_their_squares)
{
	char *got = fixture_report(path, "csv", &(struct report_options){ .by = BY_GOROUTINE });

	/* 100 ms and 100 ms square to 141 ms */
	assert_non_null(strstr(got, "goroutine 1,2,32.1429,141421357,0,0,900000000,0,0\n"));
	assert_non_null(strstr(got, "goroutine 4,1,3.5714,100000000,0,0,100000000,0,0\n"));
	free(got);
}

/* One look has seen all three: what it does not know it does not know of all three. */
TEST(those_in_step_at_once)
{
	char *got = fixture_report(path, "csv", &(struct report_options){ .by = BY_FUNCTION });

	assert_non_null(strstr(got, ",self_pct,error_ns,self_error_ns,run_ns,"));
	/* Their begin is in a gap of 100 ms, and their end: half of twice the square of 300 ms. */
	assert_non_null(strstr(got, ",3,10.7143,3,10.7143,300000000,300000000,"));
	assert_non_null(strstr(got, ",3,85.7143,3,85.7143,300000000,300000000,"));
	free(got);
	got = fixture_report(path, "csv", &(struct report_options){ .by = BY_PATH });
	assert_non_null(strstr(got, ",3,10.7143,3,10.7143,300000000,300000000,"));
	free(got);
}

TEST(one_look_is_called_so)
{
	char *got = fixture_report(path, "text", &(struct report_options){ .by = BY_GOROUTINE });

	assert_non_null(strstr(got, " 900ms  141ms  32.1%"));
	assert_non_null(strstr(got, "goroutine 4  (single sighting)\n"));
	assert_null(strstr(got, "goroutine 1  (single sighting)"));
	free(got);
	got = fixture_report(path, "text", &(struct report_options){ .by = BY_FUNCTION });
	assert_non_null(strstr(got, "  reason 0 100%  [unknown+0x1000]  (single sighting)\n"));
	assert_null(strstr(got, "[unknown+0x2000]  (single sighting)"));
	free(got);
}

TESTS_BETWEEN(set_up, tear_down, single_goroutines_by_their_squares, those_in_step_at_once,
	      one_look_is_called_so)
