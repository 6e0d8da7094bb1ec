// SPDX-License-Identifier: BSD-2-Clause
/* What the inline stub at runtime.casgstatus records, and when it takes the slow path. */
#include "base/test_fixture.h"
#include "bpf/event.h"
#include "plan/inline_asm.h"
#include "plan/inline_world_fixture.h"

#include <string.h>

struct outcome {
	enum world_end end;
	unsigned traps, n;
	struct world_event events[8];
};

static struct outcome run(struct child *k)
{
	struct user_regs_struct r = child_first_regs(k);
	struct outcome o = { 0 };

	child_set(k, &r);
	o.end = child_run(k, 0, 0, &o.traps);
	o.n = world_events(k, o.events);
	return o;
}

static void assert_slow(struct child *k)
{
	struct outcome o = run(k);

	assert_int_equal(o.end, END_BACK);
	assert_int_equal(o.traps, 1);
	assert_int_equal(o.n, 0);
}

static const struct world_case *case_named(const char *name)
{
	for (unsigned i = 0; i < n_world_cases; i++)
		if (!strcmp(world_cases[i].name, name))
			return &world_cases[i];
	fail_msg("no case %s", name);
	return NULL;
}

/* Which changes are recorded, and as what. */
static void changes(struct child *k)
{
	for (unsigned from = 0; from <= 9; from++)
		for (unsigned to = 0; to <= 9; to++) {
			static const uint8_t states[] = { 0, STATE_RUNNABLE, STATE_RUNNING,
							  STATE_SYSCALL, STATE_WAITING };
			bool seen = from >= 1 && from <= 4 && to >= 1 && to <= 4;
			struct user_regs_struct r;
			struct world_event e[8];
			unsigned traps = 0;

			world_reset(k);
			r = child_first_regs(k);
			r.rbx = from;
			r.rcx = to;
			child_set(k, &r);
			assert_int_equal(child_run(k, 0, 0, &traps), END_BACK);
			assert_int_equal(traps, 0);
			assert_int_equal(world_events(k, e), seen);
			if (!seen)
				continue;
			bool wake = from == 4 && to == 1;
			assert_int_equal(e[0].site, WORLD_SITE | (wake ? RING_WAKE : 0));
			assert_int_equal(e[0].depth,
					 wake ? WORLD_GOID
					      : STATE_DEPTH(states[to], to == 4 ? 0x6a : 0));
		}
}

/* On g0 it is the system call that m.curg has open that takes away the P; nobody wakes when there
 * is no m.curg. */
static void on_g0(struct child *k)
{
	const uint64_t none = 0;
	struct outcome o;

	for (unsigned i = 0; i < 3; i++) {
		world_reset(k);
		memcpy(k->w->m[0] + WORLD_M_CURG, &none, 8);
		k->w->g[WORLD_G_STATUS] = 3;
		o = run(k);
		assert_int_equal(o.traps, 0);
		assert_int_equal(o.n, 1);
		assert_true(o.events[0].goid == 0);
		assert_true(k->w->rings[0].head.last_goid == 0);
	}
	run(k);
	assert_int_equal(k->w->rings[0].head.head, 4 * RING_SLOT); /* a context each time */
	memset(k->w->g + WORLD_G_STATUS, 4, 1);
	world_reset(k);
	k->w->g[WORLD_G_STATUS] = 4; /* it only waits while it works on g0 */
	o = run(k);
	assert_int_equal(o.n, 1);
	world_reset(k);
	k->w->g[WORLD_G_STATUS] = 3;
	assert_slow(k);
	k->w->g[WORLD_G_STATUS + 1] = 0x10; /* _Gscan */
	assert_slow(k);
	world_reset(k);
	memcpy(k->w->m[0] + WORLD_M_P, &none, 8);
	assert_slow(k);
}

/* A goroutine in a system call has a P, up to Go 1.25, once m.p says so. */
static void given_up(struct child *k)
{
	for (unsigned status = 0; status <= 9; status++) {
		world_reset(k);
		k->w->g[WORLD_G_STATUS] = (uint8_t)status;
		if (status == 2)
			assert_int_equal(run(k).traps, 0);
		else
			assert_slow(k);
	}
}

TEST(test_status)
{
	struct child k;

	child_start(&k, case_named("status, a system call begins"), HANDLERS_MASKED);
	changes(&k);
	given_up(&k);
	child_end(&k);
	child_start(&k, case_named("status, a wake"), HANDLERS_MASKED);
	on_g0(&k);
	child_end(&k);
}

TESTS(test_status)
