// SPDX-License-Identifier: BSD-2-Clause
/* Reports on terminals of all widths: no line is wider, but for a word that is. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/text_wrap.h"
#include "report/report_fixture.h"

static const unsigned widths[] = { 60, 80, 100, 120, 160, 200 };
#define N_WIDTHS (sizeof(widths) / sizeof(widths[0]))

static void all_widths(const char *path, struct report_options opt)
{
	static const struct trace_view leave_out = { .leave_out_parked = true, .said = true };

	opt.limit = 30;
	if (opt.by == BY_FUNCTION)
		opt.view = &leave_out;
	for (size_t i = 0; i < N_WIDTHS; i++) {
		/* Functions alone have a table for less. */
		if (widths[i] < 80 && opt.by != BY_FUNCTION)
			continue;
		opt.width = widths[i];
		char *text = fixture_report(path, "text", &opt);

		fixture_fits(path, text, widths[i]);
		free(text);
	}
}

static size_t each(const char *pattern, struct report_options opt)
{
	glob_t files;

	assert_int_equal(glob(pattern, 0, NULL, &files), 0);
	const size_t n = files.gl_pathc;

	for (size_t i = 0; i < n; i++)
		all_widths(files.gl_pathv[i], opt);
	globfree(&files);
	return n;
}

TEST(test_recordings)
{
	for (enum report_by by = BY_FUNCTION; by <= BY_REASON; by++)
		assert_true(each("fixtures/answers/*.gotrace",
				 (struct report_options){ .by = by }) > 12);
	assert_true(each("fixtures/answers/*.gotrace",
			 (struct report_options){ .by = BY_GOROUTINE, .fold = true }) > 12);
	for (enum report_by by = BY_FUNCTION; by <= BY_CALL; by++)
		assert_true(each("fixtures/traces/*.inline.gotrace",
				 (struct report_options){ .by = by }) > 12);
}

TEST(test_samples)
{
	for (enum report_by by = BY_FUNCTION; by <= BY_LABEL; by++)
		if (by != BY_CALL && by != BY_REASON)
			assert_true(each("fixtures/samples/*.gotrace",
					 (struct report_options){ .by = by }) >= 7);
}

/* More of a terminal has more columns; none is taken away for another. */
TEST(test_columns)
{
	size_t before = 0;

	for (size_t i = 0; i <= N_WIDTHS; i++) {
		char *text = fixture_report(
			"fixtures/answers/lock.gotrace", "text",
			&(struct report_options){ .width = i < N_WIDTHS ? widths[i] : 80,
						  .wide = i == N_WIDTHS });
		char *heading = strstr(text, "  SELF");
		size_t n = 0;

		assert_non_null(heading);
		for (char *s = strtok(heading + 2, "\n"); *s; s++)
			n += *s == ' ' && s[1] != ' ';
		assert_true(n >= before);
		before = n;
		free(text);
	}
	assert_true(before > 16);
}

/* A reason is cut where the names need the room, and no more. */
TEST(test_room)
{
	static const struct {
		const char *name;
		bool whole;
	} cases[] = { { "main.serve", true },
		      { "main.(*connection).readFromTheOtherSide", false } };
	char path[TRACE_PATH_BYTES], events[512];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(events, sizeof(events),
			 "@set states 1\n@set states.reason.7 garbage collection scan\n"
			 "1 entry %s 100 1000\n1 state - 0x0703 1100\n1 state - 1 1900\n"
			 "1 exit %s 100 2000\n",
			 cases[i].name, cases[i].name);
		fixture_write_text(events, true, path);
		char *text = fixture_report(path, "text", &(struct report_options){ .width = 80 });

		fixture_fits(path, text, 80);
		assert_true(!strstr(text, "garbage collection scan 80%  ") == !cases[i].whole);
		assert_non_null(strstr(text, cases[i].name));
		free(text);
		unlink(path);
	}
}

/* A system call that samples name counts once. */
TEST(test_named_calls)
{
	char *text = fixture_report("fixtures/samples/walls.gotrace", "text",
				    &(struct report_options){ .width = 160 });

	assert_non_null(strstr(text, "  nanosleep 100%  "));
	assert_null(strstr(text, "system call 1"));
	free(text);
}

TEST(test_chosen_columns)
{
	static const struct {
		const char *format, *columns, *begin;
	} cases[] = {
		{ "text", "calls,p99", "CALLS    P99  FUNCTION\n" },
		{ "csv", "calls,self", "function,calls,self_ns\n" },
		{ "csv", "wait_ns", "function,wait_ns\n" },
		{ "json", "calls", "\"calls\": " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = fixture_report("fixtures/answers/lock.gotrace", cases[i].format,
					    &(struct report_options){ .columns = cases[i].columns,
								      .width = 40 });

		assert_non_null(strstr(text, cases[i].begin));
		assert_null(strstr(text, "max_ns"));
		free(text);
	}
}

/* A line with runs of blanks as one, without its indentation. */
static void squeeze(const char *line, size_t n, char *to, size_t room)
{
	size_t len = 0;

	for (size_t i = 0; i < n && len + 1 < room; i++)
		if (line[i] != ' ' || (len && to[len - 1] != ' '))
			to[len++] = line[i];
	to[len] = '\0';
}

/* Lines of the table, which an empty one ends. */
static size_t n_lines(const char *text)
{
	const char *end = strstr(text, "\n\n");
	size_t n = 0;

	for (const char *s = text; (s = strchr(s, '\n')) && (!end || s <= end); s++)
		n++;
	return n;
}

/* Paths with their chains folded are those of the whole report: a line stands for as many functions
 * as it says, and every other line is one of that report. Returns how many stand in such lines. */
static size_t folded_chains(const char *path)
{
	struct report_options opt = { .by = BY_PATH, .width = 1000 };
	char *folded = fixture_report(path, "text", &opt);
	size_t functions = 0, chains = 0, room;

	opt.width = 0;
	char *whole = fixture_report(path, "text", &opt), *all = malloc(room = strlen(whole) + 1);

	assert_non_null(all);
	squeeze(whole, strlen(whole), all, room);
	for (char *s = folded, *end; (end = strchr(s, '\n')); s = end + 1) {
		char line[2048];
		size_t n;

		squeeze(s, (size_t)(end - s), line, sizeof(line));
		if (sscanf(line, "... %zu functions", &n) == 1) {
			functions += n;
			chains++;
		} else if (strchr(line, '%') && !strstr(all, line)) {
			fail_msg("%s: %s", path, line);
		}
	}
	assert_int_equal(n_lines(whole) - n_lines(folded), functions - chains);
	free(folded);
	free(whole);
	free(all);
	return functions;
}

TEST(test_chains)
{
	assert_true(folded_chains("fixtures/answers/tool.gotrace") >= 2);
	assert_true(folded_chains("fixtures/traces/deferpanic.go1.27.inline.gotrace") >= 2);
}

TESTS(test_recordings, test_samples, test_columns, test_room, test_named_calls, test_chosen_columns,
      test_chains)
