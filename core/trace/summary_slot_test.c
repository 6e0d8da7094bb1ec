// SPDX-License-Identifier: BSD-2-Clause
/* Summaries in a file: the last whole one is found, however and whenever the writer ends. */
#include "base/test_fixture.h"
#include "trace/sample_trace_fixture.h"

#include <errno.h>
#include <sys/stat.h>

#include "trace/format.h"

/* Bytes that do not pack: n of them, of the seed. */
static uint8_t *noise(size_t n, uint64_t seed)
{
	uint8_t *p = malloc(n + 1);

	assert_non_null(p);
	for (size_t i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		p[i] = (uint8_t)(seed >> 56);
	}
	return p;
}

static void give(struct trace_writer *w, size_t n, uint64_t seed, bool last)
{
	struct trace_summary s;
	uint8_t *p = noise(n, seed);

	assert_int_equal(trace_summary_pack(&s, p, n), 0);
	assert_int_equal(trace_writer_summary(w, &s, last), 0);
	trace_summary_free(&s);
	free(p);
}

static bool is(struct trace_reader *r, size_t n, uint64_t seed)
{
	const uint8_t *got;
	size_t got_n;

	if (trace_reader_summary(r, &got, &got_n) != 1)
		return false;
	uint8_t *p = noise(n, seed);
	bool same = got_n == n && !memcmp(got, p, n);

	free(p);
	return same;
}

static struct trace_reader *open_fd(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return trace_reader_open(path);
}

static uint64_t read_all(struct trace_reader *r)
{
	struct event_ext ev;
	uint64_t n = 0;
	int got;

	while ((got = trace_reader_next(r, &ev)) > 0)
		n++;
	assert_int_equal(got, 0);
	return n;
}

static off_t size_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_size;
}

/* The last of many is found; the file grows only as the summary doubles. */
TEST(test_last_one)
{
	struct trace_info info;
	uint64_t seed = 3;
	struct event_ext *ev = sample_events(30, 10, &seed);
	int fd = sample_file();

	sample_info(&info);
	struct trace_writer *w = trace_writer_new(sample_dup(fd), &info);
	const uint8_t *p;
	size_t n;

	assert_non_null(w);
	struct trace_reader *r = open_fd(fd);

	assert_int_equal(trace_reader_summary(r, &p, &n), 0);
	trace_reader_close(r);
	give(w, 100, 1, false);
	off_t first = size_of(fd);

	for (uint64_t i = 2; i < 40; i++)
		give(w, 100 + 1000 * i, i, false);
	assert_int_equal(size_of(fd), first);
	for (size_t i = 0; i < 30; i++)
		assert_int_equal(trace_writer_event(w, &ev[i]), 0);
	give(w, 100000, 40, false); /* larger slots, after events */
	off_t second = size_of(fd);

	assert_true(second > first);
	for (uint64_t i = 0; i < 30; i++)
		assert_int_equal(trace_writer_event(w, &ev[i]), 0);
	for (uint64_t i = 41; i < 50; i++)
		give(w, 50 + i, i, false);
	r = open_fd(fd);
	assert_int_equal(read_all(r), 60);
	assert_true(is(r, 99, 49));
	assert_true(trace_reader_growing(r));
	give(w, 70000, 50, false);
	assert_int_equal(trace_reader_again(r), 0);
	assert_true(is(r, 70000, 50));
	assert_int_equal(trace_writer_event(w, &ev[0]), 0);
	give(w, 1000, 51, true);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	assert_int_equal(trace_reader_again(r), 0);
	assert_int_equal(read_all(r), 1);
	assert_true(is(r, 1000, 51) && trace_reader_complete(r) && !trace_reader_growing(r));
	trace_reader_close(r);
	trace_info_free(&info);
	free(ev);
	close(fd);
}

/* Killed at any byte of writing one: the one before is there, and all else. */
TEST(test_torn)
{
	struct trace_info info;
	int fd = sample_file();
	size_t n, n_before;

	sample_info(&info);
	struct trace_writer *w = trace_writer_new(sample_dup(fd), &info);

	give(w, 3000, 1, false);
	give(w, 3000, 2, false);
	uint8_t *before = sample_bytes(fd, &n_before);

	give(w, 3000, 3, false);
	uint8_t *after = sample_bytes(fd, &n);

	assert_int_equal(n, n_before);
	for (size_t cut = 0; cut < n; cut++) {
		if (before[cut] == after[cut])
			continue;
		/* All up to here is written, the rest not; and the other way round. */
		for (int late = 0; late < 2; late++) {
			uint8_t *torn = malloc(n);

			memcpy(torn, late ? after : before, cut);
			memcpy(torn + cut, (late ? before : after) + cut, n - cut);
			int torn_fd = sample_file();

			assert_int_equal(pwrite(torn_fd, torn, n, 0), n);
			struct trace_reader *r = open_fd(torn_fd);

			assert_non_null(r);
			read_all(r);
			assert_true(is(r, 3000, 2) || is(r, 3000, 3));
			trace_reader_close(r);
			close(torn_fd);
			free(torn);
		}
		cut += n / 5000; /* some of the places */
	}
	trace_writer_abort(w);
	free(before);
	free(after);
	trace_info_free(&info);
	close(fd);
}

/* Into a pipe only the last one goes. */
TEST(test_pipe)
{
	struct trace_info info;
	int ends[2], in = dup(STDIN_FILENO);

	sample_info(&info);
	assert_int_equal(pipe(ends), 0);
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) >= 1 << 20);
	struct trace_writer *w = trace_writer_new(ends[1], &info);

	give(w, 3000, 1, false);
	give(w, 100000, 2, true);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
	struct trace_reader *r = trace_reader_open("-");

	assert_non_null(r);
	assert_int_equal(read_all(r), 0);
	assert_true(is(r, 100000, 2) && trace_reader_complete(r));
	struct sample_log log = { 0 };

	log_set_sink(sample_sink, &log);
	assert_int_equal(trace_reader_again(r), -ESPIPE);
	log_set_sink(NULL, NULL);
	assert_int_equal(log.lines, 1);
	trace_reader_close(r);
	assert_true(dup2(in, STDIN_FILENO) >= 0);
	close(in);
	close(ends[0]);
	trace_info_free(&info);
}

/* What has no room is refused, and the file stays as it is. */
TEST(test_too_large)
{
	const size_t n = 17 << 20;
	struct trace_info info;
	struct trace_summary s;
	uint8_t *p = noise(n, 1);
	int fd = sample_file();

	sample_info(&info);
	struct trace_writer *w = trace_writer_new(sample_dup(fd), &info);
	struct sample_log log = { 0 };

	give(w, 500, 7, false);
	assert_int_equal(trace_summary_pack(&s, p, n), 0);
	log_set_sink(sample_sink, &log);
	assert_int_equal(trace_writer_summary(w, &s, false), -E2BIG);
	log_set_sink(NULL, NULL);
	assert_int_equal(log.lines, 1);
	trace_summary_free(&s);
	assert_int_equal(trace_summary_pack(&s, p, (64 << 20) + 1), -E2BIG);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	struct trace_reader *r = open_fd(fd);

	assert_int_equal(read_all(r), 0);
	assert_true(is(r, 500, 7));
	trace_reader_close(r);
	free(p);
	trace_info_free(&info);
	close(fd);
}

TESTS(test_last_one, test_torn, test_pipe, test_too_large)
