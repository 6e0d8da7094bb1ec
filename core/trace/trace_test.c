// SPDX-License-Identifier: BSD-2-Clause
/* Writing and reading whole traces. */
#include "base/test_fixture.h"
#include "trace/sample_trace_fixture.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static struct trace_writer *begin(int fd)
{
	struct trace_info info;

	sample_info(&info);
	struct trace_writer *w = trace_writer_new(sample_dup(fd), &info);
	assert_non_null(w);
	trace_info_free(&info);
	return w;
}

static void assert_next(struct trace_reader *r, const struct event_ext *want)
{
	struct event_ext got;

	memset(&got, 0xa5, sizeof(got));
	assert_int_equal(trace_reader_next(r, &got), 1);
	assert_memory_equal(&got, want, sizeof(got));
}

static void assert_end(struct trace_reader *r, bool complete)
{
	struct event_ext ev;

	assert_int_equal(trace_reader_next(r, &ev), 0);
	assert_int_equal(trace_reader_next(r, &ev), 0);
	assert_int_equal(trace_reader_complete(r), complete);
}

/* What is written is read, whatever the events are and wherever a flush falls. */
static void round_trip(size_t n, unsigned wild, uint64_t *seed)
{
	const struct trace_kv end[] = { { (char *)(uintptr_t) "end.status",
					  (char *)(uintptr_t) "7" } };
	struct event_ext *ev = sample_events(n, wild, seed);
	struct trace_info info;
	int fd = sample_file();
	struct trace_writer *w = begin(fd);

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(trace_writer_event(w, &ev[i]), 0);
		if (sample_random(seed) % 5000 == 0)
			assert_int_equal(trace_writer_flush(w), 0);
	}
	assert_int_equal(trace_writer_finish(w, end, 1), 0);

	struct trace_reader *r = trace_reader_open(sample_path(fd));
	assert_non_null(r);
	assert_false(trace_reader_complete(r));
	sample_info(&info);
	assert_same_info(&info, trace_reader_info(r));
	for (size_t i = 0; i < n; i++)
		assert_next(r, &ev[i]);
	assert_end(r, true);
	assert_string_equal(trace_info_get(trace_reader_info(r), "end.status"), "7");
	trace_reader_close(r);
	trace_info_free(&info);
	free(ev);
	close(fd);
}

TEST(test_round_trip)
{
	uint64_t seed = sample_seed("round trip");

	round_trip(0, 0, &seed);
	for (size_t n = 1; n < 40; n++)
		round_trip(n, 100, &seed);
	round_trip(32768, 1, &seed); /* just one block, unless flushed */
	round_trip(100000, 0, &seed);
	round_trip(70000, 100, &seed); /* every event another site and thread */
	round_trip(70000, 30, &seed);
}

/* Events of a regular program take few bytes. */
TEST(test_size)
{
	uint64_t seed = 1;
	size_t n = 100000;
	struct event_ext *ev = sample_events(n, 0, &seed);
	int fd = sample_file();
	struct trace_writer *w = begin(fd);

	uint64_t head = trace_writer_bytes(w);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(trace_writer_event(w, &ev[i]), 0);
	assert_int_equal(trace_writer_flush(w), 0);
	/* These are random calls, worse to guess than a program's. */
	assert_true(trace_writer_bytes(w) - head < 5 * n);
	trace_writer_abort(w);
	free(ev);
	close(fd);
}

TEST(test_updates)
{
	struct trace_pc pc = { .pc = 0x402000,
			       .func = (char *)(uintptr_t) "main.late",
			       .file = (char *)(uintptr_t) "l.go",
			       .line = 3 };
	const struct trace_kv end[] = { { (char *)(uintptr_t) "end.events",
					  (char *)(uintptr_t) "2" },
					{ (char *)(uintptr_t) "pid", (char *)(uintptr_t) "12" } };
	uint64_t seed = 2;
	struct event_ext *ev = sample_events(2, 0, &seed);
	int fd = sample_file();
	struct trace_writer *w = begin(fd);

	assert_int_equal(trace_writer_event(w, &ev[0]), 0);
	assert_int_equal(trace_writer_flush(w), 0);
	assert_int_equal(trace_writer_pc(w, &pc), 0);
	assert_int_equal(trace_writer_set(w, "pid", "11"), 0);
	assert_int_equal(trace_writer_set(w, "warn.1", "one"), 0);
	assert_int_equal(trace_writer_event(w, &ev[1]), 0);
	assert_int_equal(trace_writer_finish(w, end, 2), 0);

	struct trace_reader *r = trace_reader_open(sample_path(fd));
	assert_non_null(r);
	const struct trace_info *info = trace_reader_info(r);
	assert_next(r, &ev[0]);
	assert_null(trace_info_pc(info, 0x402000));
	assert_null(trace_info_get(info, "pid"));
	assert_next(r, &ev[1]); /* what was said before it is known with it */
	assert_string_equal(trace_info_pc(info, 0x402000)->func, "main.late");
	assert_string_equal(trace_info_pc(info, 0x401000)->func, "main.main.func1");
	assert_string_equal(trace_info_get(info, "pid"), "11");
	assert_end(r, true);
	assert_string_equal(trace_info_get(info, "pid"), "12");
	assert_string_equal(trace_info_get(info, "warn.1"), "one");
	assert_string_equal(trace_info_get(info, "end.events"), "2");
	trace_reader_close(r);
	free(ev);
	close(fd);
}

/* Functions and sites in more than one chunk. */
TEST(test_large_tables)
{
	struct trace_info info = { 0 };
	int fd = sample_file();

	for (uint32_t i = 0; i < 20000; i++) {
		struct trace_func f = { .line = i, .vaddr = 0x400000 + i * 16ull, .size = 16 };
		struct trace_site s = {
			.func = i, .target = TRACE_NONE, .file_off = i, .kind = EV_EXIT
		};
		char name[64];
		snprintf(name, sizeof(name), "example.com/some/package.(*Type%u).Method%u", i / 10,
			 i % 10);
		f.name = name;
		assert_int_equal(trace_info_add_func(&info, &f), 0);
		assert_int_equal(trace_info_add_site(&info, &s), 0);
	}
	struct trace_writer *w = trace_writer_new(sample_dup(fd), &info);
	assert_non_null(w);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	struct trace_reader *r = trace_reader_open(sample_path(fd));
	assert_non_null(r);
	assert_same_info(&info, trace_reader_info(r));
	assert_end(r, true);
	trace_reader_close(r);
	trace_info_free(&info);
	close(fd);
}

/* Reading while the other end writes, from a pipe, through standard input. */
TEST(test_pipe)
{
	uint64_t seed = 3;
	size_t n = 50000;
	struct event_ext *ev = sample_events(n, 10, &seed);
	int fds[2], saved = dup(STDIN_FILENO);

	assert_int_equal(pipe(fds), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(fds[0]);
		struct trace_writer *w = begin(fds[1]);
		close(fds[1]);
		for (size_t i = 0; i < n; i++)
			if (trace_writer_event(w, &ev[i]))
				_exit(1);
		free(ev);
		_exit(trace_writer_finish(w, NULL, 0) != 0);
	}
	close(fds[1]);
	assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	struct trace_reader *r = trace_reader_open("-");
	assert_non_null(r);
	for (size_t i = 0; i < n; i++)
		assert_next(r, &ev[i]);
	assert_end(r, true);
	trace_reader_close(r);

	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(fds[0]);
	if (saved >= 0) {
		dup2(saved, STDIN_FILENO);
		close(saved);
	}
	free(ev);
}

/* A reader ends where the file ended as it was opened, so that a fast writer cannot keep it busy.
 */
TEST(test_outrun)
{
	const struct event_ext ev = { .h = { .ts_ns = 1, .goid = 1, .kind = EV_ENTRY } };
	int fd = sample_file();
	struct trace_writer *w = begin(fd);

	assert_int_equal(trace_writer_event(w, &ev), 0);
	assert_int_equal(trace_writer_flush(w), 0);
	struct trace_reader *r = trace_reader_open(sample_path(fd));

	assert_non_null(r);
	assert_int_equal(trace_writer_event(w, &ev), 0);
	assert_int_equal(trace_writer_flush(w), 0);
	assert_next(r, &ev);
	assert_end(r, false);
	assert_int_equal(trace_reader_again(r), 0);
	assert_next(r, &ev);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	assert_end(r, false);
	assert_int_equal(trace_reader_again(r), 0);
	assert_end(r, true);
	trace_reader_close(r);
}

/* A reader knows a trace that is being written from one whose writer is gone. */
TEST(test_growing)
{
	for (int finish = 0; finish < 2; finish++) {
		int fd = sample_file();
		struct trace_writer *w = begin(fd);
		struct trace_reader *during = trace_reader_open(sample_path(fd));

		assert_non_null(during);
		assert_true(trace_reader_growing(during));
		assert_end(during, false);
		if (finish)
			assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
		else
			trace_writer_abort(w);
		struct trace_reader *after = trace_reader_open(sample_path(fd));

		assert_non_null(after);
		assert_false(trace_reader_growing(after));
		assert_end(after, finish);
		assert_true(trace_reader_growing(during));
		trace_reader_close(during);
		trace_reader_close(after);
		close(fd);
	}
}

/* A tracer killed while it writes leaves whole blocks. */
TEST(test_killed)
{
	uint64_t seed = 4;
	size_t n = 40000, seen = 0;
	struct event_ext *ev = sample_events(n, 5, &seed), got;
	int fd = sample_file(), ready[2], got_end;

	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		struct trace_writer *w = begin(fd);
		for (size_t i = 0;; i++) { /* for ever: only the signal ends it */
			if (trace_writer_event(w, &ev[i % n]))
				_exit(1);
			if (i == 2 * n && write(ready[1], "", 1) != 1)
				_exit(1);
		}
	}
	char c;
	assert_int_equal(read(ready[0], &c, 1), 1);
	kill(child, SIGKILL);
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));

	struct trace_reader *r = trace_reader_open(sample_path(fd));
	assert_non_null(r);
	while ((got_end = trace_reader_next(r, &got)) == 1) {
		assert_memory_equal(&got, &ev[seen % n], sizeof(got));
		seen++;
	}
	assert_int_equal(got_end, 0);
	assert_true(seen >= 2 * n - 32768);
	assert_false(trace_reader_complete(r));
	trace_reader_close(r);
	close(ready[0]);
	close(ready[1]);
	close(fd);
	free(ev);
}

/* Runs in a child, whose file size limit it changes. 0 when all is as it should be. */
static int write_to_limit(int fd, const struct event_ext *ev, size_t n)
{
	struct rlimit limit = { 100000, 100000 };
	struct sample_log log = { 0 };
	int err = 0;

	log_set_sink(sample_sink, &log);
	signal(SIGXFSZ, SIG_IGN);
	struct trace_writer *w = begin(fd);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		return 1;
	for (size_t i = 0; i < n && !err; i++)
		err = trace_writer_event(w, &ev[i]);
	if (err != -EFBIG || log.lines != 1 || !strstr(log.last, "File too large") ||
	    !strstr(log.last, "stays readable"))
		return 2;
	if (trace_writer_event(w, &ev[0]) != -EFBIG || trace_writer_flush(w) != -EFBIG ||
	    trace_writer_set(w, "a", "b") != -EFBIG || trace_writer_finish(w, NULL, 0) != -EFBIG)
		return 3;
	return log.lines == 1 ? 0 : 4;
}

TEST(test_full_disk)
{
	char path[] = "/tmp/gotrace-test-XXXXXX";
	uint64_t seed = 5;
	size_t n = 200000, seen = 0;
	struct event_ext *ev = sample_events(n, 0, &seed), got;
	int fd = mkstemp(path), status, got_end;

	assert_true(fd >= 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		status = write_to_limit(fd, ev, n);
		free(ev);
		_exit(status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);

	assert_true(lseek(fd, 0, SEEK_END) < 100000); /* no piece of a chunk is left */
	struct trace_reader *r = trace_reader_open(path);
	assert_non_null(r);
	while ((got_end = trace_reader_next(r, &got)) == 1)
		assert_memory_equal(&got, &ev[seen++], sizeof(got));
	assert_int_equal(got_end, 0);
	assert_int_equal(seen, 32768);
	assert_false(trace_reader_complete(r));
	trace_reader_close(r);
	unlink(path);
	close(fd);
	free(ev);
}

/* A descriptor without a name, as where /proc is not mounted: the message says so. */
TEST(test_unnamed_file)
{
	struct sample_log log = { 0 };
	struct event_ext ev = { .h.kind = EV_ENTRY };
	struct trace_info info;
	int fd = sample_file();

	sample_info(&info);
	struct trace_writer *w = trace_writer_new(fd, &info);
	assert_non_null(w);
	trace_info_free(&info);
	log_set_sink(sample_sink, &log);
	assert_int_equal(close(fd), 0);
	assert_int_equal(trace_writer_event(w, &ev), 0);
	assert_int_equal(trace_writer_flush(w), -EBADF);
	assert_string_equal(strstr(log.last, "the trace file: cannot be written"), log.last);
	trace_writer_abort(w);
	log_set_sink(NULL, NULL);
}

TEST(test_cannot_start)
{
	struct sample_log log = { 0 };
	struct trace_info info;

	log_set_sink(sample_sink, &log);
	sample_info(&info);
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_null(trace_writer_new(fd, &info));
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(log.lines, 1);
	assert_non_null(strstr(log.last, "/dev/full"));
	assert_int_equal(close(fd), -1); /* it was the writer's */

	/* What no reader would take is not written. */
	info.sites[0].func = 4;
	assert_null(trace_writer_new(sample_file(), &info));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(log.lines, 2);
	info.sites[0].func = 0;
	assert_int_equal(trace_info_set(&info, "", "x"), 0);
	assert_null(trace_writer_new(sample_file(), &info));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(log.lines, 3);

	struct event_ext ev = { .h.kind = EV_KIND_MAX + 1 };
	fd = sample_file();
	struct trace_writer *w = begin(fd);
	assert_int_equal(trace_writer_event(w, &ev), -EINVAL);
	ev.h.kind = 0;
	assert_int_equal(trace_writer_event(w, &ev), -EINVAL);
	assert_int_equal(log.lines, 4);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	close(fd);
	log_set_sink(NULL, NULL);
	trace_info_free(&info);
}

TESTS(test_round_trip, test_size, test_updates, test_large_tables, test_pipe, test_killed,
      test_full_disk, test_unnamed_file, test_outrun, test_growing, test_cannot_start)
