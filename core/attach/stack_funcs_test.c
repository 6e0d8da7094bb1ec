// SPDX-License-Identifier: BSD-2-Clause
/* Recorded functions on a stack that is laid out by a real binary's tables. */

#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include "attach/stack_funcs.h"

#define BIAS 0x10000
#define N    4

/* Functions with a frame, the innermost first; all but the second are recorded. */
static struct plan_func funcs[N];
static struct plan plan = { .funcs = funcs, .n_funcs = N };
static struct gobin *binary;
static uint64_t in[N]; /* an address in each, behind its prologue */
static int32_t delta[N];

/* The first address of f at which its frame is there, and a call could end. */
static bool has_frame(const struct gofunc *f, uint64_t *at, int32_t *frame)
{
	for (*at = f->vaddr + 1; *at + 1 < f->vaddr + f->size; ++*at)
		if (!gobin_sp_delta(binary, f, *at, frame) && *frame > 8 && *frame < 128)
			return true;
	return false;
}

static int open_all(void **state)
{
	const struct gofunc *f;
	size_t n, found = 0;

	if (set_up_binaries(state))
		return -1;
	binary = open_binary("kinds");
	n = gobin_funcs(binary, &f);
	for (size_t i = 0; i < n && found < N; i++)
		if (!strncmp(f[i].name, "main.", 5) && has_frame(&f[i], &in[found], &delta[found]))
			funcs[found++] = (struct plan_func){ .fn = &f[i], .fate = PLAN_PROBED };
	funcs[1].fate = PLAN_PROBED + 1;
	plan.binary = binary;
	return found == N ? 0 : -1;
}

FIXTURE(close_all)
{
	gobin_close(binary);
	return 0;
}

static void put(struct cpu_sample_record *r, size_t at, uint64_t word)
{
	memcpy(r->stack + at, &word, sizeof(word));
}

/* A thread at `pc`, `first` bytes below the return address of what it executes. */
static struct cpu_sample_record stopped(uint64_t pc, int32_t first)
{
	struct cpu_sample_record r = { .e.arg = { 0, SAMPLE_WIRE_STACK, pc + BIAS, 0 } };
	size_t at = (size_t)first;

	for (size_t i = 1; i < N; i++) {
		put(&r, at, in[i] + 1 + BIAS);
		at += 8 + (size_t)delta[i];
	}
	return r;
}

TEST(callers_are_found)
{
	struct cpu_sample_record r = stopped(in[0], delta[0]);
	struct probe_places p;
	uint32_t got[SAMPLED_FUNCS];

	assert_int_equal(probe_places_find(&p, &plan, NULL), 0);
	stack_funcs(&p, BIAS, &r, got);
	assert_int_equal(got[0], 1);
	assert_int_equal(got[1], 2);
	assert_int_equal(got[2], 3);
	/* in the prologue, where the frame is not there yet */
	r = stopped(funcs[0].fn->vaddr, 0);
	stack_funcs(&p, BIAS, &r, got);
	assert_int_equal(got[0], 1);
	assert_int_equal(got[1], 2);
	/* in code of a function that is not recorded: its caller's */
	r = stopped(in[1], delta[1]);
	stack_funcs(&p, BIAS, &r, got);
	assert_int_equal(got[0], 2);
	probe_places_free(&p);
}

TEST(it_ends_where_nothing_is_known)
{
	struct cpu_sample_record r = stopped(in[0], delta[0]);
	struct probe_places p;
	uint32_t got[SAMPLED_FUNCS];

	assert_int_equal(probe_places_find(&p, &plan, NULL), 0);
	put(&r, (size_t)delta[0], 0xdeadbeef);
	stack_funcs(&p, BIAS, &r, got);
	assert_int_equal(got[0], 1);
	assert_int_equal(got[1], 0);
	r = stopped(0x1234, 0);
	stack_funcs(&p, BIAS, &r, got);
	assert_int_equal(got[0], 0);
	memset(r.stack, 0xff, sizeof(r.stack));
	r.e.arg[2] = in[0] + BIAS;
	stack_funcs(&p, BIAS, &r, got);
	assert_int_equal(got[1], 0);
	probe_places_free(&p);
}

TESTS_BETWEEN(open_all, close_all, callers_are_found, it_ends_where_nothing_is_known)
