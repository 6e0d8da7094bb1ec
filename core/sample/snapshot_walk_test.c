// SPDX-License-Identifier: BSD-2-Clause
/* Stacks of goroutines by tables, in memory of this process. */
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "sample/snapshot_walk.h"
#include "attach/process_memory.h"
#include "trace/samples.h"

#define TEXT 0x400000u
#define BIAS 0x10000u

/* Functions of 16 bytes: a leaf, one with a frame of 24 bytes, goexit, asyncPreempt, one whose
 * frame is not known. The second has its frame from its byte 4 on. */
enum { LEAF, FRAMED = 16, GOEXIT = 32, PREEMPT = 48, UNKNOWN = 64, END = 80 };
static struct gostack_row rows[] = {
	{ LEAF, 0 },   { FRAMED, 0 },  { FRAMED + 4, 24 },
	{ GOEXIT, 0 }, { PREEMPT, 8 }, { UNKNOWN, -1 },
};

static struct snapshot binary = {
	.rows = { rows, sizeof(rows) / sizeof(*rows), TEXT, TEXT + END, TEXT },
	.bias = BIAS,
	.special = { { TEXT + GOEXIT, TEXT + GOEXIT + 16, SNAPSHOT_ROOT },
		     { TEXT + PREEMPT, TEXT + PREEMPT + 16, SNAPSHOT_INTERRUPT } },
	.n_special = 2,
};

static uint64_t at(uint32_t off)
{
	return BIAS + TEXT + off;
}

/* A stack of n words of which `given` bytes were read beforehand. */
static struct stack_window window(const uint64_t *words, size_t n, size_t given)
{
	return (struct stack_window){ .from = (uint64_t)(uintptr_t)words,
				      .hi = (uint64_t)(uintptr_t)(words + n),
				      .data = (const uint8_t *)words,
				      .bytes = given };
}

/* Return addresses are 1 too high, what was interrupted is not. */
TEST(callers_are_found)
{
	/* leaf; asyncPreempt, its frame of 8, what it interrupted before its frame was there */
	const uint64_t words[] = { at(PREEMPT + 5), 7, at(FRAMED + 2), at(FRAMED + 8), 1, 2, 3,
				   at(GOEXIT + 1) };
	const uint64_t want[] = { at(LEAF + 3), at(PREEMPT + 4), at(FRAMED + 2), at(FRAMED + 7),
				  at(GOEXIT) };

	for (size_t given = 0; given <= sizeof(words); given += 8) {
		struct stack_window w = window(words, 8, given);
		struct snapshot_goroutine g = { 0 };

		snapshot_walk(&binary, &w, at(LEAF + 4), at(LEAF), &g);
		assert_int_equal(g.n, 5);
		assert_memory_equal(g.pcs, want, sizeof(want));
		assert_int_equal(g.flags, 0);
	}
}

/* It is about to execute its first instruction. */
TEST(one_that_has_not_run)
{
	const uint64_t words[] = { at(GOEXIT + 1) };
	struct stack_window w = window(words, 1, sizeof(words));
	struct snapshot_goroutine g = { 0 };

	snapshot_walk(&binary, &w, at(FRAMED), at(FRAMED), &g);
	assert_int_equal(g.n, 2);
	assert_int_equal(g.pcs[0], at(FRAMED));
	assert_int_equal(g.pcs[1], at(GOEXIT));
	assert_int_equal(g.flags, 0);
}

/* What leaves the text, the table or the stack ends it, and says so. */
TEST(ends_are_told)
{
	const uint64_t nowhere[] = { 12345, 0, 0, 0 }, unknown[] = { at(UNKNOWN + 2), 0, 0, 0 },
		       deep[] = { at(FRAMED + 8), 0 };
	const uint64_t *const stacks[] = { nowhere, unknown, deep };
	static const size_t lengths[] = { 4, 4, 2 };

	for (size_t i = 0; i < 3; i++) {
		struct stack_window w = window(stacks[i], lengths[i], 8 * lengths[i]);
		struct snapshot_goroutine g = { 0 };

		snapshot_walk(&binary, &w, at(LEAF + 4), 0, &g);
		assert_int_equal(g.n, 2);
		assert_int_equal(g.flags, STACK_UNREADABLE);
	}
}

TEST(a_deep_one_is_cut)
{
	static uint64_t words[2 * SNAPSHOT_FRAMES];
	struct snapshot_goroutine g = { 0 };

	for (size_t i = 0; i < 2 * SNAPSHOT_FRAMES; i++)
		words[i] = at(LEAF + 4);
	/* one window after the other */
	struct stack_window w = window(words, 2 * SNAPSHOT_FRAMES, 64);
	snapshot_walk(&binary, &w, at(LEAF + 4), 0, &g);
	assert_int_equal(g.n, SNAPSHOT_FRAMES);
	assert_int_equal(g.flags, STACK_CUT);
}

/* What reads is a child of this process. */
FIXTURE(let_read)
{
	binary.pid = getpid();
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* of no effect where Yama is not there */
	return 0;
}

FIXTURE(end_reader)
{
	process_memory_end();
	return 0;
}

TESTS_BETWEEN(let_read, end_reader, callers_are_found, one_that_has_not_run, ends_are_told,
	      a_deep_one_is_cut)
