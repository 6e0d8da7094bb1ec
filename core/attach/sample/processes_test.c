// SPDX-License-Identifier: BSD-2-Clause
/* What is known of processes stays within its bytes, and no sample is without a process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach/sample/processes.h"
#include "trace/keys.h"

#define PROCESSES 5000
#define BYTES     400000u
#define FIRST     (5u << 22) /* no process has such a number (PID_MAX_LIMIT) */

static struct trace_writer *new_writer(void)
{
	struct trace_info info = { 0 };
	int fd = memfd_create("x", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	struct trace_writer *w = trace_writer_new(fd, &info);

	assert_non_null(w);
	trace_info_free(&info);
	return w;
}

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
		.writer = new_writer(), .binaries = b, .most_bytes = BYTES, .late = true
	};
}

/* Running ones: what has had no sample for longest goes. */
static void test_running(void **state)
{
	struct binaries b = { 0 };
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);

	(void)state;
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
	/* The trace was told of none but the one that something asked for. */
	assert_int_equal(trace_writer_tables(p.writer)->n_processes, 1);
	assert_int_equal(p.err, 0);
	trace_writer_abort(p.writer);
	processes_free(&p);
	assert_int_equal(p.bytes, 0);
}

/* Ended ones without samples go first, and nothing is counted as dropped. */
static void test_ended(void **state)
{
	struct binaries b = { 0 };
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);

	(void)state;
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
static void test_all_asked(void **state)
{
	struct binaries b = { 0 };
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);
	struct trace_writer *first = p.writer;

	(void)state;
	for (uint32_t i = 0; i < PROCESSES; i++) {
		r.exec(r.ctx, FIRST + i, "worker", i + 1);
		map(&r, FIRST + i, 0x10000, i + 1);
		processes_known(&p, FIRST + i, i + 1);
		assert_true(p.bytes <= BYTES + BYTES / 4 + 2000);
	}
	assert_true(p.full);
	assert_true(p.refused > 0);
	assert_int_equal(p.dropped, 0);
	processes_again(&p, new_writer());
	trace_writer_abort(first);
	assert_false(p.full);
	r.exec(r.ctx, FIRST + PROCESSES, "worker", PROCESSES + 1);
	assert_true(p.dropped > 0);
	assert_true(p.bytes <= BYTES);
	trace_writer_abort(p.writer);
	processes_free(&p);
}

/* A process that maps code again and again, as one with a compiler does. */
static void test_many_images(void **state)
{
	struct binaries b = { 0 };
	struct processes p = new_processes(&b);
	const struct side_band_reader r = processes_reader(&p);

	(void)state;
	p.most_bytes = 64u << 20;
	r.exec(r.ctx, FIRST, "jit", 1);
	for (uint64_t k = 1; k < 100000; k++)
		map(&r, FIRST, 0x10000 * k, k);
	assert_true(processes_images(&p, FIRST, 100000) <= 5000);
	trace_writer_abort(p.writer);
	processes_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_running),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_all_asked),
		cmocka_unit_test(test_many_images),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
