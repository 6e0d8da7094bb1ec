// SPDX-License-Identifier: BSD-2-Clause
/*
 * Small files that claim much: reports and exports of them take memory and processor time in
 * proportion to the file, or refuse it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/samples/death_notes.h"
#include "base/log.h"
#include "cli/bombs_fixture.h"
#include "export/export.h"
#include "report/report.h"
#include "symbols/open_trace.h"

/* Memory that a trace of so many bytes may take. */
#ifdef __SANITIZE_ADDRESS__
/* What was freed is kept for a while, and everything has a shadow: nothing is said of memory. */
#define MOST_BYTES(file_bytes) UINT64_MAX
#else
#define MOST_BYTES(file_bytes) ((128ull << 20) + 1500ull * (file_bytes))
#endif
/* Of its rows of paths: names, and what formats write around each. */
#define MOST_OUTPUT(file_bytes) (2 * ((128ull << 20) + 500ull * (uint64_t)(file_bytes)))
/* Processor time, and no other: whatever else a machine does takes none of it. Most take a tenth;
 * what takes the square of a file's size takes minutes. */
#ifdef __SANITIZE_ADDRESS__
#define MOST_SECONDS(file_bytes) 600
#else
#define MOST_SECONDS(file_bytes) (10 + 10 * ((uint64_t)(file_bytes) >> 20))
#endif

static void in_silence(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	(void)line;
}

static ssize_t count_bytes(void *cookie, const char *bytes, size_t n)
{
	(void)bytes;
	*(uint64_t *)cookie += n;
	return (ssize_t)n;
}

/* Writes them for gotrace info -F json. */
static int look_at_deaths(struct trace_reader *r, FILE *out)
{
	struct sample_span span;
	struct json j;
	int got;

	if (!trace_is_samples(trace_reader_info(r)))
		return 0;
	while ((got = trace_reader_samples(r, &span)) > 0)
		;
	json_init(&j, out, true);
	json_open(&j, '{');
	deaths_json(trace_reader_tables(r), trace_reader_bytes(r), &j);
	json_close(&j, '}');
	return got;
}

static size_t n_looks(void)
{
	size_t n = BY_CALL + 2; /* and deaths, the last */

	for (const struct export_format *f = export_formats; f->name; f++)
		n++;
	return n;
}

/* In a child: the n-th way to look at a trace, whose output may have so many bytes. */
static void look(const char *path, unsigned n, uint64_t most)
{
	uint64_t written = 0;
	struct trace_reader *r = open_trace(path);
	FILE *out = fopencookie(&written, "w", (cookie_io_functions_t){ .write = count_bytes });
	const struct export_format *f = export_formats;
	int err;

	if (!r || !out)
		exit(out ? 1 : 99);
	if (n == n_looks() - 1)
		err = look_at_deaths(r, out);
	else if (n <= BY_CALL)
		err = report_formats[1].write(r, &(struct report_options){ .by = n }, out);
	else
		err = (f + (n - BY_CALL - 1))->write(&r, 1, &(struct export_options){ 0 }, out);
	fclose(out);
	exit(written > most ? 98 : err ? 1 : 0);
}

/* Its output would be the square of its size if each path were written out. */
static bool is_of_paths(enum bomb b)
{
	return b == NESTED || b == DEEP_STACKS || b == INLINED || b == DEATHS;
}

/* The n-th way to look at a bomb, in a child. */
static void try_look(enum bomb b, const char *path, uint64_t bytes, unsigned n)
{
	/* The promise is of a processor of today. One may be slower, or have a busy twin. */
	const struct rlimit most = { 3 * MOST_SECONDS(bytes), 3 * MOST_SECONDS(bytes) };
	struct rusage used;
	int status;

	fflush(NULL);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		setrlimit(RLIMIT_CPU, &most);
		look(path, n, is_of_paths(b) ? MOST_OUTPUT(bytes) : UINT64_MAX);
	}
	assert_int_equal(wait4(pid, &status, 0, &used), pid);
	if (getenv("GOTRACE_BOMBS_SAY"))
		printf("bomb %d of %llu bytes, look %u: status %#x, %ld KB, %.2f s\n", b,
		       (unsigned long long)bytes, n, (unsigned)status, used.ru_maxrss,
		       (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
			       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
	if (!WIFEXITED(status) || WEXITSTATUS(status) > (b != ALL_ALIVE) ||
	    used.ru_maxrss * 1024ull > MOST_BYTES(bytes))
		fail_msg("bomb %d of %llu bytes, look %u: status %#x, %ld KB", b,
			 (unsigned long long)bytes, n, (unsigned)status, used.ru_maxrss);
}

static void test_bombs(void **state)
{
	const char *only = getenv("GOTRACE_BOMBS_ONLY"); /* one of them, by its number */

	(void)state;
	log_set_sink(in_silence, NULL);
	for (enum bomb b = 0; b < BOMBS; b++) {
		char path[TRACE_PATH_BYTES];
		struct stat st;

		if (only && (int)b != atoi(only))
			continue;
		bomb_write(b, path);
		assert_int_equal(stat(path, &st), 0);
		for (unsigned n = 0; n < n_looks(); n++)
			try_look(b, path, (uint64_t)st.st_size, n);
		unlink(path);
	}
	log_set_sink(NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bombs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
