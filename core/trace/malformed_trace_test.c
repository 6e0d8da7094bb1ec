// SPDX-License-Identifier: BSD-2-Clause
/* The files of fixtures/malformed-traces: each with its outcome and its message. */
#include "base/test_fixture.h"
#include "trace/sample_trace_fixture.h"

#include <errno.h>
#include <sys/resource.h>

#define FOLDER "fixtures/malformed-traces/"

/* Address space is limited, so that a file that makes the reader allocate what
 * it claims to hold fails. The sanitizers' shadow memory needs terabytes. */
static void limit_memory(void)
{
#if defined(__SANITIZE_ADDRESS__)
	return;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
	return;
#endif
#endif
	struct rlimit limit = { 256u << 20, 256u << 20 };
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

static const char *outcome_of(int err, bool opened, bool complete)
{
	if (err == -ENOTSUP)
		return "newer";
	if (err == -EBADMSG)
		return opened ? "corrupt" : "refused";
	if (err)
		return "an error of another kind";
	return complete ? "complete" : "incomplete";
}

static void check(const char *name, const char *outcome, unsigned long events, const char *message)
{
	struct sample_log log = { 0 };
	struct event_ext ev;
	char path[256];
	unsigned long seen = 0;
	int err = 0;

	snprintf(path, sizeof(path), FOLDER "%s", name);
	log_set_sink(sample_sink, &log);
	struct trace_reader *r = trace_reader_open(path);
	if (!r)
		err = -errno;
	while (r && (err = trace_reader_next(r, &ev)) == 1)
		seen++;
	const char *got = outcome_of(err, r != NULL, r && trace_reader_complete(r));
	trace_reader_close(r);
	log_set_sink(NULL, NULL);
	if (strcmp(got, outcome) || seen != events || log.lines != (*message != '\0') ||
	    !strstr(log.last, message) || (*message && !strstr(log.last, name)))
		fail_msg("%s: %s after %lu events, %d lines: %s", name, got, seen, log.lines,
			 log.last);
}

TEST(test_malformed)
{
	FILE *list = fopen(FOLDER "expected", "re");
	char line[512];
	int n = 0;

	assert_non_null(list); /* to be run from the top of the source tree */
	limit_memory();
	while (fgets(line, sizeof(line), list)) {
		char *save, *name = strtok_r(line, "\t\n", &save);
		if (!name || *name == '#')
			continue;
		char *outcome = strtok_r(NULL, "\t\n", &save),
		     *events = strtok_r(NULL, "\t\n", &save);
		char *message = strtok_r(NULL, "\n", &save);
		assert_non_null(events);
		check(name, outcome, strtoul(events, NULL, 10),
		      message ? message + strspn(message, "\t") : "");
		n++;
	}
	fclose(list);
	assert_true(n > 60);
}

/* The one file that is right, event by event: the format page and the reader agree. */
TEST(test_whole)
{
	static const struct event_ext want[] = {
		{ .h = { .ts_ns = 1000,
			 .goid = 1,
			 .site = 0,
			 .depth = 100,
			 .tid = 7,
			 .kind = EV_ENTRY } },
		{ .h = { .ts_ns = 1100,
			 .goid = 1,
			 .site = 1,
			 .depth = 100,
			 .tid = 7,
			 .kind = EV_EXIT } },
	};
	struct trace_reader *r = trace_reader_open(FOLDER "whole.bin");
	struct event_ext ev;

	assert_non_null(r);
	const struct trace_info *info = trace_reader_info(r);
	assert_string_equal(trace_info_get(info, "go.version"), "go1.26.0");
	assert_int_equal(info->n_funcs, 1);
	assert_string_equal(info->funcs[0].name, "main.f");
	assert_null(info->funcs[0].file);
	assert_int_equal(info->n_sites, 2);
	assert_int_equal(info->sites[1].file_off, 0x100f);
	assert_int_equal(info->sites[1].target, TRACE_NONE);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(trace_reader_next(r, &ev), 1);
		assert_memory_equal(&ev, &want[i], sizeof(ev));
	}
	trace_reader_close(r);
}

TEST(test_not_there)
{
	struct sample_log log = { 0 };

	log_set_sink(sample_sink, &log);
	assert_null(trace_reader_open(FOLDER "not-there.bin"));
	assert_int_equal(errno, ENOENT);
	assert_null(trace_reader_open(FOLDER));
	assert_int_equal(errno, EISDIR);
	log_set_sink(NULL, NULL);
	assert_int_equal(log.lines, 2);
}

TESTS(test_whole, test_not_there, test_malformed)
