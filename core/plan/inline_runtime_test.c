// SPDX-License-Identifier: BSD-2-Clause
/* Inline stubs inside the runtime whose events are needed: what they record, and when they take the
 * slow path. */
#include "base/test_fixture.h"
#include "bpf/event.h"
#include "plan/inline_asm.h"
#include "plan/inline_world_fixture.h"

#include <string.h>

struct outcome {
	unsigned traps, n;
	struct world_event events[8];
};

static struct outcome run(struct child *k)
{
	struct user_regs_struct r = child_first_regs(k);
	struct outcome o = { 0 };

	child_set(k, &r);
	assert_int_equal(child_run(k, 0, 0, &o.traps), END_BACK);
	o.n = world_events(k, o.events);
	return o;
}

/* A probe records it instead. */
static void assert_slow(struct child *k)
{
	const struct ring_head before = k->w->rings[0].head;
	struct outcome o = run(k);

	assert_int_equal(o.traps, 1);
	assert_memory_equal(&k->w->rings[0].head, &before, sizeof(before));
}

/* 0 where there is none. */
static void assert_args(const struct child *k, const struct world_event *e)
{
	static const struct {
		unsigned n;
		uint64_t args[RING_ARGS];
	} want[] = {
		[INLINE_END] = { 0 },
		[INLINE_CREATE] = { 3, { WORLD_GOID, WORLD_GOPC, WORLD_STARTPC } },
		[INLINE_STOP] = { 1, { WORLD_STOPPED_PC } },
		[INLINE_GROWTH] = { 2, { sizeof(k->w->stack), 2 * sizeof(k->w->stack) } },
	};

	assert_int_equal(e->n_args, want[k->c->what].n);
	for (unsigned i = 0; i < e->n_args; i++)
		assert_true(e->args[i] == want[k->c->what].args[i]);
}

static void assert_written(struct child *k)
{
	struct outcome o = run(k);

	assert_int_equal(o.traps, 0);
	assert_int_equal(o.n, 1);
	assert_int_equal(o.events[0].site, WORLD_SITE);
	assert_true(o.events[0].goid == WORLD_GOID);
	assert_args(k, &o.events[0]);
}

/* What happens to goroutines is needed when calls are not recorded, and must not be dropped. */
static void full_and_off(struct child *k)
{
	struct ring_head *h = &k->w->rings[0].head;

	for (unsigned left = 0; left <= RING_ROOM; left += RING_SLOT) {
		world_reset(k);
		h->tail = 1 << 20;
		h->head = h->reserved = h->tail + WORLD_SLOTS - left;
		if (left < RING_ROOM)
			assert_slow(k);
		else
			assert_int_equal(run(k).traps, 0);
		assert_int_equal(h->dropped, 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		world_reset(k);
		h->tail = i ? RING_PAUSED : RING_DISABLED;
		assert_slow(k);
	}
}

/* On g0 it is the system call that m.curg has open that takes away the P. */
static void without_a_p(struct child *k)
{
	const uint64_t none = 0;

	world_reset(k);
	k->w->g[WORLD_G_STATUS] = 3;
	assert_slow(k);
	k->w->g[WORLD_G_STATUS + 1] = 0x10; /* _Gscan */
	assert_slow(k);
	world_reset(k);
	memcpy(k->w->m[0] + WORLD_M_P, &none, 8);
	assert_slow(k);
	world_reset(k);
	k->w->table[0] = 0;
	assert_slow(k);
	world_reset(k);
	assert_written(k);
}

/* A context each time that goroutine or thread have changed. */
static void contexts(struct child *k)
{
	const struct ring_head *h = &k->w->rings[0].head;
	uint64_t first, procid = 9;

	world_reset(k);
	run(k);
	first = h->head;
	run(k);
	assert_int_equal(h->head, 2 * first - RING_SLOT);
	memcpy(k->w->m[0] + WORLD_M_PROCID, &procid, 8);
	run(k);
	assert_int_equal(h->head, 3 * first - RING_SLOT);
}

/* It is no goroutine of the program, or the first one. */
static void of_nobody(struct child *k)
{
	for (uint64_t goid = 0; goid < 2; goid++) {
		struct outcome o;

		world_reset(k);
		memcpy(k->w->g + WORLD_G_GOID, &goid, 8);
		o = run(k);
		assert_int_equal(o.traps, !goid && k->c->what >= INLINE_STOP);
		assert_int_equal(o.n, goid && k->c->what != INLINE_CREATE);
	}
}

/* No stack is below where it was left; there has to be one. */
static void stopped_nowhere(struct child *k)
{
	const uint64_t none = 0, sp = world_at(k, k->w->stack + sizeof(k->w->stack));

	world_reset(k);
	memcpy(k->w->m[0] + WORLD_M_CURG, &none, 8);
	assert_slow(k);
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t at = sp + i;

		world_reset(k);
		memcpy(k->w->m[0] + WORLD_M_MOREBUF_SP, &at, 8);
		if (i)
			assert_slow(k);
		else
			assert_written(k);
	}
}

/* The garbage collector makes it smaller. */
static void shrunk(struct child *k)
{
	const uint64_t lo = world_at(k, k->w->stack) - sizeof(k->w->stack);
	struct outcome o;

	world_reset(k);
	memcpy(k->w->g, &lo, 8); /* as large as it shall be */
	o = run(k);
	assert_int_equal(o.traps + o.n, 0);
}

/* The scheduler makes one, without m.curg: a context each time. */
static void made_by_nobody(struct child *k)
{
	const uint64_t none = 0;
	struct outcome o;

	world_reset(k);
	for (unsigned i = 1; i < 3; i++) {
		memcpy(k->w->m[0] + WORLD_M_CURG, &none, 8);
		o = run(k);
		assert_int_equal(o.traps, 0);
		assert_int_equal(o.n, i);
		assert_true(o.events[i - 1].goid == 0 && o.events[i - 1].args[0] == WORLD_GOID);
		assert_true(k->w->rings[0].head.last_goid == 0);
	}
	assert_int_equal(k->w->rings[0].head.head, 2 * RING_ROOM);
}

/* A goroutine that is made waiting is a coroutine's: its probe records the state, too. */
static void made_to_wait(struct child *k)
{
	for (unsigned scan = 0; scan < 2; scan++) {
		world_reset(k);
		k->w->g[WORLD_G_STATUS] = 4;
		k->w->g[WORLD_G_STATUS + 1] = scan ? 0x10 : 0;
		assert_slow(k);
	}
}

/* Arguments do not lie one after the other where the ring ends. */
static void around_the_end(struct child *k)
{
	struct ring_head *h = &k->w->rings[0].head;

	for (unsigned left = RING_SLOT; left <= RING_ROOM; left += RING_SLOT) {
		world_reset(k);
		h->head = h->reserved = h->tail = 3 * WORLD_SLOTS - left;
		assert_written(k);
		assert_int_equal(h->head, 3 * WORLD_SLOTS - left + RING_ROOM);
		assert_int_equal(h->reserved, h->head);
	}
}

TEST(test_needed)
{
	for (unsigned i = 0; i < n_world_cases; i++) {
		struct child k;

		if (world_cases[i].what <= INLINE_STATUS)
			continue;
		print_message("%s\n", world_cases[i].name);
		child_start(&k, &world_cases[i], HANDLERS_MASKED);
		assert_true(k.parts.end <= INLINE_STUB_MAX);
		full_and_off(&k);
		without_a_p(&k);
		contexts(&k);
		of_nobody(&k);
		if (world_cases[i].what == INLINE_STOP)
			stopped_nowhere(&k);
		if (world_cases[i].what == INLINE_GROWTH)
			shrunk(&k);
		if (world_cases[i].what == INLINE_CREATE) {
			made_by_nobody(&k);
			made_to_wait(&k);
			around_the_end(&k);
		}
		child_end(&k);
	}
}

TESTS(test_needed)
