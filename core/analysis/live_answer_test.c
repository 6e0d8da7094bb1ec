// SPDX-License-Identifier: BSD-2-Clause
/* top finds its answer anew when that is cheap enough, and prints the age of an older one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/calls/correction.h"
#include "analysis/trace_fixture.h"
#include "analysis/live_answer.h"

#define SECOND 1000000000ull

static void load(struct loaded_trace *t, struct trace_reader **r, const char *path)
{
	struct trace_watch watch = { .wakes = true, .holds = true, .parked = true };

	*r = trace_reader_open(path);
	assert_non_null(*r);
	assert_int_equal(trace_load(t, *r, NULL, &watch), 0);
	assert_int_equal(correction_apply(t), 0);
}

static char *printed(const struct live_answer *a, uint64_t up_to_ns, unsigned width, size_t *lines)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	*lines = live_answer_print(a, up_to_ns, false, width, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

TEST(test_prints)
{
	struct live_answer a = { 0 };
	struct trace_reader *r;
	struct loaded_trace t;
	size_t lines;
	char *want = fixture_text("fixtures/answers/lock.txt");

	load(&t, &r, "fixtures/answers/lock.gotrace");
	char *got = printed(&a, 1, 0, &lines);

	assert_string_equal(got, "");
	assert_int_equal(lines, 0);
	free(got);
	assert_int_equal(live_answer_find(&a, &t, 5 * SECOND, 0, UINT64_MAX), 0);
	got = printed(&a, 5 * SECOND, 0, &lines);
	assert_string_equal(got, want);
	assert_int_equal(lines, 5);
	free(got);
	/* a narrow terminal breaks them */
	got = printed(&a, 5 * SECOND, 60, &lines);
	for (char *s = got, *end; (end = strchr(s, '\n')); s = end + 1, lines--)
		assert_true(end - s <= 60);
	assert_int_equal(lines, 0);
	assert_non_null(strstr(got, "\n            ")); /* below what the row says */
	free(got);
	free(want);
	trace_unload(&t);
	trace_reader_close(r);
	live_answer_free(&a);
}

/* An answer stays until the next is due, and top prints its age. */
TEST(test_waits)
{
	struct live_answer a = { 0 };
	struct trace_reader *r[2];
	struct loaded_trace t[2];
	size_t lines;

	load(&t[0], &r[0], "fixtures/answers/lock.gotrace");
	load(&t[1], &r[1], "fixtures/answers/sleep.gotrace");
	/* an interval of which any look takes more than half */
	assert_int_equal(live_answer_find(&a, &t[0], 5 * SECOND, 0, 1), 0);
	assert_true(a.due_ns > 0);
	a.due_ns = UINT64_MAX;
	assert_int_equal(live_answer_find(&a, &t[1], 8 * SECOND, 0, 1), 0);
	char *got = printed(&a, 8 * SECOND, 0, &lines);

	assert_non_null(strstr(got, "main.serveLock waits "));
	assert_non_null(strstr(got, "\n  the answer is 3.00s older than this table\n"));
	assert_int_equal(lines, 6);
	free(got);
	a.due_ns = 0;
	assert_int_equal(live_answer_find(&a, &t[1], 8 * SECOND, 0, 1), 0);
	got = printed(&a, 8 * SECOND, 0, &lines);
	assert_non_null(strstr(got, "main.serveRetry sleeps "));
	assert_null(strstr(got, "as of"));
	free(got);
	for (int i = 0; i < 2; i++) {
		trace_unload(&t[i]);
		trace_reader_close(r[i]);
	}
	live_answer_free(&a);
}

TEST(test_due)
{
	/* a look of half of the interval and less: each time */
	assert_int_equal(live_answer_due(100 * SECOND, SECOND, SECOND / 2, 2 * SECOND),
			 100 * SECOND);
	/* a longer one: one is left out, whatever took so long */
	assert_int_equal(live_answer_due(100 * SECOND, SECOND + 1, 1, 2 * SECOND), 103 * SECOND);
	/* and the answer takes a fourth of the time at the most */
	assert_int_equal(live_answer_due(100 * SECOND, 9 * SECOND, 5 * SECOND, 2 * SECOND),
			 120 * SECOND);
}

/* Where probes took most of the time, top says so, as the report does. */
TEST(test_doubt)
{
	char path[TRACE_PATH_BYTES], *events = NULL;
	struct live_answer a = { 0 };
	struct trace_reader *r;
	struct loaded_trace t;
	size_t lines, size;
	unsigned ns = 1000;
	FILE *f = open_memstream(&events, &size);

	assert_non_null(f);
	fputs("@set states 1\n@set pid 7\n@set cost.emulated_ns 1000\n@set cost.before_ns 500\n",
	      f);
	for (unsigned i = 0; i < 100; i++, ns += 1900)
		fprintf(f,
			"1 entry main.dense 100 %u how=emulated\n"
			"1 exit main.dense 100 %u how=emulated\n",
			ns, ns + 1900);
	assert_int_equal(fclose(f), 0);
	fixture_write_text(events, true, path);
	load(&t, &r, path);
	assert_int_equal(live_answer_find(&a, &t, SECOND, 0, SECOND), 0);
	char *got = printed(&a, SECOND, 0, &lines);

	assert_true(strstr(got, "it is not known which function took the most time") == got);
	assert_non_null(
		strstr(got, "gotrace sample --pid 7, or select fewer functions (-p, -x)\n"));
	assert_int_equal(lines, 1);
	free(got);
	free(events);
	trace_unload(&t);
	trace_reader_close(r);
	live_answer_free(&a);
	unlink(path);
}

/* Without states there is none. */
TEST(test_none)
{
	struct live_answer a = { 0 };
	struct trace_reader *r;
	struct loaded_trace t;
	size_t lines;

	load(&t, &r, "fixtures/traces/panics.emulated.gotrace");
	assert_int_equal(live_answer_find(&a, &t, SECOND, 0, SECOND), 0);
	char *got = printed(&a, 2 * SECOND, 0, &lines);

	assert_string_equal(got, "");
	free(got);
	trace_unload(&t);
	trace_reader_close(r);
	live_answer_free(&a);
}

TESTS(test_prints, test_waits, test_due, test_doubt, test_none)
