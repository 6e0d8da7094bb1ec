// SPDX-License-Identifier: BSD-2-Clause
/*
 * Small files that claim much: reports and exports of them take memory in proportion to the file,
 * or refuse it.
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

#include "base/log.h"
#include "export/export.h"
#include "report/report_fixture.h"
#include "trace/keys.h"
#include "trace/samples.h"

/* Memory that a trace of so many bytes may take. */
#ifdef __SANITIZE_ADDRESS__
/* What was freed is kept for a while, and everything has a shadow: nothing is said of memory. */
#define MOST_BYTES(file_bytes) UINT64_MAX
#else
#define MOST_BYTES(file_bytes) ((128ull << 20) + 1500ull * (file_bytes))
#endif
/* Of its rows of paths: names, and what formats write around each. */
#define MOST_OUTPUT(file_bytes) (2 * ((128ull << 20) + 1500ull * (uint64_t)(file_bytes)))
#define FUNCS                   500u

/* Events of a bomb: a tenth of them under sanitizers, which are ten times slower;
 * GOTRACE_TEST_WHOLE=1 writes all of them. */
static uint32_t many(uint32_t n)
{
#ifdef __SANITIZE_ADDRESS__
	return getenv("GOTRACE_TEST_WHOLE") ? n : n / 10;
#else
	return n;
#endif
}

/* ALL_ALIVE is no bomb: a program that has 300,000 goroutines waiting, as it is recorded. */
enum claim {
	GOROUTINES,
	ENDED_GOROUTINES,
	OPEN_CALLS,
	PATHS,
	FUNCTIONS,
	ALL_ALIVE,
	STACKS,
	SAMPLED_GOROUTINES,
	DEEP_STACKS,
	CLAIMS
};

static void add_function(struct trace_info *t, uint32_t f, bool alike)
{
	char name[16];

	snprintf(name, sizeof(name), "f%u", alike ? 0 : f);
	assert_int_equal(trace_info_add_func(t, &(struct trace_func){ .name = name }), 0);
	for (uint16_t kind = EV_ENTRY; kind <= EV_EXIT; kind++)
		assert_int_equal(
			trace_info_add_site(t, &(struct trace_site){ f, TRACE_NONE, 0, kind }), 0);
}

static void put(struct trace_writer *w, uint64_t *ts, uint64_t goid, uint32_t site, uint32_t depth)
{
	const struct event_ext ev = { .h = { .ts_ns = ++*ts,
					     .goid = goid,
					     .site = site,
					     .depth = depth,
					     .tid = 1,
					     .kind = site & 1 ? EV_EXIT : EV_ENTRY } };

	assert_int_equal(trace_writer_event(w, &ev), 0);
}

/* No two events are as far apart. */
static void pass(uint64_t *ts)
{
	static uint64_t random = 1;

	random = random * 6364136223846793005u + 1442695040888963407u;
	*ts += 20 + (random >> 57);
}

static void call(struct trace_writer *w, uint64_t *ts, uint64_t goid, uint32_t site, uint32_t depth)
{
	pass(ts);
	put(w, ts, goid, site, depth);
}

static void all_alive(struct trace_writer *w)
{
	const uint64_t n = many(300000);
	uint64_t ts = 0;

	call(w, &ts, 1, 4, 8);
	for (uint64_t i = 2; i < n + 2; i++) {
		pass(&ts);
		const struct event_ext create = {
			.h = { .ts_ns = ++ts, .goid = 1, .site = 0, .tid = 1, .kind = EV_CREATE },
			.arg = { i, 0x1000, 0x2000 }
		};

		assert_int_equal(trace_writer_event(w, &create), 0);
	}
	for (uint64_t i = 2; i < n + 2; i++) {
		call(w, &ts, i, 0, 80);
		call(w, &ts, i, 2, 160);
		call(w, &ts, i, 3, 160);
	}
	for (uint64_t i = 2; i < n + 2; i++)
		call(w, &ts, i, 1, 80);
}

static void events(struct trace_writer *w, enum claim claim)
{
	uint64_t ts = 0;

	if (claim == ALL_ALIVE)
		all_alive(w);

	for (uint64_t i = 1; i <= many(3000000) && claim <= ENDED_GOROUTINES; i++) {
		put(w, &ts, i, 0, 8);
		if (claim == ENDED_GOROUTINES)
			put(w, &ts, i, 1, 8);
	}
	for (uint32_t i = 1; i <= many(8000000) && claim == OPEN_CALLS; i++)
		put(w, &ts, 1, 0, 8 * i);
	for (uint32_t f = 0; f < many(FUNCS) && claim == PATHS; f++) {
		put(w, &ts, 1, 2 * f, 8);
		for (uint32_t g = 0; g < FUNCS; g++) {
			put(w, &ts, 1, 2 * g, 16);
			put(w, &ts, 1, 2 * g + 1, 16);
		}
		put(w, &ts, 1, 2 * f + 1, 8);
	}
}

/* Recordings of samples: no two stacks have more than their leaf in common, or each sample is of a
 * goroutine of its own. */
static void samples(struct trace_writer *w, enum claim claim)
{
	static uint64_t pcs[40];
	const uint32_t n_pcs = sizeof(pcs) / sizeof(*pcs);
	const struct sample_process process = { .pid = 1, .comm = "bomb" };
	uint32_t n = many(claim == STACKS ? 20000 : 3000000), number;

	assert_int_equal(trace_writer_process(w, &process, &number), 0);
	for (uint32_t i = 0; i < n; i++) {
		struct sample s = { .ts_ns = i, .goid = i + 1, .weight_ns = 1000 };
		struct sample_stack x = { 0, claim == STACKS ? n_pcs : 2, pcs, 0 };

		for (uint32_t k = 1; k < x.n && claim == STACKS; k++)
			pcs[k] = 0x400000 + (uint64_t)(i * k) % 1000;
		if (claim == STACKS || !i)
			assert_int_equal(trace_writer_stack(w, &x, &number), 0);
		s.stack = number;
		assert_int_equal(trace_writer_sample(w, &s), 0);
	}
}

/* Recordings of stacks as deep as there are, none of which repeats itself: each function on them
 * has a path. */
static void deep_samples(struct trace_writer *w)
{
	static uint64_t pcs[STACK_MAX_FRAMES];
	const struct sample_process process = { .pid = 1, .comm = "bomb" };
	struct sample_stack x = { 0, STACK_MAX_FRAMES, pcs, 0 };
	uint64_t random = 1;
	uint32_t number;

	assert_int_equal(trace_writer_process(w, &process, &number), 0);
	for (uint32_t i = 0; i < many(12); i++) {
		for (uint32_t k = 0; k < x.n; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			pcs[k] = 0x400000 + (random >> 54);
		}
		assert_int_equal(trace_writer_stack(w, &x, &number), 0);
		assert_int_equal(trace_writer_sample(w, &(struct sample){ .ts_ns = i,
									  .goid = 1,
									  .weight_ns = 1000,
									  .stack = number }),
				 0);
	}
}

static void bomb(enum claim claim, char path[TRACE_PATH_BYTES])
{
	struct trace_info info = { 0 };

	snprintf(path, TRACE_PATH_BYTES, "/tmp/gotrace-bomb-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	if (claim >= STACKS)
		assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	for (uint32_t f = 0; claim < STACKS && f < (claim == FUNCTIONS ? 600 * FUNCS : FUNCS); f++)
		add_function(&info, f, claim == FUNCTIONS);
	struct trace_writer *w = trace_writer_new(fd, &info);

	assert_non_null(w);
	if (claim == DEEP_STACKS)
		deep_samples(w);
	else if (claim >= STACKS)
		samples(w, claim);
	else
		events(w, claim);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	trace_info_free(&info);
}

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

/* In a child: the n-th way to look at a trace, whose output may have so many bytes. */
static void look(const char *path, unsigned n, uint64_t most)
{
	uint64_t written = 0;
	struct trace_reader *r = trace_reader_open(path);
	FILE *out = fopencookie(&written, "w", (cookie_io_functions_t){ .write = count_bytes });
	const struct export_format *f = export_formats;
	int err;

	if (!r || !out)
		exit(out ? 1 : 99);
	if (n <= BY_CALL)
		err = report_formats[1].write(r, &(struct report_options){ .by = n }, out);
	else
		err = (f + (n - BY_CALL - 1))->write(&r, 1, &(struct export_options){ 0 }, out);
	fclose(out);
	exit(written > most ? 98 : err ? 1 : 0);
}

static size_t n_looks(void)
{
	size_t n = BY_CALL + 1;

	for (const struct export_format *f = export_formats; f->name; f++)
		n++;
	return n;
}

static void test_bombs(void **state)
{
	(void)state;
	log_set_sink(in_silence, NULL);
	for (enum claim claim = GOROUTINES; claim < CLAIMS; claim++) {
		char path[TRACE_PATH_BYTES];
		struct stat st;

		bomb(claim, path);
		assert_int_equal(stat(path, &st), 0);
		for (unsigned n = 0; n < n_looks(); n++) {
			struct rusage used;
			int status;

			fflush(NULL);
			pid_t pid = fork();

			assert_true(pid >= 0);
			if (!pid)
				look(path, n,
				     claim == DEEP_STACKS ? MOST_OUTPUT(st.st_size) : UINT64_MAX);
			assert_int_equal(wait4(pid, &status, 0, &used), pid);
			if (!WIFEXITED(status) || WEXITSTATUS(status) > (claim != ALL_ALIVE) ||
			    used.ru_maxrss * 1024ull > MOST_BYTES((uint64_t)st.st_size))
				fail_msg("claim %d of %lld bytes, look %u: status %#x, %ld KB",
					 claim, (long long)st.st_size, n, (unsigned)status,
					 used.ru_maxrss);
		}
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
