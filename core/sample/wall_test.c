// SPDX-License-Identifier: BSD-2-Clause
/* A process of which nothing more is to be had leaves its place to others. */

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "attach/probes/executable_id.h"
#include "sample/wall.h"
#include "trace/samples_writer_fixture.h"

#define PROCESSES 3000
#define FIRST     (5u << 22) /* no process has such a number (PID_MAX_LIMIT) */
#define SECOND    1000000000ull

struct world {
	struct sample_bpf bpf;
	struct known_binary own;
	struct binaries b;
	struct processes p;
	struct wall w;
};

static int set_up(void **state)
{
	struct world *x = calloc(1, sizeof(*x));
	struct stat st;

	assert_non_null(x);
	/* They know this program, and have no BPF program to tell of it. */
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	x->own = (struct known_binary){ .key = executable_id_of(&st), .ambiguous = true };
	x->b = (struct binaries){ .known = &x->own, .n = 1, .cap = 1 };
	x->p = (struct processes){ .writer = samples_writer_fixture(), .binaries = &x->b };
	x->w.on = true;
	wall_begin(&x->w, &x->p, &x->bpf, x->p.writer, 1);
	*state = x;
	return 0;
}

static int tear_down(void **state)
{
	struct world *x = *state;

	wall_free(&x->w);
	trace_writer_abort(x->p.writer);
	processes_free(&x->p);
	free(x);
	return 0;
}

static void begin(struct world *x, uint32_t pid, uint64_t ts_ns)
{
	const struct side_band_reader r = processes_reader(&x->p);

	r.exec(r.ctx, pid, "worker", ts_ns);
}

/* Each has ended by the time that it is looked at. */
static void test_ended(void **state)
{
	struct world *x = *state;

	for (uint32_t i = 0; i < PROCESSES; i++) {
		begin(x, FIRST + i, i + 1);
		assert_int_equal(wall_take(&x->w, i + 1, true), 0);
		assert_int_equal(x->w.n, 0);
	}
	assert_true(x->w.cap < 100);
}

/* This program is not Go's, and nothing tells of its threads: it is looked at once in a trace,
 * though its place is another one then. */
static void test_once(void **state)
{
	struct world *x = *state;
	struct trace_writer *first = x->p.writer;

	begin(x, (uint32_t)getpid(), 1);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(wall_take(&x->w, SECOND + i, true), 0);
		assert_int_equal(x->w.n, 0);
		assert_int_equal(x->w.not_go, 1);
		x->p.moved++;
	}
	x->p.writer = samples_writer_fixture();
	processes_again(&x->p, x->p.writer);
	trace_writer_abort(first);
	wall_again(&x->w, x->p.writer, 2 * SECOND);
	assert_int_equal(x->w.not_go, 0);
	assert_int_equal(wall_take(&x->w, 3 * SECOND, true), 0);
	assert_int_equal(x->w.not_go, 1);
}

/* Another has its number at the moment of the look, of which nothing is known. */
static void test_forgotten(void **state)
{
	struct world *x = *state;
	const struct side_band_reader r = processes_reader(&x->p);

	begin(x, FIRST, 1);
	r.fork(r.ctx, FIRST + 1, FIRST, SECOND / 2);
	assert_int_equal(wall_take(&x->w, SECOND, true), 0);
	assert_int_equal(x->w.n, 0);
}

TESTS_EACH(set_up, tear_down, test_ended, test_once, test_forgotten)
