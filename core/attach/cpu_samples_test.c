// SPDX-License-Identifier: BSD-2-Clause
/* Which pc is a probe's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attach/cpu_samples.h"

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

static const struct pc_samples in_user = { .user = 10, .kernel = 1 },
			       in_kernel = { .user = 1, .kernel = 10 };

static void test_places(void **state)
{
	const bool in_stub[] = { false, true, true };
	struct probe_places p;

	(void)state;
	assert_int_equal(probe_places_find(&p, &plan, in_stub), 0);
	assert_true(probe_places_has(&p, 0x5000, &in_user));
	assert_true(probe_places_has(&p, 0x5001, &in_user));
	assert_false(probe_places_has(&p, 0x5002, &in_user));
	assert_false(probe_places_has(&p, 0x4fff, &in_kernel));
	/* The jump in the text is the program's, and where the stub's trap goes on is the probe's.
	 */
	assert_false(probe_places_has(&p, 0x6000, &in_user));
	assert_true(probe_places_has(&p, 0x6007, &in_user));
	assert_false(probe_places_has(&p, 0x7000, &in_user));
	assert_false(probe_places_has(&p, 0x7005, &in_user));
	/* Stubs, below 0. */
	assert_true(probe_places_has(&p, (uint64_t)-0x2000, &in_user));
	assert_true(probe_places_has(&p, (uint64_t)-0x1001, &in_user));
	assert_false(probe_places_has(&p, (uint64_t)-0x1000, &in_user));
	assert_false(probe_places_has(&p, (uint64_t)-0x2001, &in_user));
	probe_places_free(&p);
}

/* Nothing is in a stub after all: all three are traps. */
static void test_without_stubs(void **state)
{
	const bool in_stub[] = { false, false, false };
	struct probe_places p;

	(void)state;
	assert_int_equal(probe_places_find(&p, &plan, in_stub), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_true(probe_places_has(&p, sites[i].vaddr + 1, &in_user));
	assert_false(probe_places_has(&p, 0x6007, &in_user));
	probe_places_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_without_stubs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
