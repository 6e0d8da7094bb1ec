// SPDX-License-Identifier: BSD-2-Clause
/* Reports of a summary are those of the events that it was made of; what needs single calls is
 * refused in one line. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/log.h"
#include "report/report_fixture.h"
#include "trace/keys.h"

static void same_reports(const char *events, const char *summary)
{
	for (enum report_by by = BY_FUNCTION; by <= BY_PATH; by++)
		for (int raw = 0; raw < 2; raw++) {
			const struct report_options opt = { .by = by, .raw = raw };
			char *want = fixture_report(events, "csv", &opt),
			     *got = fixture_report(summary, "csv", &opt);

			assert_string_equal(got, want);
			free(want);
			free(got);
		}
}

TEST(test_same)
{
	glob_t g;

	assert_int_equal(glob("fixtures/cases/*.events", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 40);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct evlist l;
		char events[TRACE_PATH_BYTES], summary[TRACE_PATH_BYTES];

		assert_int_equal(evlist_load(&l, g.gl_pathv[i]), 0);
		fixture_write(&l, events);
		fixture_write_summary(&l, summary);
		same_reports(events, summary);
		unlink(events);
		unlink(summary);
		evlist_free(&l);
	}
	globfree(&g);
}

struct said {
	int lines;
	char last[512];
};

static void hear(void *ctx, enum log_level level, const char *line)
{
	struct said *s = ctx;

	(void)level;
	s->lines++;
	snprintf(s->last, sizeof(s->last), "%s", line);
}

static void refused(const char *path, const struct report_options *opt, const char *why)
{
	struct trace_reader *r = trace_reader_open(path);
	struct said said = { 0 };
	FILE *out = fopen("/dev/null", "w");

	assert_true(r && out);
	log_set_sink(hear, &said);
	assert_int_equal(report_formats[0].write(r, opt, out), -ENOTSUP);
	log_set_sink(NULL, NULL);
	assert_int_equal(said.lines, 1);
	assert_non_null(strstr(said.last, why));
	fclose(out);
	trace_reader_close(r);
}

TEST(test_refused)
{
	static const uint64_t one = 1;
	static const struct trace_view goid = { .goids = &one, .n_goids = 1 },
				       from = { .from_ns = 5 };
	struct evlist l;
	char path[TRACE_PATH_BYTES];

	assert_int_equal(evlist_load(&l, "fixtures/cases/go.events"), 0);
	fixture_write_summary(&l, path);
	refused(path, &(struct report_options){ .by = BY_CALL }, "no single calls");
	refused(path, &(struct report_options){ .by = BY_CALL, .limit = 3 }, "no single calls");
	refused(path, &(struct report_options){ .by = BY_GOROUTINE }, "no single calls");
	refused(path, &(struct report_options){ .view = &goid }, "--summary");
	refused(path, &(struct report_options){ .by = BY_PATH, .view = &from }, "--summary");
	char *text = fixture_report(path, "text", &(struct report_options){ .limit = 30 });

	assert_non_null(strstr(text, "counts and sums only"));
	free(text);
	unlink(path);
	evlist_free(&l);
}

TESTS(test_same, test_refused)
