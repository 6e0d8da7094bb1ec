// SPDX-License-Identifier: BSD-2-Clause
/* How sure times of snapshots are (sample --wall). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bpf/event.h"
#include "report/report_fixture.h"
#include "trace/keys.h"
#include "trace/samples.h"

static char path[] = "/tmp/errors-XXXXXX";

static void put(struct trace_writer *w, uint64_t goid, uint64_t weight_ns, uint64_t error_ns)
{
	const uint64_t pcs[] = { 0x1000 * goid };
	const struct sample_stack stack = { .n = 1, .pcs = pcs };
	struct sample s = { .ts_ns = 1000000000 + goid,
			    .goid = goid,
			    .weight_ns = weight_ns,
			    .error_ns = error_ns,
			    .state = STATE_WAITING };

	assert_int_equal(trace_writer_stack(w, &stack, &s.stack), 0);
	assert_int_equal(trace_writer_sample(w, &s), 0);
}

static int set_up(void **state)
{
	const struct sample_process p = { .pid = 7, .comm = "prog" };
	struct trace_info info = { 0 };
	uint32_t number;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	assert_int_equal(trace_info_set(&info, KEY_SAMPLE_WALL, "1"), 0);
	assert_int_equal(trace_info_set(&info, KEY_SAMPLE_FREQUENCY, "99"), 0);
	assert_int_equal(trace_info_set(&info, KEY_STATES, "1"), 0);
	struct trace_writer *w = trace_writer_new(fd, &info);

	trace_info_free(&info);
	assert_non_null(w);
	assert_int_equal(trace_writer_process(w, &p, &number), 0);
	/* 3 and 4 square to 5 */
	put(w, 1, 1000000000, 30000000);
	put(w, 1, 1000000000, 40000000);
	put(w, 2, 500000000, 500000000);
	return trace_writer_finish(w, NULL, 0);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

static void errors_add_up_by_their_squares(void **state)
{
	char *got = fixture_report(path, "csv", &(struct report_options){ .by = BY_GOROUTINE });

	(void)state;
	assert_string_equal(
		got,
		"goroutine,samples,share_pct,error_ns,run_ns,runnable_ns,wait_ns,syscall_ns,unknown_ns\n"
		"goroutine 1,2,80.0000,50000000,0,0,2000000000,0,0\n"
		"goroutine 2,1,20.0000,500000000,0,0,500000000,0,0\n");
	free(got);
	got = fixture_report(path, "csv", &(struct report_options){ .by = BY_FUNCTION });
	assert_non_null(strstr(got, ",self_pct,error_ns,self_error_ns,run_ns,"));
	assert_non_null(strstr(got, ",2,80.0000,2,80.0000,50000000,50000000,"));
	free(got);
}

static void one_look_is_called_so(void **state)
{
	char *got = fixture_report(path, "text", &(struct report_options){ .by = BY_GOROUTINE });

	(void)state;
	assert_non_null(strstr(got, " 2.00s 50.0ms  80.0%"));
	assert_non_null(strstr(got, "goroutine 2  (single sighting)\n"));
	assert_null(strstr(got, "goroutine 1  (single sighting)"));
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_add_up_by_their_squares),
		cmocka_unit_test(one_look_is_called_so),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
