// SPDX-License-Identifier: BSD-2-Clause
/* What inline stubs do when no signal comes: registers, flags, memory, slots; every way around. */
#include "base/test_fixture.h"
#include "plan/inline_asm.h"
#include "plan/inline_world_fixture.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <x86intrin.h>

#define ARITHMETIC_FLAGS 0x8d5ull

struct outcome {
	enum world_end end;
	unsigned traps, n;
	struct world_event events[8];
	struct user_regs_struct regs;
	uint64_t data, stack[WORLD_STACK_USED / 8];
};

static struct outcome run(struct child *k, uint64_t flags)
{
	struct outcome o = { 0 };
	struct user_regs_struct r = child_first_regs(k);

	r.eflags |= flags;
	child_set(k, &r);
	o.end = child_run(k, 0, 0, &o.traps);
	o.n = world_events(k, o.events);
	o.regs = child_get(k);
	memcpy(&o.data, k->w->text + TEXT_DATA, 8);
	memcpy(o.stack, k->w->stack + sizeof(k->w->stack) - WORLD_STACK_USED, WORLD_STACK_USED);
	return o;
}

/* As without the stub, but for the event. Fault and all. */
static void same_as_without(struct child *k)
{
	struct outcome without, with, other;
	uint64_t before;

	world_unpatch(k);
	world_reset(k);
	without = run(k, 0);
	world_reset(k);
	other = run(k, ARITHMETIC_FLAGS);
	world_patch(k);
	world_reset(k);
	before = __rdtsc();
	with = run(k, 0);
	assert_int_equal(with.end, without.end);
	/* Where they differ without a stub, they are what they were before the window: dead. */
	assert_true(child_same_registers(
		k, with.regs, without.regs,
		k->c->late ? 0 : ARITHMETIC_FLAGS & ~(without.regs.eflags ^ other.regs.eflags)));
	assert_true(with.data == without.data);
	if (with.end != END_PANIC) /* its return address tells */
		assert_memory_equal(with.stack, without.stack, sizeof(with.stack));
	if ((with.end == END_PANIC && k->c->late) || k->c->bare)
		assert_int_equal(with.n, 0);
	else
		assert_int_equal(with.n, 1);
	assert_int_equal(with.traps, k->c->bare && with.end != END_PANIC);
	if (!with.n)
		return;
	assert_int_equal(with.events[0].site,
			 WORLD_SITE | (k->c->from == G_WAITING && k->c->to == G_RUNNABLE ? RING_WAKE
											 : 0));
	assert_true(with.events[0].goid == WORLD_GOID);
	assert_true(with.events[0].procid == WORLD_PROCID(0));
	assert_true(with.events[0].clock > before && with.events[0].clock < __rdtsc());
	if (!k->c->late)
		assert_int_equal(with.events[0].depth,
				 k->c->what == INLINE_DEPTH ? WORLD_STACK_USED : k->c->depth);
}

TEST(test_every_window)
{
	struct child k;

	for (unsigned i = 0; i < n_world_cases; i++) {
		print_message("%s\n", world_cases[i].name);
		child_start(&k, &world_cases[i], HANDLERS_MASKED);
		same_as_without(&k);
		child_end(&k);
	}
}

/* ---- the protocol, in an entry and an exit */

static uint64_t *goid_of(struct child *k)
{
	return (uint64_t *)(k->w->g + WORLD_G_GOID);
}

/* A context slot when goroutine or thread change, and then only. */
static void contexts(struct child *k)
{
	const struct ring_head *h = &k->w->rings[0].head;
	const uint64_t other = 5000; /* thread */
	struct outcome o;

	world_reset(k);
	run(k, 0);
	assert_int_equal(h->head, 2 * RING_SLOT);
	assert_true(h->last_goid == WORLD_GOID && h->last_procid == WORLD_PROCID(0));
	run(k, 0);
	assert_int_equal(h->head, 3 * RING_SLOT);
	*goid_of(k) = 78;
	run(k, 0);
	assert_int_equal(h->head, 5 * RING_SLOT);
	memcpy(k->w->m[0] + WORLD_M_PROCID, &other, 8);
	o = run(k, 0);
	assert_int_equal(h->head, 7 * RING_SLOT);
	assert_int_equal(o.n, 4);
	assert_true(o.events[0].goid == 77 && o.events[1].goid == 77 && o.events[2].goid == 78);
	assert_true(o.events[3].goid == 78 && o.events[3].procid == other);
}

/* Positions do not wrap, places do; beyond 32 bits too. */
static void wraps_around(struct child *k)
{
	struct ring_head *h = &k->w->rings[0].head;
	struct outcome o;

	for (unsigned back = 0; back <= 2 * RING_SLOT; back += RING_SLOT) {
		world_reset(k);
		h->head = h->reserved = h->tail = (3ull << 32) - back;
		o = run(k, 0);
		assert_int_equal(o.n, 1);
		assert_int_equal(o.events[0].site, WORLD_SITE);
		assert_true(h->head == (3ull << 32) - back + 2 * RING_SLOT);
	}
}

/* One trap, nothing in any ring. */
static void assert_slow(struct child *k)
{
	struct ring_head before = k->w->rings[0].head;
	struct outcome o = run(k, 0);

	assert_int_equal(o.end, END_BACK);
	assert_int_equal(o.traps, 1);
	assert_true(k->w->rings[0].head.head == before.head);
	assert_true(k->w->rings[0].head.reserved == before.head);
	assert_true(k->w->rings[0].head.dropped == before.dropped);
	assert_true(k->w->rings[1].head.head == 0);
}

static void slow_paths(struct child *k)
{
	static const uint8_t statuses[] = { 0, 1, 3, 4, 6, 8, 9 };
	uint64_t none = 0;
	int32_t id = RING_MAX;

	for (unsigned i = 0; i < sizeof(statuses); i++) {
		world_reset(k);
		k->w->g[WORLD_G_STATUS] = statuses[i];
		assert_slow(k);
	}
	world_reset(k);
	k->w->g[WORLD_G_STATUS + 1] = 0x10; /* _Gscan */
	assert_slow(k);
	world_reset(k);
	memcpy(k->w->m[0] + WORLD_M_P, &none, 8);
	assert_slow(k);
	world_reset(k);
	memcpy(k->w->p[0], &id, 4);
	assert_slow(k);
	id = -1;
	memcpy(k->w->p[0], &id, 4);
	assert_slow(k);
	id = RING_MAX - 1; /* in the table, without a ring */
	memcpy(k->w->p[0], &id, 4);
	assert_slow(k);
	world_reset(k);
	k->w->table[0] = 0;
	assert_slow(k);
	world_reset(k);
	k->w->rings[0].head.tail = RING_DISABLED;
	assert_slow(k);
	world_reset(k);
	k->w->rings[0].head.head = k->w->rings[0].head.reserved = 1 << 20;
	k->w->rings[0].head.tail = RING_DISABLED;
	assert_slow(k);
	world_reset(k);
	k->w->stub[k->parts.record_switch] = INLINE_SILENT;
	assert_slow(k);
	k->w->rings[0].head.head = k->w->rings[0].head.reserved = WORLD_SLOTS; /* full */
	assert_slow(k);
	k->w->stub[k->parts.record_switch] = INLINE_RECORDS;
}

/* Recording is off: no event, no trap, nothing counted; then on again. */
static void off(struct child *k)
{
	struct ring_head *h = &k->w->rings[0].head;

	world_reset(k);
	for (uint64_t head = 0, n = 0; head <= 1ull << 40; head = head * 4 + 4 * RING_SLOT) {
		struct ring_head before;
		struct outcome o;

		h->head = h->reserved = head;
		h->tail = n++ % 2 ? RING_SHUT : RING_PAUSED;
		before = *h;
		o = run(k, 0);
		assert_int_equal(o.end, END_BACK);
		assert_int_equal(o.traps, 0);
		assert_memory_equal(h, &before, sizeof(before));
		h->tail = head;
		o = run(k, 0);
		assert_int_equal(o.traps, 0);
		assert_true(h->head > head);
	}
}

/* Full is full to the byte: room for an event and its context must be there. */
static void full(struct child *k)
{
	struct ring_head *h = &k->w->rings[0].head;

	for (unsigned left = 0; left <= RING_ROOM + RING_SLOT; left += RING_SLOT) {
		world_reset(k);
		h->tail = 1 << 20;
		h->head = h->reserved = h->tail + WORLD_SLOTS - left;
		struct outcome o = run(k, 0);

		assert_int_equal(o.end, END_BACK);
		if (left >= RING_ROOM) {
			assert_int_equal(o.traps + h->dropped, 0);
			assert_true(h->head == h->tail + WORLD_SLOTS - left + 2 * RING_SLOT);
			continue;
		}
		assert_true(h->head == h->tail + WORLD_SLOTS - left && h->reserved == h->head);
		assert_int_equal(o.traps, !k->c->drop);
		assert_int_equal(h->dropped, k->c->drop);
	}
}

/* Count, first and last time, whose. Anew once the collector has seen them. */
static void drops(struct child *k)
{
	struct ring_head *h = &k->w->rings[0].head;
	uint64_t first;

	world_reset(k);
	h->head = h->reserved = WORLD_SLOTS;
	h->dropped = h->dropped_seen = 5;
	h->dropped_goid = 1;
	run(k, 0);
	first = h->dropped_first;
	assert_true(first && h->dropped_last == first && h->dropped == 6 && h->dropped_goid == 77);
	run(k, 0);
	assert_true(h->dropped_first == first && h->dropped_last > first && h->dropped == 7);
	assert_true(h->dropped_goid == 77);
	*goid_of(k) = 78;
	run(k, 0);
	assert_true(h->dropped_first == first && h->dropped_goid == RING_MANY_GOIDS);
	h->dropped_seen = h->dropped;
	run(k, 0);
	assert_true(h->dropped_first > first && h->dropped == 9 && h->dropped_goid == 78);
}

TEST(test_protocol)
{
	struct child k;

	for (unsigned i = 0; i < 4; i++) { /* entry, exit, each with drop */
		child_start(&k, &world_cases[i], HANDLERS_MASKED);
		contexts(&k);
		wraps_around(&k);
		slow_paths(&k);
		off(&k);
		full(&k);
		if (k.c->drop)
			drops(&k);
		child_end(&k);
	}
}

/* ---- a record that faults: never a panic, rings disabled, the event by the slow path */

static void assert_swallowed(struct child *k, unsigned n_events)
{
	struct outcome o = run(k, 0);

	assert_int_equal(o.end, END_BACK);
	assert_int_equal(o.traps, 1);
	assert_int_equal(k->w->n_seen, 0);
	assert_int_equal(k->w->signals.faults, n_events);
	for (unsigned i = 0; i < RING_MAX; i++)
		assert_true(!k->w->table[i]);
}

TEST(test_faults_of_the_record)
{
	struct child k;

	for (unsigned i = 0; i < 4; i++) {
		child_start(&k, &world_cases[i], HANDLERS_MASKED);
		k.w->table[0] = 4096; /* not mapped: the header is gone */
		assert_swallowed(&k, 1);
		world_reset(&k);
		/* the slots are gone */
		k.w->table[0] = world_at(&k, k.w) + WORLD_BYTES - RING_DATA;
		assert_swallowed(&k, 1);
		world_reset(&k);
		assert_int_equal(child_syscall(&k, SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV), 0);
		assert_swallowed(&k, 1);
		child_end(&k);
	}
}

/* ---- what cannot be written */

TEST(test_refused)
{
	static const uint8_t code[64];
	struct inline_program p = { .ring_size = 4096 };
	struct inline_stub s = { .displaced = code, .len = 5 };
	struct inline_parts o;
	uint8_t to[INLINE_STUB_MAX];

	assert_int_equal(inline_stub_parts(&p, &s, &o), 0);
	s.len = 0;
	assert_int_equal(inline_stub_parts(&p, &s, &o), -EINVAL);
	s.len = INLINE_WINDOW + 1;
	assert_int_equal(inline_stub_parts(&p, &s, &o), -EINVAL);
	s.len = 5;
	s.n_fixes = 1;
	s.fixes[0] = (struct inline_fix){ 2, INLINE_FIX_MEMORY }; /* ends after the window */
	assert_int_equal(inline_stub_parts(&p, &s, &o), -EINVAL);
	s.fixes[0] = (struct inline_fix){ 1, INLINE_FIX_CALL };
	assert_int_equal(inline_stub_parts(&p, &s, &o), 0);
	s.len = 6; /* something follows the call */
	assert_int_equal(inline_stub_parts(&p, &s, &o), -EINVAL);
	s.fixes[0].kind = INLINE_FIX_BRANCH32;
	s.late = true;
	assert_int_equal(inline_stub_parts(&p, &s, &o), -EINVAL);
	s.late = false;
	assert_int_equal(inline_stub_parts(&p, &s, &o), 0);
	assert_int_equal(inline_stub_write(&p, &s, 16, to), -EINVAL);
	assert_int_equal(inline_stub_write(&p, &s, 32, to), 0);
	s.back = 1ull << 32;
	assert_int_equal(inline_stub_write(&p, &s, 32, to), -ERANGE);
	s.tells = INLINE_STATUS; /* it needs registers as they are at the entry */
	assert_int_equal(inline_stub_parts(&p, &s, &o), -EINVAL);
	s.tells = INLINE_DEPTH;
	s.back = -(1ull << 30); /* below 0: a PIE's */
	assert_int_equal(inline_stub_write(&p, &s, 32, to), 0);
}

/* No stub is longer than it is said to be. */
TEST(test_size)
{
	static const uint8_t code[64];
	struct inline_program p = { .ring_size = 4096, .drop = true };
	struct inline_stub s = { .displaced = code,
				 .len = INLINE_WINDOW,
				 .compare = code,
				 .compare_len = INLINE_COMPARE,
				 .keeps_rdx = true,
				 .n_fixes = 4,
				 .fixes = { { 1, INLINE_FIX_BRANCH8 },
					    { 3, INLINE_FIX_BRANCH8 },
					    { 5, INLINE_FIX_BRANCH8 },
					    { 60, INLINE_FIX_CALL } } };
	struct inline_parts o;

	assert_int_equal(inline_stub_parts(&p, &s, &o), 0);
	assert_true(o.end <= INLINE_STUB_MAX);
}

/* As inline_stub.c has them. */
extern const struct {
	uint16_t at, what;
} inline_patches[], inline_patches_end[];

/* A stub's are looked for by halves. */
TEST(test_patches_in_order)
{
	const size_t n = (size_t)(inline_patches_end - inline_patches);

	assert_true(n > 100);
	for (size_t i = 1; i < n; i++)
		assert_true(inline_patches[i - 1].at < inline_patches[i].at);
}

TESTS(test_every_window, test_protocol, test_faults_of_the_record, test_refused, test_size,
      test_patches_in_order)
