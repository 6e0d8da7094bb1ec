// SPDX-License-Identifier: BSD-2-Clause
/* Blocks packed and written by the writer's thread: the same file, and the same promises. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/test_fixture.h"
#include "trace/sample_trace_fixture.h"

#define BLOCK 32768u

static struct trace_writer *begin(int fd, bool thread)
{
	struct trace_info info;

	sample_info(&info);
	struct trace_writer *w = trace_writer_new(fd, &info);
	assert_non_null(w);
	trace_info_free(&info);
	if (thread)
		assert_int_equal(trace_writer_start_thread(w), 0);
	return w;
}

/* How many events a reader finds, which must be the first ones of ev (n of them, over and over). */
static size_t readable(const char *path, const struct event_ext *ev, size_t n, bool complete)
{
	struct trace_reader *r = trace_reader_open(path);
	struct event_ext got;
	size_t seen = 0;
	int rc;

	assert_non_null(r);
	while ((rc = trace_reader_next(r, &got)) == 1)
		assert_memory_equal(&got, &ev[seen++ % n], sizeof(got));
	assert_int_equal(rc, 0);
	assert_int_equal(trace_reader_complete(r), complete);
	trace_reader_close(r);
	return seen;
}

/* Tables come before the events that need them, blocks of all sizes in order, hurried or not. */
TEST(the_same_file)
{
	uint64_t seed = sample_seed("the_same_file");
	size_t n = 12 * BLOCK + 1234, size[2];
	struct event_ext *ev = sample_events(n, 1, &seed);
	uint8_t *data[2];
	int fd[2];
	struct trace_writer *w[2];

	for (int k = 0; k < 2; k++)
		w[k] = begin(sample_dup(fd[k] = sample_file()), k);
	for (size_t i = 0; i < n; i++) {
		const struct trace_pc pc = { .pc = i, .func = (char *)(uintptr_t) "f" };
		uint64_t now_and_then = sample_random(&seed) % 50000;

		for (int k = 0; k < 2; k++) {
			if (now_and_then < 3)
				assert_int_equal(trace_writer_pc(w[k], &pc), 0);
			if (now_and_then == 3)
				assert_int_equal(trace_writer_set(w[k], "said", "later"), 0);
			if (now_and_then == 4)
				assert_int_equal(trace_writer_flush(w[k]), 0);
			if (now_and_then == 5 || now_and_then == 6)
				trace_writer_hurry(w[k], now_and_then == 5);
			assert_int_equal(trace_writer_event(w[k], &ev[i]), 0);
		}
	}
	for (int k = 0; k < 2; k++) {
		assert_int_equal(trace_writer_finish(w[k], NULL, 0), 0);
		data[k] = sample_bytes(fd[k], &size[k]);
	}
	assert_int_equal(size[0], size[1]);
	assert_memory_equal(data[0], data[1], size[0]);
	assert_int_equal(readable(sample_path(fd[1]), ev, n, true), n);
	for (int k = 0; k < 2; k++) {
		free(data[k]);
		close(fd[k]);
	}
	free(ev);
}

/* A flush, and an end without an end record, leave in the file what was given. */
TEST(what_is_in_the_file)
{
	uint64_t seed = 8;
	size_t n = 5 * BLOCK;
	struct event_ext *ev = sample_events(n, 0, &seed);
	int fd = sample_file();
	struct trace_writer *w = begin(sample_dup(fd), true);

	for (size_t i = 0; i < 3 * BLOCK + 5; i++)
		assert_int_equal(trace_writer_event(w, &ev[i]), 0);
	assert_int_equal(trace_writer_flush(w), 0);
	assert_int_equal(trace_writer_bytes(w), lseek(fd, 0, SEEK_END));
	assert_int_equal(readable(sample_path(fd), ev, n, false), 3 * BLOCK + 5);
	for (size_t i = 3 * BLOCK + 5; i < n; i++)
		assert_int_equal(trace_writer_event(w, &ev[i]), 0);
	trace_writer_abort(w);
	/* one block is full, the other is not */
	assert_int_equal(readable(sample_path(fd), ev, n, false), 4 * BLOCK + 5);
	close(fd);
	free(ev);
}

/* At any moment, whatever the thread is at. */
TEST(never_more_than_said)
{
	uint64_t seed = 9;
	size_t n = 8 * BLOCK;
	struct event_ext *ev = sample_events(n, 50, &seed);
	int fd = sample_file();
	struct trace_writer *w = begin(sample_dup(fd), true);

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(trace_writer_event(w, &ev[i]), 0);
		if (sample_random(&seed) % 20000)
			continue;
		uint64_t most = trace_writer_bytes_max(w);

		assert_int_equal(trace_writer_flush(w), 0);
		assert_true(trace_writer_bytes(w) <= most);
		/* nothing waits any more */
		assert_true(trace_writer_bytes_max(w) < trace_writer_bytes(w) + 2000);
	}
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	close(fd);
	free(ev);
}

/* Runs in a child, whose file size limit it changes. 0 when all is as it should be. */
static int write_to_limit(int fd, const struct event_ext *ev, size_t n)
{
	struct rlimit limit = { 1000000, 1000000 };
	struct sample_log log = { 0 };
	size_t given = 0;
	int err = 0;

	log_set_sink(sample_sink, &log);
	signal(SIGXFSZ, SIG_IGN);
	struct trace_writer *w = begin(fd, true);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		return 1;
	for (; given < 100 * n && !err; given++)
		err = trace_writer_event(w, &ev[given % n]);
	if (err != -EFBIG)
		return 2;
	if (trace_writer_event(w, &ev[0]) != -EFBIG || trace_writer_flush(w) != -EFBIG ||
	    trace_writer_set(w, "a", "b") != -EFBIG || trace_writer_finish(w, NULL, 0) != -EFBIG)
		return 3;
	return log.lines == 1 && strstr(log.last, "File too large") &&
			       strstr(log.last, "stays readable")
		       ? 0
		       : 4;
}

TEST(a_full_disk)
{
	char path[] = "/tmp/gotrace-test-XXXXXX";
	uint64_t seed = 5;
	size_t n = 200000, seen;
	struct event_ext *ev = sample_events(n, 0, &seed);
	int fd = mkstemp(path), status;

	assert_true(fd >= 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(write_to_limit(fd, ev, n));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(lseek(fd, 0, SEEK_END) < 1000000); /* no piece of a chunk is left */
	seen = readable(path, ev, n, false);
	assert_true(seen > BLOCK && seen % BLOCK == 0);
	unlink(path);
	close(fd);
	free(ev);
}

/* The disk is full at a block that the thread has; only the end asks again. */
TEST(told_at_the_end)
{
	uint64_t seed = 6;
	struct event_ext *ev = sample_events(BLOCK, 0, &seed);
	struct sample_log log = { 0 };
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC), fd = sample_file();
	struct trace_writer *w = begin(fd, true);

	assert_int_equal(dup2(full, fd), fd);
	log_set_sink(sample_sink, &log);
	for (size_t i = 0; i < BLOCK; i++)
		assert_int_equal(trace_writer_event(w, &ev[i]), 0);
	assert_int_equal(trace_writer_finish(w, NULL, 0), -ENOSPC);
	log_set_sink(NULL, NULL);
	assert_int_equal(log.lines, 1);
	close(full);
	free(ev);
}

/* Whole blocks in order, all but those that were in flight. */
TEST(killed)
{
	uint64_t seed = 4;
	size_t n = 40000, given;
	struct event_ext *ev = sample_events(n, 5, &seed);
	int fd = sample_file(), count[2], status;
	pid_t child;

	assert_int_equal(pipe(count), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		struct trace_writer *w = begin(fd, true);

		for (size_t i = 0;; i++) { /* for ever: only the signal ends it */
			if (trace_writer_event(w, &ev[i % n]))
				_exit(1);
			if (i % BLOCK == 0 && write(count[1], &i, sizeof(i)) != sizeof(i))
				_exit(1);
		}
	}
	do {
		assert_int_equal(read(count[0], &given, sizeof(given)), sizeof(given));
	} while (given < 10 * BLOCK);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	/* given, but for the block that is being filled and two that wait */
	size_t seen = readable(sample_path(fd), ev, n, false);

	assert_true(seen % BLOCK == 0 && seen + 3 * BLOCK >= given);
	close(count[0]);
	close(count[1]);
	close(fd);
	free(ev);
}

TESTS(the_same_file, what_is_in_the_file, never_more_than_said, a_full_disk, told_at_the_end,
      killed)
