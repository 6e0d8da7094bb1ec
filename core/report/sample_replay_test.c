// SPDX-License-Identifier: BSD-2-Clause
/* Recorded samples (fixtures/samples/record.sh) read again without root and without their programs:
 * what was reported when they were recorded. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "report/report_fixture.h"

static const struct {
	const char *name;
	enum report_by by;
} kinds[] = {
	{ "function", BY_FUNCTION },
	{ "path", BY_PATH },
	{ "goroutine", BY_GOROUTINE },
	{ "label", BY_LABEL },
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void replay(const char *path)
{
	char stored[256];

	for (size_t i = 0; i < N_KINDS; i++) {
		char *got = fixture_report(path, "csv",
					   &(struct report_options){ .by = kinds[i].by });

		snprintf(stored, sizeof(stored), "%.*s.%s.csv",
			 (int)(strlen(path) - strlen(".gotrace")), path, kinds[i].name);
		fixture_same(stored, got);
		free(got);
	}
}

TEST(as_recorded)
{
	glob_t files;

	assert_int_equal(glob("fixtures/samples/*.gotrace", 0, NULL, &files), 0);
	assert_true(files.gl_pathc >= 7);
	for (size_t i = 0; i < files.gl_pathc; i++)
		replay(files.gl_pathv[i]);
	globfree(&files);
}

/* Samples whose path ends so. */
static uint64_t samples_of(const char *csv, const char *end)
{
	uint64_t sum = 0;

	for (const char *line = csv; line && *line; line = strchr(line, '\n') + 1) {
		const char *comma = strchr(line, ',');
		unsigned long long samples, self;
		double pct;

		if (comma && (size_t)(comma - line) > strlen(end) &&
		    !strncmp(comma - strlen(end), end, strlen(end)) &&
		    sscanf(comma, ",%llu,%lf,%llu", &samples, &pct, &self) == 3)
			sum += self;
		if (!strchr(line, '\n'))
			break;
	}
	return sum;
}

/* Two takes twice what one does, both in a leaf without a frame. */
TEST(shares_are_known)
{
	static const char *const names[] = { "fixtures/samples/leafs.gotrace",
					     "fixtures/samples/leafs-stripped.gotrace" };

	for (size_t i = 0; i < 2; i++) {
		char *got = fixture_report(names[i], "csv",
					   &(struct report_options){ .by = BY_PATH });
		double one = (double)samples_of(got, "main.one;main.leaf"),
		       two = (double)samples_of(got, "main.two;main.leaf");

		assert_true(one > 50 && two / one > 1.5 && two / one < 2.7);
		free(got);
	}
}

/* Of the function in the row that begins so, the sum of the last n columns. */
static uint64_t last_columns(const char *csv, const char *start, unsigned n)
{
	uint64_t sum = 0;
	const char *line = csv;

	while (line && strncmp(line, start, strlen(start)))
		line = (line = strchr(line, '\n')) ? line + 1 : NULL;
	if (!line)
		fail_msg("no row begins with %s", start);
	for (const char *at = strchr(line, '\n'); n; n--) {
		while (*--at != ',')
			assert_true(at > line);
		sum += strtoull(at + 1, NULL, 10);
	}
	return sum;
}

/* Chunks with states, replayed: what the program itself said of its waits when it was recorded
 * (NAME.printed), within 10 % of each, and for the reason that it was. */
static void expect_waits(const char *recording, int waits, const char *mutex)
{
	char path[64], name[64], reason[32], row[128], line[128];
	unsigned long long ns;
	int n = 0;

	snprintf(path, sizeof(path), "fixtures/samples/%s.printed", recording);
	FILE *printed = fopen(path, "re");
	assert_non_null(printed);
	snprintf(path, sizeof(path), "fixtures/samples/%s.gotrace", recording);
	char *functions = fixture_report(path, "csv",
					 &(struct report_options){ .by = BY_FUNCTION });
	char *reasons = fixture_report(path, "csv", &(struct report_options){ .by = BY_REASON });
	for (; fgets(line, sizeof(line), printed); n++) {
		assert_int_equal(sscanf(line, "wait %63s %31s %llu", name, reason, &ns), 3);
		for (char *c = reason; *c; c++)
			*c = *c == '_' && mutex ? ' ' : *c;
		snprintf(row, sizeof(row), "%s,", name);
		uint64_t seen = last_columns(functions, row, 5);

		if (seen < ns - ns / 10 || seen > ns + ns / 10)
			fail_msg("%s: %llu of %llu ns", name, (unsigned long long)seen, ns);
		snprintf(row, sizeof(row), "%s,%s,", name,
			 mutex && !strcmp(reason, "mutex") ? mutex : reason);
		if (strcmp(reason, "-")) /* it computes */
			assert_true(last_columns(reasons, row, 1) > seen / 2);
	}
	assert_int_equal(n, waits);
	free(functions);
	free(reasons);
	fclose(printed);
}

TEST(waits_are_known)
{
	expect_waits("walls", 6, "sync.Mutex.Lock");
	expect_waits("threads", 7, NULL);
}

/* Threads are not called goroutines, and whose time it is is said. */
TEST(whose_time)
{
	static const char *const said[] = { " of snapshots of threads in ", " of threads' time\n",
					    "\nthreads were seen for ",
					    " threads each on average looked at 100.0% of them; ",
					    "\nin snapshots threads were running for " };
	char *text = fixture_report("fixtures/samples/threads.gotrace", "text",
				    &(struct report_options){ .limit = 5 });

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (!strstr(text, said[i]))
			fail_msg("'%s' is not in\n%s", said[i], text);
	assert_null(strstr(text, "goroutines were"));
	free(text);
}

/* And by reason, which only a recording with states has. */
TEST(reasons_as_recorded)
{
	char *got = fixture_report("fixtures/samples/walls.gotrace", "csv",
				   &(struct report_options){ .by = BY_REASON });

	fixture_same("fixtures/samples/walls.reason.csv", got);
	free(got);
	got = fixture_report("fixtures/samples/threads.gotrace", "csv",
			     &(struct report_options){ .by = BY_REASON });
	fixture_same("fixtures/samples/threads.reason.csv", got);
	free(got);
}

/* People read who waits itself. Who called them has rows by -s total. */
TEST(no_row_is_zero)
{
	static const char *const traces[] = { "walls", "threads" };
	char path[64];

	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "fixtures/samples/%s.gotrace", traces[i]);
		char *text = fixture_report(path, "text",
					    &(struct report_options){ .by = BY_REASON });

		assert_non_null(strstr(text, "nanosleep"));
		assert_null(strstr(text, "\n     -   0.0%"));
		free(text);
		text = fixture_report(path, "text",
				      &(struct report_options){ .by = BY_REASON,
								.sort = SORT_TOTAL });
		assert_non_null(strstr(text, "\n     -   0.0%"));
		free(text);
	}
}

TESTS(as_recorded, shares_are_known, waits_are_known, whose_time, reasons_as_recorded,
      no_row_is_zero)
