// SPDX-License-Identifier: BSD-2-Clause
/* Reports of samples. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/log.h"
#include "report/report_fixture.h"
#include "trace/samples_fixture.h"

static char path[] = "/tmp/samples-XXXXXX";

FIXTURE(set_up)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	return samples_fixture_file(path, true);
}

FIXTURE(tear_down)
{
	return unlink(path);
}

static void expect(const char *format, struct report_options opt, const char *want)
{
	char *got = fixture_report(path, format, &opt);

	assert_string_equal(got, want);
	free(got);
}

TEST(rows_by_function)
{
	expect("csv", (struct report_options){ .limit = 3 },
	       "function,samples,share_pct,self_samples,self_pct\n"
	       "main.leaf,7,70.0000,7,70.0000\n"
	       "[nowhere+0x999000],1,10.0000,1,10.0000\n"
	       "do_syscall_64,1,10.0000,1,10.0000\n");
	/* recursion: main.one is on one stack twice, and counts once */
	expect("csv", (struct report_options){ .sort = SORT_TOTAL, .limit = 3 },
	       "function,samples,share_pct,self_samples,self_pct\n"
	       "runtime.goexit,9,90.0000,0,0.0000\n"
	       "main.main,8,80.0000,0,0.0000\n"
	       "main.leaf,7,70.0000,7,70.0000\n");
}

TEST(residency_of_stacks)
{
	expect("csv", (struct report_options){ .by = BY_PATH, .limit = 4 },
	       "path,samples,share_pct,self_samples,self_pct\n"
	       "runtime.goexit;main.main;main.one;main.leaf,4,40.0000,4,40.0000\n"
	       "runtime.goexit;main.main;main.two;main.leaf,3,30.0000,3,30.0000\n"
	       "[cut off];runtime.goexit;[nowhere+0x999000],1,10.0000,1,10.0000\n"
	       "[unreadable];work(int),1,10.0000,1,10.0000\n");
}

TEST(rows_by_what_else_is_known)
{
	expect("csv", (struct report_options){ .by = BY_GOROUTINE },
	       "goroutine,samples,share_pct\ngoroutine 1,5,50.0000\ngoroutine 7,4,40.0000\n"
	       "\"thread 103, no goroutine\",1,10.0000\n");
	expect("csv", (struct report_options){ .by = BY_LABEL },
	       "label,samples,share_pct\n(no labels),7,70.0000\nhandler=/index,3,30.0000\n");
	/* where the innermost frame is */
	expect("csv", (struct report_options){ .by = BY_LIBRARY },
	       "library,samples,share_pct\n/bin/prog,8,80.0000\n[kernel],1,10.0000\n"
	       "[unknown],1,10.0000\n");
	expect("csv", (struct report_options){ .by = BY_THREAD, .limit = 1 },
	       "thread,samples,share_pct\nthread 101,5,50.0000\n");
}

TEST(a_part_is_shown)
{
	const char *focus[] = { "main.two" }, *ignore[] = { "main.two" };
	const uint64_t goid[] = { 7 };
	const struct trace_view two = { .focus = focus, .n_focus = 1 },
				not_two = { .ignore = ignore, .n_ignore = 1 },
				seven = { .goids = goid, .n_goids = 1 },
				late = { .from_ns = 8 * (uint64_t)FIXTURE_WEIGHT_NS };

	expect("csv", (struct report_options){ .view = &two, .limit = 1 },
	       "function,samples,share_pct,self_samples,self_pct\nmain.leaf,3,100.0000,3,100.0000\n");
	expect("csv", (struct report_options){ .view = &not_two, .limit = 1 },
	       "function,samples,share_pct,self_samples,self_pct\nmain.leaf,4,57.1429,4,57.1429\n");
	expect("csv", (struct report_options){ .view = &seven, .by = BY_THREAD },
	       "thread,samples,share_pct\nthread 102,4,100.0000\n");
	expect("csv", (struct report_options){ .view = &late, .by = BY_GOROUTINE },
	       "goroutine,samples,share_pct\ngoroutine 1,1,50.0000\ngoroutine 7,1,50.0000\n");
}

TEST(text_says_what_it_is)
{
	static const char *const said[] = {
		"10 samples of cpu-clock at 100 Hz in 1.60s; they stand for 100ms\n",
		"2 samples were lost\n",
		"the stack of 1 sample is cut off as too deep, of 1 it is unreadable from some frame on, of 1 it has an address of no known symbol\n1 sample in no goroutine\n",
		"10% of the samples have callers that are missing, and are below [unreadable]",
		"shares are estimates;",
		"70.0ms  70.0% 70.0ms  70.0%       7       7  main.leaf\n",
	};
	static const char *const not_said[] = { "MEAN", "P50", "probes", "CALLS", "event" };
	char *text = fixture_report(path, "text", &(struct report_options){ 0 });

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (!strstr(text, said[i]))
			fail_msg("'%s' is not in\n%s", said[i], text);
	for (size_t i = 0; i < sizeof(not_said) / sizeof(not_said[0]); i++)
		if (strstr(text, not_said[i]))
			fail_msg("'%s' is in\n%s", not_said[i], text);
	free(text);
}

/* What is no time is not shown as one. */
TEST(text_counts_events)
{
	const struct report_options by[] = { { 0 }, { .by = BY_PATH }, { .by = BY_THREAD } };
	static const char *const lines[] = {
		" 70.0M  70.0%  70.0M  70.0%       7       7  main.leaf\n",
		" 80.0%  80.0M      0       8  runtime.goexit\n",
		"EVENTS      % SAMPLES  THREAD\n 50.0M  50.0%       5  thread 101\n",
	};

	assert_int_equal(samples_fixture_event(path, "page-faults", NULL), 0);
	for (size_t i = 0; i < 3; i++) {
		char *text = fixture_report(path, "text", &by[i]);

		if (!strstr(text, lines[i]))
			fail_msg("'%s' is not in\n%s", lines[i], text);
		assert_non_null(strstr(text, "10 samples of page-faults in 1.60s; they stand for "
					     "100M page-faults, no time\n"));
		assert_null(strstr(text, "processor time"));
		assert_null(strstr(text, "of the time"));
		free(text);
	}
	assert_int_equal(samples_fixture_file(path, true), 0);
}

static void keep(void *ctx, enum log_level level, const char *line)
{
	(void)level;
	snprintf(ctx, 512, "%s", line);
}

/* What samples do not say is refused with the reason. */
TEST(calls_are_refused)
{
	static const struct report_options wrong[] = { { .by = BY_CALL }, { .sort = SORT_P99 } };
	char said[512] = "";

	log_set_sink(keep, said);
	for (size_t i = 0; i < 2; i++) {
		struct trace_reader *r = trace_reader_open(path);
		FILE *out = fopen("/dev/null", "w");

		assert_int_not_equal(report_formats[0].write(r, &wrong[i], out), 0);
		assert_non_null(
			strstr(said, i ? "no durations of calls"
				       : "has samples, which have no begin and end of calls"));
		fclose(out);
		trace_reader_close(r);
	}
	log_set_sink(NULL, NULL);
}

/* Without symbols there are places in files, which say so. */
TEST(addresses_stay)
{
	char other[] = "/tmp/samples-XXXXXX";
	int fd = mkstemp(other);

	close(fd);
	assert_int_equal(samples_fixture_file(other, false), 0);
	char *got = fixture_report(other, "csv",
				   &(struct report_options){ .limit = 2, .sort = SORT_CALLS });
	assert_string_equal(got, "function,samples,share_pct,self_samples,self_pct\n"
				 "[prog+0x4000],4,40.0000,4,40.0000\n"
				 "[prog+0x3000],3,30.0000,3,30.0000\n");
	free(got);
	unlink(other);
}

TESTS_BETWEEN(set_up, tear_down, rows_by_function, residency_of_stacks, rows_by_what_else_is_known,
	      a_part_is_shown, text_says_what_it_is, text_counts_events, calls_are_refused,
	      addresses_stay)
