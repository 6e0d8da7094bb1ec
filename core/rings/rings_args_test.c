// SPDX-License-Identifier: BSD-2-Clause
/* Events with arguments in the rings of inline stubs. */

#include "base/test_fixture.h"
#include "rings/rings_fixture.h"

#define GOPC  0x1234
#define START 0x5678

/* As a stub of runtime.newproc1 does it. */
static void put_create(struct ring_head *r, uint64_t clock, uint64_t goid)
{
	rings_arg(r, goid, 0);
	rings_arg(r, GOPC, 1);
	rings_arg(r, START, 2);
	rings_slot(r, clock, 0, 5);
}

static void assert_create(const struct event_ext *ev, uint64_t ns, uint64_t by, uint64_t goid)
{
	assert_int_equal(ev->h.kind, EV_CREATE);
	assert_int_equal(ev->h.ts_ns, ns);
	assert_int_equal(ev->h.goid, by);
	assert_int_equal(ev->h.site, 5);
	assert_int_equal(ev->h.tid, 9020);
	assert_int_equal(ev->h.depth, 0);
	assert_int_equal(ev->h.flags, HOW_INLINE << EVF_HOW_SHIFT);
	assert_true(ev->arg[0] == goid);
	assert_int_equal(ev->arg[1], RINGS_TEXT + GOPC);
	assert_int_equal(ev->arg[2], RINGS_TEXT + START);
	assert_int_equal(ev->arg[3], 0);
}

/* Each in its turn, among others and of two rings. */
static void in_their_turn(void **state)
{
	static const uint8_t want[] = {
		EV_CREATE, EV_ENTRY, EV_CREATE, EV_CREATE, EV_EXIT, EV_ENTRY
	};
	struct rings_fixture *f = *state;
	struct ring_head *r = f->ring[0];

	rings_context(r, 7, 20);
	put_create(r, 1 * MS + 1, UINT64_MAX);
	rings_slot(r, 1 * MS + 2, 64, 0);
	rings_context(r, 0, 20);
	put_create(r, 1 * MS + 3, 9); /* nobody made it */
	rings_context(r, 7, 20);
	rings_slot(r, 1 * MS + 5, 64, 1);
	rings_context(f->ring[1], 8, 20);
	put_create(f->ring[1], 1 * MS + 4, 10);
	rings_slot(f->ring[1], 1 * MS + 6, 64, 0);
	rings_round(f, 3 * MS);
	assert_int_equal(f->n, sizeof(want));
	for (size_t i = 0; i < f->n; i++) {
		assert_int_equal(f->ev[i].kind, want[i]);
		assert_int_equal(f->ev[i].ts_ns, 1 * MS + 1 + i);
	}
	assert_create(&f->with_args[0], 1 * MS + 1, 7, UINT64_MAX);
	assert_create(&f->with_args[1], 1 * MS + 3, 0, 9);
	assert_create(&f->with_args[2], 1 * MS + 4, 8, 10);
	assert_int_equal(rings_stats(f->rings).events, 6);
	assert_int_equal(rings_stats(f->rings).disabled, 0);
}

/* A stack that grows: why the prologue stopped, and what it led to. */
static void stopped_and_grown(void **state)
{
	struct rings_fixture *f = *state;
	struct ring_head *r = f->ring[0];
	const struct event_ext *ev = f->with_args;

	rings_context(r, 7, 20);
	rings_arg(r, GOPC, 0);
	rings_slot(r, 1 * MS + 1, 136, 6);
	rings_arg(r, 2048, 0);
	rings_arg(r, 4096, 1);
	rings_slot(r, 1 * MS + 2, 0, 7);
	rings_slot(r, 1 * MS + 3, 144, 0);
	rings_round(f, 3 * MS);
	assert_int_equal(f->n, 3);
	assert_int_equal(f->n_with_args, 2);
	assert_int_equal(ev[0].h.kind, EV_STOP);
	assert_int_equal(ev[0].h.goid, 7);
	assert_int_equal(ev[0].h.depth, 136);
	assert_int_equal(ev[0].arg[0], RINGS_TEXT + GOPC);
	assert_int_equal(ev[0].arg[1] | ev[0].arg[2], 0);
	assert_int_equal(ev[1].h.kind, EV_RESUME);
	assert_int_equal(ev[1].h.depth, 0);
	assert_int_equal(ev[1].arg[0], 2048);
	assert_int_equal(ev[1].arg[1], 4096);
	assert_int_equal(ev[1].arg[2], STOP_GROWTH);
	assert_int_equal(f->ev[2].kind, EV_ENTRY);
	assert_int_equal(rings_stats(f->rings).disabled, 0);
}

/* A round may end between an event and its arguments, or before its time is known. */
static void over_rounds(void **state)
{
	struct rings_fixture *f = *state;
	struct ring_head *r = f->ring[0];

	rings_context(r, 7, 20);
	rings_arg(r, 9, 0);
	rings_arg(r, GOPC, 1);
	rings_round(f, 3 * MS);
	assert_int_equal(f->n, 0);
	rings_arg(r, START, 2);
	rings_slot(r, 3 * MS + 1, 0, 5);
	f->tsc_now = 3 * MS + 2;
	rings_look(f, 3 * MS);
	assert_int_equal(rings_until(f->rings, 3 * MS), 0);
	assert_int_equal(f->n, 0);
	rings_round(f, 4 * MS);
	assert_int_equal(f->n_with_args, 1);
	assert_create(&f->with_args[0], 3 * MS + 1, 7, 9);
	assert_int_equal(rings_stats(f->rings).disabled, 0);
}

/* One that was published after later ones had been handed out. */
static void late(void **state)
{
	struct rings_fixture *f = *state;
	struct ring_head *r = f->ring[0];

	rings_round(f, 3 * MS);
	rings_context(r, 7, 20);
	put_create(r, 1 * MS + 1, 9);
	rings_slot(r, 3 * MS + 1, 64, 0);
	rings_round(f, 4 * MS);
	assert_int_equal(f->n_late, 1);
	assert_int_equal(f->late_at, 0);
	assert_int_equal(f->n, 2);
	assert_create(&f->with_args[0], 3 * MS, 7, 9);
}

TESTS_EACH(rings_setup, rings_teardown, in_their_turn, stopped_and_grown, over_rounds, late)
