// SPDX-License-Identifier: BSD-2-Clause
/* Which pc is a probe's. */

#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include "attach/probe_places.h"
#include "bpf/event.h"
#include "trace/trace.h"

/* One in the text, one in a springboard's stub, one in an inline stub. */
static struct plan_site sites[] = {
	{ .vaddr = 0x5000, .kind = EV_EXIT },
	{ .vaddr = 0x6000,
	  .kind = EV_EXIT,
	  .stub = { .kind = STUB_JUMP, .displaced_vaddr = 0x6000, .displaced_len = 7 } },
	{ .vaddr = 0x7000,
	  .kind = EV_ENTRY,
	  .stub = { .kind = STUB_INLINE, .displaced_vaddr = 0x7000, .displaced_len = 5 } },
};
static const struct plan plan = {
	.sites = sites,
	.n_sites = 3,
	.stubs = { .vaddr = (uint64_t)-0x2000, .bytes = 0x1000 }, /* as in a PIE */
};

static unsigned user_at(struct probe_places *p, uint64_t vaddr)
{
	return probe_places_sampled(p, vaddr + 0x100, 0x100, SAMPLE_WIRE_USER);
}

TEST(test_places)
{
	const bool in_stub[] = { false, true, true };
	struct probe_places p;

	assert_int_equal(probe_places_find(&p, &plan, in_stub), 0);
	assert_int_equal(user_at(&p, 0x5000), SAMPLED_TRAP);
	assert_int_equal(user_at(&p, 0x5001), SAMPLED_TRAP);
	assert_int_equal(user_at(&p, 0x5002), SAMPLED_PROGRAM);
	assert_int_equal(user_at(&p, 0x4fff), SAMPLED_PROGRAM);
	/* The jump in the text is the program's, and where the stub's trap goes on is the probe's.
	 */
	assert_int_equal(user_at(&p, 0x6000), SAMPLED_PROGRAM);
	assert_int_equal(user_at(&p, 0x6007), SAMPLED_TRAP);
	assert_int_equal(user_at(&p, 0x7000), SAMPLED_PROGRAM);
	assert_int_equal(user_at(&p, 0x7005), SAMPLED_PROGRAM);
	/* Stubs, below 0. */
	assert_int_equal(user_at(&p, (uint64_t)-0x2000), SAMPLED_STUB);
	assert_int_equal(user_at(&p, (uint64_t)-0x1001), SAMPLED_STUB);
	assert_int_equal(user_at(&p, (uint64_t)-0x1000), SAMPLED_PROGRAM);
	assert_int_equal(user_at(&p, (uint64_t)-0x2001), SAMPLED_PROGRAM);
	probe_places_free(&p);
}

/* Nothing is in a stub after all: all three are traps. */
TEST(test_without_stubs)
{
	const bool in_stub[] = { false, false, false };
	struct probe_places p;

	assert_int_equal(probe_places_find(&p, &plan, in_stub), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(user_at(&p, sites[i].vaddr + 1), SAMPLED_TRAP);
	assert_int_equal(user_at(&p, 0x6007), SAMPLED_PROGRAM);
	probe_places_free(&p);
}

/* In the kernel: for the program, in its system call, on behalf of a probe. */
TEST(test_kernel)
{
	const bool in_stub[] = { false, true, true };
	struct probe_places p;

	assert_int_equal(probe_places_find(&p, &plan, in_stub), 0);
	assert_int_equal(probe_places_sampled(&p, 0x4000, 0, 0), SAMPLED_KERNEL);
	assert_int_equal(probe_places_sampled(&p, 0x4000, 0, SAMPLE_WIRE_SYSCALL), SAMPLED_SYSCALL);
	assert_int_equal(probe_places_sampled(&p, 0x5001, 0, 0), SAMPLED_TRAP);
	assert_int_equal(probe_places_sampled(&p, 0x7ffff000, 0, SAMPLE_WIRE_STEPPING),
			 SAMPLED_TRAP);
	/* The page of an optimized uprobe's code is a probe's from the first call in it on. */
	assert_int_equal(probe_places_sampled(&p, 0x9010, 0, SAMPLE_WIRE_USER), SAMPLED_PROGRAM);
	assert_int_equal(probe_places_sampled(&p, 0x9020, 0,
					      SAMPLE_WIRE_SYSCALL | SAMPLE_WIRE_UPROBE),
			 SAMPLED_TRAP);
	assert_int_equal(probe_places_sampled(&p, 0x9010, 0, SAMPLE_WIRE_USER), SAMPLED_TRAP);
	probe_places_free(&p);
}

/* Of a real binary: the main package's functions, whose returns all trap. */
TEST(test_functions)
{
	struct gobin *b = open_binary("kinds");
	const struct plan_options opt = { .strategy = PROBE_EMULATED };
	struct plan *made = plan_build(b, &opt);
	struct probe_places p;
	uint32_t number = 0, returns = 0;

	assert_non_null(made);
	bool *in_stub = calloc(made->n_sites + 1, sizeof(*in_stub));

	assert_non_null(in_stub);
	assert_int_equal(probe_places_find(&p, made, in_stub), 0);
	for (size_t i = 0; i < made->n_funcs; i++) {
		const struct gofunc *fn = made->funcs[i].fn;
		bool probed = made->funcs[i].fate == PLAN_PROBED;
		uint32_t want = probed ? number++ : TRACE_NONE;

		assert_int_equal(probe_places_func(&p, fn->vaddr), want);
		assert_int_equal(probe_places_func(&p, fn->vaddr + fn->size - 1), want);
		/* Behind each call of a function that is probed its RET may be going on. */
		for (uint64_t at = fn->vaddr + 5; at < fn->vaddr + fn->size; at++) {
			const uint8_t *call = gobin_bytes(b, at - 5, 5);
			int32_t off;

			if (!call || call[0] != 0xe8)
				continue;
			memcpy(&off, call + 1, sizeof(off));
			uint32_t to = probe_places_func(&p, at + (uint64_t)(int64_t)off);

			if (to == TRACE_NONE)
				continue;
			returns += probe_places_sampled(&p, at, 0, 0) == SAMPLED_TRAP;
		}
	}
	assert_true(number > 5);
	assert_true(returns > 5);
	assert_int_equal(probe_places_func(&p, 0x1000), TRACE_NONE);
	free(in_stub);
	probe_places_free(&p);
	plan_free(made);
	gobin_close(b);
}

TESTS_BETWEEN(set_up_binaries, NULL, test_places, test_without_stubs, test_kernel, test_functions)
