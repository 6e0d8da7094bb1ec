// SPDX-License-Identifier: BSD-2-Clause
/* Comparisons of which one side has samples: by shares. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/log.h"
#include "report/diff_formats.h"
#include "report/report_fixture.h"
#include "trace/samples_fixture.h"

/* main.main calls main.one for 60 and main.two for 30 of 100. */
static const char calls[] = "@set select.package.0 main\n"
			    "@func main.main\n@func main.one\n@func main.two\n"
			    "1 entry main.main 100 1000\n"
			    "1 entry main.one 200 2000\n"
			    "1 exit main.one 200 62000\n"
			    "1 entry main.two 200 63000\n"
			    "1 exit main.two 200 93000\n"
			    "1 exit main.main 100 101000\n";

static char samples[] = "/tmp/samples-XXXXXX", said[2048];

static void keep(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s\n", line);
}

/* To be freed; NULL: it was refused. */
static char *compare(const char *a, const char *b, const char *format, struct diff_options opt)
{
	const struct diff_format *f = diff_formats;
	struct trace_reader *const r[2] = { trace_reader_open(a), trace_reader_open(b) };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_true(out && r[0] && r[1]);
	while (strcmp(f->name, format))
		f++;
	opt.file[0] = "a.gotrace";
	opt.file[1] = "b.gotrace";
	*said = '\0';
	log_set_sink(keep, NULL);
	int err = f->write(r, &opt, out);
	log_set_sink(NULL, NULL);
	trace_reader_close(r[0]);
	trace_reader_close(r[1]);
	assert_int_equal(fclose(out), 0);
	if (!err)
		return text;
	free(text);
	return NULL;
}

FIXTURE(set_up)
{
	int fd = mkstemp(samples);

	assert_true(fd >= 0);
	close(fd);
	return samples_fixture_file(samples, true);
}

FIXTURE(tear_down)
{
	return unlink(samples);
}

/* Of ten samples eight have a function on their stack that was traced: the innermost of them has
 * the sample, though main.leaf, which was not traced, is below it. */
TEST(calls_and_samples)
{
	char path[TRACE_PATH_BYTES];

	fixture_write_text(calls, true, path);
	char *got = compare(path, samples, "csv", (struct diff_options){ .sort = DIFF_NAME });
	/* chance: 3.29 deviations of 8 samples; of so few nothing is sure */
	assert_string_equal(
		got,
		"function,change,self_pct_a,self_pct_b,self_points,chance_points,count_a,count_b\n");
	assert_non_null(strstr(said, "shares are compared, not times"));
	assert_non_null(strstr(said, "a sample of B counts for the innermost function of its stack "
				     "that A traced; 2 of 10 had none and are left out"));
	assert_non_null(strstr(said, "time of A includes waiting"));
	assert_null(strstr(said, "different selections")); /* samples have none */
	free(got);
	got = compare(path, samples, "text", (struct diff_options){ 0 });
	assert_non_null(strstr(got, "no change that counts\n3 functions folded"));
	assert_non_null(strstr(got, "B: b.gotrace, 10 samples"));
	free(got);
	assert_null(compare(path, samples, "text", (struct diff_options){ .by = BY_PATH }));
	assert_non_null(strstr(said, "paths of calls and of samples cannot be compared"));
	unlink(path);
}

/* What has no sample where it should have nearly all is told, even of eight. */
TEST(what_differs_is_told)
{
	static const char other[] = "@func main.main\n@func main.one\n@func main.two\n"
				    "1 entry main.main 100 1000\n"
				    "1 exit main.main 100 1000001000\n";
	char path[TRACE_PATH_BYTES];

	fixture_write_text(other, true, path);
	char *got = compare(samples, path, "csv", (struct diff_options){ .sort = DIFF_NAME });
	assert_non_null(strstr(got, "main.main,changed,0.0000,100.0000,100.0000,"));
	assert_non_null(strstr(said, "a sample of A counts for the innermost"));
	free(got);
	got = compare(samples, path, "json", (struct diff_options){ 0 });
	assert_non_null(strstr(got, "\"self_points\": 100"));
	free(got);
	unlink(path);
}

TEST(samples_alone)
{
	for (int path = 0; path < 2; path++) {
		char *got = compare(samples, samples, "text",
				    (struct diff_options){ .by = path ? BY_PATH : BY_FUNCTION });

		assert_non_null(strstr(got, "no change\n"));
		assert_non_null(strstr(got, "both are samples"));
		free(got);
	}
	char *csv = compare(samples, samples, "csv", (struct diff_options){ 0 });

	assert_non_null(strstr(csv, ",count_a,count_b,run_ns_a,run_ns_b,run_change_pct,"));
	assert_non_null(strstr(said, "and processor time"));
	free(csv);
}

TESTS_BETWEEN(set_up, tear_down, calls_and_samples, what_differs_is_told, samples_alone)
