// SPDX-License-Identifier: BSD-2-Clause
/* What `gotrace dump` prints of a trace, read back as a list, gives the same reports. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "report/report_fixture.h"

static char *dump_of(const char *path)
{
	struct trace_reader *r = trace_reader_open(path);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_true(r && out);
	assert_int_equal(evlist_dump(out, r), 0);
	assert_int_equal(fclose(out), 0);
	trace_reader_close(r);
	return text;
}

static void same_reports(const char *path)
{
	static const char *const formats[] = { "csv", "text" };
	char copy[TRACE_PATH_BYTES], *list = dump_of(path);
	bool whole = !strstr(list, "\n# incomplete");

	fixture_write_text(list, whole, copy);
	for (unsigned k = 0; k < 4 * 2; k++) {
		const struct report_options opt = { .by = (enum report_by)(k / 2) };
		char *want = fixture_report(path, formats[k % 2], &opt);
		char *got = fixture_report(copy, formats[k % 2], &opt);

		if (strcmp(want, got))
			fail_msg("%s: another report, by %u as %s", path, k / 2, formats[k % 2]);
		free(want);
		free(got);
	}
	unlink(copy);
	free(list);
}

TEST(test_recorded)
{
	glob_t g;

	assert_int_equal(glob("fixtures/traces/*.gotrace", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 90);
	for (size_t k = 0; k < g.gl_pathc; k++)
		same_reports(g.gl_pathv[k]);
	globfree(&g);
}

/* Two functions of one name, as generic ones of two types are; names that must be quoted. */
TEST(test_names)
{
	static const char events[] = "@set command a \x1b[31m b\n"
				     "@func main.F[...] vaddr=16\n"
				     "@func \"main.f g\" vaddr=32\n"
				     "@func main.F[...] vaddr=48\n"
				     "1 entry main.F[...] 100 1000 func=0\n"
				     "1 entry main.F[...] 200 1100 func=2\n"
				     "1 tail main.F[...] 200 1200 func=2 target=main.F[...] "
				     "target_func=0\n"
				     "1 exit main.F[...] 200 1400 func=0\n"
				     "1 entry \"main.f g\" 200 1500\n";
	char path[TRACE_PATH_BYTES], *list;

	for (unsigned whole = 0; whole < 2; whole++) {
		fixture_write_text(events, whole, path);
		same_reports(path);
		list = dump_of(path);
		assert_non_null(strstr(list, "@set command a  [31m b\n"));
		assert_non_null(strstr(list, "\n1 entry main.F[...] 200 1100 func=2\n"));
		assert_non_null(strstr(list, "\n1 entry \"main.f g\" 200 1500\n"));
		assert_non_null(strstr(list, whole ? "\n# complete\n" : "\n# incomplete\n"));
		free(list);
		unlink(path);
	}
}

TESTS(test_recorded, test_names)
