// SPDX-License-Identifier: BSD-2-Clause
/* What is known of processes stays within its bytes, and no sample is without a process. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "attach/probes/executable_id.h"
#include "sample/processes.h"
#include "sample/processes_room.h"
#include "trace/samples_writer_fixture.h"

#define PROCESSES 5000
#define BYTES     400000u
#define FIRST     (5u << 22) /* no process has such a number (PID_MAX_LIMIT) */

static void map(const struct side_band_reader *r, uint32_t pid, uint64_t at, uint64_t ts_ns)
{
	const struct side_band_map m = {
		.pid = pid, .start = at, .bytes = 4096, .path = "/usr/lib/nothing/libnothing.so.1"
	};

	r->map(r->ctx, &m, ts_ns);
}

static struct processes new_processes(struct binaries *b)
{
	return (struct processes){
		.writer = samples_writer_fixture(), .binaries = b, .most_bytes = BYTES, .late = true
	};
}

/* Running ones: what has had no sample for longest goes. */
TEST(test_running)
{
	struct binaries b = { 0 };
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);

	for (uint32_t i = 0; i < PROCESSES; i++) {
		r.exec(r.ctx, FIRST + i, "worker", i + 1);
		for (unsigned k = 0; k < 10; k++)
			map(&r, FIRST + i, 0x10000 * (k + 1), i + 1);
		assert_true(p.bytes <= BYTES + BYTES / 4);
		/* This one has samples all the time. */
		assert_int_equal(processes_known(&p, FIRST, i + 1), 0);
	}
	assert_true(p.dropped > 0);
	assert_int_equal(p.n + p.dropped, PROCESSES);
	assert_int_equal(p.refused, 0);
	assert_int_equal(processes_images(&p, FIRST, PROCESSES), 10);
	assert_int_equal(processes_images(&p, FIRST + PROCESSES - 1, PROCESSES), 10);
	/* The trace has only the process whose number something asked for. */
	assert_int_equal(trace_writer_tables(p.writer)->n_processes, 1);
	assert_int_equal(p.err, 0);
	trace_writer_abort(p.writer);
	processes_free(&p);
	assert_int_equal(p.bytes, 0);
}

/* Ended ones without samples go first, and nothing is counted as dropped. */
TEST(test_ended)
{
	struct binaries b = { 0 };
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);

	r.exec(r.ctx, FIRST, "server", 1);
	map(&r, FIRST, 0x10000, 1);
	for (uint32_t i = 1; i <= PROCESSES; i++) {
		r.fork(r.ctx, FIRST, FIRST + i, 2 * i);
		r.end(r.ctx, FIRST + i, 2 * i + 1);
		processes_release(&p, 2 * i);
		assert_true(p.bytes <= BYTES + BYTES / 4);
	}
	assert_int_equal(p.dropped, 0);
	assert_int_equal(p.refused, 0);
	assert_int_equal(processes_images(&p, FIRST, 1), 1);
	trace_writer_abort(p.writer);
	processes_free(&p);
}

/* All have samples: it is full, until another trace is written. */
TEST(test_all_asked)
{
	struct binaries b = { 0 };
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);
	struct trace_writer *first = p.writer;

	for (uint32_t i = 0; i < PROCESSES; i++) {
		r.exec(r.ctx, FIRST + i, "worker", i + 1);
		map(&r, FIRST + i, 0x10000, i + 1);
		processes_known(&p, FIRST + i, i + 1);
		assert_true(p.bytes <= BYTES + BYTES / 4 + 2000);
	}
	assert_true(p.full);
	assert_true(p.refused > 0);
	assert_int_equal(p.dropped, 0);
	processes_again(&p, samples_writer_fixture());
	trace_writer_abort(first);
	assert_false(p.full);
	r.exec(r.ctx, FIRST + PROCESSES, "worker", PROCESSES + 1);
	assert_true(p.dropped > 0);
	assert_true(p.bytes <= BYTES);
	trace_writer_abort(p.writer);
	processes_free(&p);
}

/* A process that maps code again and again, as one with a compiler does. */
TEST(test_many_images)
{
	struct binaries b = { 0 };
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);

	p.most_bytes = 64u << 20;
	r.exec(r.ctx, FIRST, "jit", 1);
	for (uint64_t k = 1; k < 100000; k++)
		map(&r, FIRST, 0x10000 * k, k);
	assert_true(processes_images(&p, FIRST, 100000) <= 5000);
	trace_writer_abort(p.writer);
	processes_free(&p);
}

/* ---- another process with the number of one that is known, of which nothing is known */

#define NAME "this program"

/* They know this program, and have no BPF program to tell of it. */
static struct binaries new_binaries(void)
{
	struct known_binary *own = calloc(1, sizeof(*own));
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;

	assert_non_null(own);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	assert_int_equal(prctl(PR_SET_NAME, NAME), 0);
	*own = (struct known_binary){ .key = executable_id_of(&st), .ambiguous = true };
	return (struct binaries){ .known = own, .n = 1, .cap = 1 };
}

static uint64_t exec_asked(struct processes *p, uint32_t pid, const char *comm, uint64_t ts_ns)
{
	const struct side_band_reader r = processes_reader(p);

	r.exec(r.ctx, pid, comm, ts_ns);
	map(&r, pid, 0x10000, ts_ns);
	return processes_known(p, pid, ts_ns);
}

/* Until no more are taken, as all have samples. */
static uint64_t fill(struct processes *p, uint64_t ts_ns)
{
	for (uint32_t i = 0; !p->refused; i++)
		exec_asked(p, FIRST + i, "worker", ++ts_ns);
	return ts_ns;
}

/* /proc says what it is, once there is room. */
static void expect_this_program(struct processes *p, uint64_t ts_ns)
{
	const uint32_t number = processes_find(p, (uint32_t)getpid(), ts_ns);

	assert_int_not_equal(number, TRACE_NONE);
	assert_string_equal(trace_writer_tables(p->writer)->processes[number].comm, NAME);
}

static void expect_after_refusal(struct processes *p, uint64_t old_ns, uint64_t ts_ns)
{
	const struct side_band_reader r = processes_reader(p);
	const uint32_t pid = (uint32_t)getpid();
	struct trace_writer *first = p->writer;

	map(&r, pid, 0x20000, ts_ns + 1);
	assert_int_equal(processes_find(p, pid, ts_ns + 1), TRACE_NONE);
	assert_int_equal(processes_images(p, pid, ts_ns + 1), 0);
	/* Samples of before are its predecessor's. */
	assert_int_equal(processes_find(p, pid, ts_ns - 1), 0);
	assert_true(processes_images(p, pid, old_ns) <= 1);
	processes_again(p, samples_writer_fixture());
	trace_writer_abort(first);
	expect_this_program(p, ts_ns + 2);
	/* One sample of before it was found comes late: it may be of neither. */
	assert_int_equal(processes_find(p, pid, ts_ns + 1), TRACE_NONE);
	assert_int_equal(p->err, 0);
	trace_writer_abort(p->writer);
	processes_free(p);
}

/* Nobody looks at all of them for each new one: another trace is due. */
TEST(test_full_is_left)
{
	struct binaries b = { 0 };
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);
	struct trace_writer *first = p.writer;

	const uint64_t ts_ns = fill(&p, 0), refused = p.refused;
	const uint32_t unknown = FIRST + PROCESSES;

	assert_true(p.full);
	assert_int_equal(p.moved, 1);
	for (uint32_t i = 0; i < PROCESSES; i++) {
		r.fork(r.ctx, FIRST, unknown + i, ts_ns + i);
		assert_int_equal(processes_find(&p, unknown + i, ts_ns + i), TRACE_NONE);
	}
	assert_int_equal(p.refused, refused + 2 * PROCESSES);
	assert_int_equal(p.moved, 1);
	processes_again(&p, samples_writer_fixture());
	trace_writer_abort(first);
	r.fork(r.ctx, FIRST, unknown, ts_ns + PROCESSES);
	assert_true(p.dropped > 0);
	assert_false(p.full);
	trace_writer_abort(p.writer);
	processes_free(&p);
}

TEST(test_exec_refused)
{
	struct binaries b = new_binaries();
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);

	assert_int_equal(exec_asked(&p, (uint32_t)getpid(), "old", 1), 0);
	const uint64_t ts_ns = fill(&p, 1) + 10;

	r.exec(r.ctx, (uint32_t)getpid(), "new", ts_ns);
	expect_after_refusal(&p, 1, ts_ns);
	binaries_free(&b);
}

TEST(test_fork_refused)
{
	struct binaries b = new_binaries();
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);

	assert_int_equal(exec_asked(&p, (uint32_t)getpid(), "old", 1), 0);
	r.end(r.ctx, (uint32_t)getpid(), 2);
	const uint64_t ts_ns = fill(&p, 2) + 10;

	r.fork(r.ctx, FIRST, (uint32_t)getpid(), ts_ns);
	expect_after_refusal(&p, 1, ts_ns);
	binaries_free(&b);
}

/* Those that run and have no samples, until that one is forgotten. */
static uint64_t forget(struct processes *p, uint32_t pid, uint64_t ts_ns)
{
	const struct side_band_reader r = processes_reader(p);

	assert_int_equal(processes_images(p, pid, ts_ns), 1);
	for (uint32_t i = 0; !p->dropped; i++) {
		r.exec(r.ctx, FIRST + i, "worker", ++ts_ns);
		map(&r, FIRST + i, 0x10000, ts_ns);
	}
	assert_int_equal(processes_images(p, pid, ts_ns), 0);
	return ts_ns;
}

TEST(test_parent_forgotten)
{
	struct binaries b = new_binaries();
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);
	const uint32_t parent = FIRST + PROCESSES;

	assert_int_equal(exec_asked(&p, (uint32_t)getpid(), "old", 1), 0);
	r.end(r.ctx, (uint32_t)getpid(), 2);
	r.exec(r.ctx, parent, "parent", 3);
	map(&r, parent, 0x10000, 3);
	const uint64_t ts_ns = forget(&p, parent, 3);

	r.fork(r.ctx, parent, (uint32_t)getpid(), ts_ns + 1);
	expect_this_program(&p, ts_ns + 2);
	assert_int_equal(p.refused, 0);
	trace_writer_abort(p.writer);
	processes_free(&p);
	binaries_free(&b);
}

/* What it executed before had samples, and is known still. */
TEST(test_successor_forgotten)
{
	struct binaries b = new_binaries();
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);
	const uint32_t pid = (uint32_t)getpid();

	assert_int_equal(exec_asked(&p, pid, "old", 1), 0);
	r.exec(r.ctx, pid, "new", 2);
	map(&r, pid, 0x10000, 2);
	const uint64_t ts_ns = forget(&p, pid, 2);

	expect_this_program(&p, ts_ns + 1);
	trace_writer_abort(p.writer);
	processes_free(&p);
	binaries_free(&b);
}

static void map_file(const struct side_band_reader *r, uint64_t at, const char *path, uint8_t id,
		     uint64_t ts_ns)
{
	const struct side_band_map m = {
		.pid = FIRST,
		.start = at,
		.bytes = 8192,
		.path = path,
		.build_id = &id,
		.build_id_len = 1,
	};

	r->map(r->ctx, &m, ts_ns);
}

/* Stacks are by process and address: where another library takes addresses of one, what comes
 * later is of another process in the trace. */
TEST(test_another_library)
{
	struct binaries b = new_binaries();
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);

	r.exec(r.ctx, FIRST, "host", 1);
	map_file(&r, 0x10000, "/nothing/host", 1, 2);
	map_file(&r, 0x20000, "/nothing/plugin.so", 2, 3);
	map_file(&r, 0x30000, "/nothing/libx.so", 3, 4);
	map_file(&r, 0x20000, "/nothing/plugin.so", 2, 5); /* the same again */
	const uint32_t first = processes_find(&p, FIRST, 6);

	map_file(&r, 0x21000, "/nothing/plugin.so", 4, 10); /* another build, a page behind */
	const uint32_t second = processes_find(&p, FIRST, 11);

	assert_int_equal(processes_find(&p, FIRST, 9), first);
	assert_int_not_equal(second, first);
	/* a page of each former mapping is left before it */
	assert_int_equal(processes_images(&p, FIRST, 11), 5);
	map_file(&r, 0x21000, "/nothing/plugin.so", 4, 12);
	assert_int_equal(processes_find(&p, FIRST, 13), second);
	map_file(&r, 0x20000, "//anon", 0, 20);
	const uint32_t third = processes_find(&p, FIRST, 21);

	assert_int_not_equal(third, second);
	assert_int_equal(processes_find(&p, FIRST, 19), second);
	map_file(&r, 0x20000, "//anon", 0, 22); /* code that is made at run time, again */
	assert_int_equal(processes_find(&p, FIRST, 23), third);
	r.fork(r.ctx, FIRST, FIRST + 1, 24);
	const uint32_t child = processes_find(&p, FIRST + 1, 25);
	const struct side_band_map made = {
		.pid = FIRST + 1, .start = 0x20000, .bytes = 8192, .path = "//anon"
	};

	r.map(r.ctx, &made, 26);
	assert_int_equal(processes_find(&p, FIRST + 1, 27), child);
	map_file(&r, 0x40000, "/nothing/other.so", 5, 30);
	assert_int_equal(processes_find(&p, FIRST, 31), third);
	r.end(r.ctx, FIRST, 40);
	assert_true(process_find(&p, FIRST, 41)->ended);
	assert_string_equal(process_find(&p, FIRST, 41)->comm, "host");
	trace_writer_abort(p.writer);
	processes_free(&p);
	binaries_free(&b);
}

/* Records of all processes outside of the PID namespace have one number, which names none. */
TEST(test_outside)
{
	struct binaries b = { 0 };
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);

	const uint32_t outside = processes_find(&p, PROCESS_OUTSIDE, 10);

	assert_int_not_equal(outside, TRACE_NONE);
	r.exec(r.ctx, PROCESS_OUTSIDE, "stranger", 20);
	map(&r, PROCESS_OUTSIDE, 0x10000, 21);
	r.fork(r.ctx, FIRST, PROCESS_OUTSIDE, 22);
	r.end(r.ctx, PROCESS_OUTSIDE, 23);
	assert_int_equal(processes_find(&p, PROCESS_OUTSIDE, 30), outside);
	const struct process *one = process_find(&p, PROCESS_OUTSIDE, 30);

	assert_string_equal(one->comm, PROCESS_OUTSIDE_NAME);
	assert_int_equal(one->n_images, 0);
	assert_false(one->ended);
	/* A process that enters the namespace is none of them. */
	r.fork(r.ctx, PROCESS_OUTSIDE, FIRST, 40);
	assert_null(process_find(&p, FIRST, 41));
	r.exec(r.ctx, FIRST, "entered", 50);
	assert_string_equal(process_find(&p, FIRST, 51)->comm, "entered");
	trace_writer_abort(p.writer);
	processes_free(&p);
	binaries_free(&b);
}

TESTS(test_outside, test_running, test_ended, test_all_asked, test_many_images, test_full_is_left,
      test_exec_refused, test_fork_refused, test_parent_forgotten, test_successor_forgotten,
      test_another_library)
