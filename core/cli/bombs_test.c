// SPDX-License-Identifier: BSD-2-Clause
/*
 * Small files that claim much: reports and exports of them take memory and processor time in
 * proportion to the file, or refuse it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test_fixture.h"
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
#define MOST_BYTES(file_bytes) ((288ull << 20) + 1100ull * (file_bytes))
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

/* Looks in children. Two at once: the test takes half the time where a processor is free. */
#define AT_ONCE 2
struct looking {
	pid_t pid;
	unsigned n;
};
struct looks {
	enum bomb b;
	const char *path;
	uint64_t bytes;
	struct looking at[AT_ONCE];
	unsigned running;
};

static void begin_look(struct looks *l, unsigned n)
{
	/* The promise is of a processor of today. One may be slower, or have a busy twin. */
	const struct rlimit most = { 3 * MOST_SECONDS(l->bytes), 3 * MOST_SECONDS(l->bytes) };

	fflush(NULL);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		setrlimit(RLIMIT_CPU, &most);
		look(l->path, n, is_of_paths(l->b) ? MOST_OUTPUT(l->bytes) : UINT64_MAX);
	}
	l->at[l->running++] = (struct looking){ pid, n };
}

static void end_look(struct looks *l)
{
	struct rusage used;
	unsigned i = 0;
	int status;
	pid_t pid = wait4(-1, &status, 0, &used);

	while (i < l->running && l->at[i].pid != pid)
		i++;
	assert_true(i < l->running);
	const unsigned n = l->at[i].n;

	l->at[i] = l->at[--l->running];
	if (getenv("GOTRACE_BOMBS_SAY"))
		printf("bomb %d of %llu bytes, look %u: status %#x, %ld KB, %.2f s\n", l->b,
		       (unsigned long long)l->bytes, n, (unsigned)status, used.ru_maxrss,
		       (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
			       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
	if (!WIFEXITED(status) || WEXITSTATUS(status) > (l->b != ALL_ALIVE) ||
	    used.ru_maxrss * 1024ull > MOST_BYTES(l->bytes))
		fail_msg("bomb %d of %llu bytes, look %u: status %#x, %ld KB", l->b,
			 (unsigned long long)l->bytes, n, (unsigned)status, used.ru_maxrss);
}

TEST(test_bombs)
{
	const char *only = getenv("GOTRACE_BOMBS_ONLY"); /* one of them, by its number */

	log_set_sink(in_silence, NULL);
	for (enum bomb b = 0; b < BOMBS; b++) {
		char path[TRACE_PATH_BYTES];
		struct stat st;

		if (only && (int)b != atoi(only))
			continue;
		bomb_write(b, path);
		assert_int_equal(stat(path, &st), 0);
		struct looks l = { .b = b, .path = path, .bytes = (uint64_t)st.st_size };

		for (unsigned n = b % test_one_of(3, 3); n < n_looks(); n += test_one_of(3, 3)) {
			if (l.running == AT_ONCE)
				end_look(&l);
			begin_look(&l, n);
		}
		while (l.running)
			end_look(&l);
		unlink(path);
	}
	log_set_sink(NULL, NULL);
}

TESTS(test_bombs)
