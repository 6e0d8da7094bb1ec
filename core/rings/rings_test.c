// SPDX-License-Identifier: BSD-2-Clause
/* Rings as stubs write them. */
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "rings/rings_fixture.h"

static void whose_and_when(void **state)
{
	struct rings_fixture *f = *state;

	rings_context(f->ring[0], 7, 20);
	rings_slot(f->ring[0], 100, 64, 0);
	rings_slot(f->ring[0], 400, 56, 1);
	rings_context(f->ring[0], 8, 20);
	rings_slot(f->ring[0], 500, 80, 0);
	rings_context(f->ring[3], 9, 21);
	rings_slot(f->ring[3], 200, 72, 0);
	rings_slot(f->ring[3], 300, 64, 3);
	assert_int_equal(rings_round(f, 2 * MS), 2 * MS);
#define WRITTEN .flags = HOW_INLINE << EVF_HOW_SHIFT
	static const struct event want[] = {
		{ .ts_ns = 100,
		  .goid = 7,
		  .site = 0,
		  .depth = 56,
		  .tid = 9020,
		  .kind = EV_ENTRY,
		  WRITTEN },
		{ .ts_ns = 200,
		  .goid = 9,
		  .site = 0,
		  .depth = 64,
		  .tid = 9021,
		  .kind = EV_ENTRY,
		  WRITTEN },
		{ .ts_ns = 300,
		  .goid = 9,
		  .site = 3,
		  .depth = 64,
		  .tid = 9021,
		  .kind = EV_ENTRY_EXIT,
		  WRITTEN },
		{ .ts_ns = 400,
		  .goid = 7,
		  .site = 1,
		  .depth = 56,
		  .tid = 9020,
		  .kind = EV_EXIT,
		  WRITTEN },
		{ .ts_ns = 500,
		  .goid = 8,
		  .site = 0,
		  .depth = 72,
		  .tid = 9020,
		  .kind = EV_ENTRY,
		  WRITTEN },
	};

	assert_int_equal(f->n, 5);
	assert_memory_equal(f->ev, want, sizeof(want));
	assert_int_equal(f->asked, 2); /* the same thread in a row is asked for once */
	assert_int_equal(f->ring[0]->tail, f->ring[0]->head);
	assert_int_equal(f->ring[3]->tail, f->ring[3]->head);
	assert_int_equal(rings_stats(f->rings).events, 5);
	assert_int_equal(f->n_losses, 0);
}

/* What is not complete yet stays in the ring, and so does what is later than the clock is known. */
static void up_to_the_watermark(void **state)
{
	struct rings_fixture *f = *state;

	rings_context(f->ring[0], 7, 20);
	for (uint64_t ts = 100; ts <= 500; ts += 100)
		rings_slot(f->ring[0], ts, 64, 0);
	rings_slot(f->ring[0], 2 * MS + 50, 64, 0);
	rings_pair(f, 2 * MS);
	f->tsc_now = 2 * MS + 60;
	assert_int_equal(rings_look(f, 2 * MS), 2 * MS);
	assert_int_equal(rings_first_ns(f->rings), 100);
	rings_until(f->rings, 300);
	assert_int_equal(f->n, 2);
	assert_int_equal(rings_first_ns(f->rings), 300);
	rings_release(f->rings);
	assert_int_equal(f->ring[0]->tail, 3 * RING_SLOT);
	rings_until(f->rings, 2 * MS);
	assert_int_equal(f->n, 5);
	assert_int_equal(rings_first_ns(f->rings), UINT64_MAX);
	rings_until(f->rings, UINT64_MAX);
	assert_int_equal(f->n, 5);
	rings_round(f, 3 * MS);
	assert_int_equal(f->n, 6);
	assert_int_equal(f->ev[5].ts_ns, 2 * MS + 50);
}

static void over_the_end_of_the_ring(void **state)
{
	struct rings_fixture *f = *state;
	uint64_t now = 2 * MS;

	rings_context(f->ring[1], 7, 20);
	for (uint64_t i = 0; i < 20; i++, now += MS) {
		for (uint64_t k = 0; k < 200; k++)
			rings_slot(f->ring[1], now - MS + k, 64, k % 2);
		rings_round(f, now);
		assert_int_equal(f->ring[1]->tail, f->ring[1]->head);
	}
	assert_int_equal(f->n, 4000);
	for (size_t i = 0; i < f->n; i++) {
		assert_int_equal(f->ev[i].ts_ns, (1 + i / 200) * MS + i % 200);
		assert_int_equal(f->ev[i].site, i % 2);
	}
	assert_in_range(rings_stats(f->rings).most_bytes, 200 * RING_SLOT, SIZE);
}

/* In turns of one event and in long runs: nothing lost, order of time, each ring's own order. */
static void many_at_once(void **state)
{
	struct rings_fixture *f = *state;
	uint64_t seed = 42, now = 2 * MS;
	uint32_t written[N_RINGS] = { 0 }, taken[N_RINGS] = { 0 };
	size_t total = 0;

	for (int i = 0; i < N_RINGS; i++)
		rings_context(f->ring[i], (uint64_t)i + 1, 20);
	for (int round = 0; round < 50; round++, now += MS) {
		uint64_t ts = now - MS;
		uint32_t ring = 0;

		for (int k = 0; k < 150; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			if (round % 2 || seed >> 59 == 0)
				ring = (uint32_t)(seed >> 33) % N_RINGS;
			ts += seed >> 62; /* often the same time as another's */
			rings_slot(f->ring[ring], ts, written[ring]++, 1);
			total++;
		}
		rings_round(f, now);
	}
	rings_round(f, now);
	assert_int_equal(f->n, total);
	for (size_t i = 0; i < f->n; i++) {
		assert_true(!i || f->ev[i].ts_ns >= f->ev[i - 1].ts_ns);
		assert_int_equal(f->ev[i].flags, HOW_INLINE << EVF_HOW_SHIFT);
		assert_int_equal(f->ev[i].depth, taken[f->ev[i].goid - 1]++);
	}
}

/* A stub at work holds the time up to which all is complete, as nobody knows what it will write. */
static void while_a_stub_is_at_work(void **state)
{
	struct rings_fixture *f = *state;

	rings_round(f, 2 * MS);
	rings_context(f->ring[0], 7, 20);
	rings_slot(f->ring[0], 2 * MS + 100, 64, 0);
	f->ring[0]->reserved = f->ring[0]->head + RING_ROOM;
	rings_context(f->ring[1], 8, 21);
	rings_slot(f->ring[1], 2 * MS + 50, 64, 0);
	rings_slot(f->ring[1], 3 * MS - 50, 64, 1);
	assert_int_equal(rings_round(f, 3 * MS), 2 * MS); /* as of the round before */
	assert_int_equal(f->n, 0);
	/* taken back by the hook */
	f->ring[0]->reserved = f->ring[0]->head;
	assert_int_equal(rings_round(f, 4 * MS), 4 * MS);
	assert_int_equal(f->n, 3);
	/* one after the other: each was begun after the round before */
	f->ring[0]->reserved = f->ring[0]->head + RING_SLOT;
	assert_int_equal(rings_round(f, 5 * MS), 4 * MS);
	rings_slot(f->ring[0], 4 * MS + 10, 64, 0);
	f->ring[0]->reserved = f->ring[0]->head + RING_SLOT;
	assert_int_equal(rings_round(f, 6 * MS), 5 * MS);
	assert_int_equal(f->n, 4);
	assert_int_equal(rings_stats(f->rings).passed_by, 0);
}

static void a_thread_stopped_in_a_stub_is_passed_by(void **state)
{
	struct rings_fixture *f = *state;
	uint64_t now = 3 * MS;

	rings_context(f->ring[0], 7, 20);
	rings_slot(f->ring[0], 2 * MS, 64, 0);
	rings_round(f, now);
	f->ring[0]->reserved = f->ring[0]->head + RING_SLOT;
	rings_context(f->ring[1], 8, 21);
	rings_slot(f->ring[1], now + 5, 64, 0);
	for (now += MS; now <= 103 * MS; now += MS) {
		assert_int_equal(rings_round(f, now), 3 * MS);
		assert_int_equal(f->n, 1);
	}
	assert_int_equal(rings_round(f, now), now);
	assert_int_equal(f->n, 2);
	assert_int_equal(rings_stats(f->rings).passed_by, 1);
	assert_int_equal(rings_round(f, now + MS), now + MS);
	assert_int_equal(rings_stats(f->rings).passed_by, 1);
	/* it goes on: its event is of a time that was written long ago */
	rings_slot(f->ring[0], 3 * MS + 100, 64, 1);
	rings_slot(f->ring[0], now + MS + 100, 64, 0);
	rings_round(f, now + 2 * MS);
	assert_int_equal(f->n, 4);
	assert_int_equal(f->ev[2].ts_ns, now + MS);
	assert_int_equal(f->ev[2].site, 1);
	assert_int_equal(f->ev[3].ts_ns, now + MS + 100);
	assert_int_equal(f->n_late, 1);
	assert_int_equal(f->late_at, 2); /* before that event */
	assert_int_equal(f->loss[0].h.goid, 7);
	assert_int_equal(f->loss[0].h.flags, 0);
	assert_int_equal(f->loss[0].h.kind, EV_LOSS);
	assert_int_equal(f->loss[0].arg[1], 0); /* nothing was lost */
	assert_int_equal(rings_stats(f->rings).late, 1);
}

static void drops_are_losses(void **state)
{
	struct rings_fixture *f = *state;
	struct ring_head *r = f->ring[2];

	rings_round(f, 2 * MS);
	r->dropped = 12;
	r->dropped_first = 2 * MS + 10;
	r->dropped_last = 2 * MS + 900;
	r->dropped_goid = 33;
	rings_round(f, 3 * MS);
	assert_int_equal(f->n_losses, 1);
	assert_int_equal(f->loss[0].h.kind, EV_LOSS);
	assert_int_equal(f->loss[0].h.goid, 33);
	assert_int_equal(f->loss[0].h.flags, 0);
	assert_int_equal(f->loss[0].h.ts_ns, 2 * MS + 10);
	assert_int_equal(f->loss[0].arg[0], 2 * MS + 900);
	assert_int_equal(f->loss[0].arg[1], 12);
	assert_int_equal(r->dropped_seen, 12);
	rings_round(f, 4 * MS);
	assert_int_equal(f->n_losses, 1); /* once */
	r->dropped = 13;
	r->dropped_first = 17; /* before what was written, and nonsense */
	r->dropped_last = UINT64_MAX;
	r->dropped_goid = RING_MANY_GOIDS;
	rings_round(f, 5 * MS);
	assert_int_equal(f->n_losses, 2);
	assert_int_equal(f->loss[1].h.goid, 0);
	assert_int_equal(f->loss[1].h.flags, EVF_ALL);
	assert_int_equal(f->loss[1].h.ts_ns, 4 * MS);
	assert_int_equal(f->loss[1].arg[0], 5 * MS + RINGS_PATIENCE_NS);
	assert_int_equal(f->loss[1].arg[1], 1);
	assert_int_equal(rings_stats(f->rings).lost, 13);
}

/* Stubs go on while the collector looks: what they drop after its last reading of the clocks, and
 * after the time up to which it looks, is within the range all the same. */
static void a_drop_after_the_last_pair(void **state)
{
	struct rings_fixture *f = *state;
	struct ring_head *r = f->ring[2];

	rings_round(f, 2 * MS);
	r->dropped = 5;
	r->dropped_first = 3 * MS - 10;
	r->dropped_last = 3 * MS + 700;
	r->dropped_goid = 33;
	rings_pair(f, 3 * MS);
	f->tsc_now = 3 * MS + 400;
	rings_look(f, 3 * MS - 20000);
	rings_take_losses(f->rings, rings_take_loss, f);
	assert_int_equal(f->n_losses, 1);
	assert_in_range(f->loss[0].h.ts_ns, 2 * MS, 3 * MS - 10);
	assert_in_range(f->loss[0].arg[0], 3 * MS + 700, 3 * MS + 10000);
}

static uint64_t no_counter(void)
{
	return 0;
}

struct long_round {
	const struct ring_head *ring;
	uint64_t taken, tail;
};

static int look_at_tail(void *ctx, const struct event *ev, size_t n)
{
	struct long_round *l = ctx;

	(void)ev;
	l->tail = l->ring->tail;
	l->taken += n;
	assert_true(l->tail <= l->taken * RING_SLOT);
	return 0;
}

/* Slots are given back while a long round goes on, or stubs would find a full ring that is mostly
 * read. */
static void given_back_in_a_long_round(void **state)
{
	enum { SLOTS = 16384 };
	const struct ring_memory memory = { calloc(1, RING_DATA + SLOTS * RING_SLOT),
					    SLOTS * RING_SLOT };
	struct rings_fixture *f = *state;
	struct ring_head *r = memory.at;
	struct ring_slot *slots = (struct ring_slot *)((char *)memory.at + RING_DATA);
	struct long_round l = { .ring = r };
	const struct ring_site site = { .kind = EV_ENTRY };
	struct rings *rings = rings_new(&(struct rings_options){
		.memory = &memory,
		.n_rings = 1,
		.sites = &site,
		.n_sites = 1,
		.clock = &f->clock,
		.sink = { .events = look_at_tail, .ctx = &l },
	});

	assert_non_null(rings);
	slots[0] = (struct ring_slot){ .clock = 7, .depth = 20, .site = RING_CONTEXT };
	for (uint64_t i = 1; i < SLOTS; i++)
		slots[i].clock = i;
	r->head = r->reserved = SLOTS * RING_SLOT;
	rings_pair(f, 2 * MS);
	rings_poll(rings, 2 * MS, no_counter);
	assert_int_equal(rings_until(rings, 2 * MS), 0);
	assert_int_equal(l.taken, SLOTS - 1);
	assert_true(l.tail > r->head / 2);
	rings_release(rings);
	assert_int_equal(r->tail, r->head);
	rings_free(rings);
	free(memory.at);
}

struct in_turn {
	uint64_t goid, taken;
};

static int take_turn(void *ctx, const struct event *ev, size_t n)
{
	struct in_turn *t = ctx;

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(ev[i].goid, t->goid);
		assert_int_equal(ev[i].depth, ++t->taken);
	}
	return 0;
}

/* 64 Ps on fewer processors: one after the other fills its ring until its stub finds no room. */
static void each_ring_filled_in_turn(void **state)
{
	enum { RINGS = 64, ROUNDS = 3 };
	struct rings_fixture *f = *state;
	struct ring_memory memory[RINGS];
	const struct ring_site site = { .kind = EV_ENTRY };
	struct in_turn turn = { 0 };
	uint64_t now = 2 * MS;

	for (int i = 0; i < RINGS; i++)
		memory[i] = (struct ring_memory){ calloc(1, RING_DATA + SIZE), SIZE };
	struct rings *rings = rings_new(&(struct rings_options){
		.memory = memory,
		.n_rings = RINGS,
		.sites = &site,
		.n_sites = 1,
		.clock = &f->clock,
		.sink = { .events = take_turn, .ctx = &turn },
	});

	assert_non_null(rings);
	for (int i = 0; i < RINGS * ROUNDS; i++, now += MS) {
		struct ring_head *r = memory[i % RINGS].at;
		uint32_t n = 0;

		turn = (struct in_turn){ .goid = 1 + (uint64_t)i };
		rings_context(r, turn.goid, 20);
		for (; r->head - r->tail <= SIZE - RING_ROOM; n++)
			rings_slot(r, now - MS + n, n + 1, 0);
		rings_pair(f, now);
		assert_int_equal(rings_poll(rings, now, no_counter), now);
		assert_true(rings_filling(rings));
		assert_int_equal(rings_until(rings, now), 0);
		rings_release(rings);
		assert_int_equal(turn.taken, n);
		assert_int_equal(r->tail, r->head);
	}
	assert_int_equal(rings_stats(rings).most_bytes, SIZE - RING_ROOM + RING_SLOT);
	assert_int_equal(rings_stats(rings).disabled, 0);
	rings_free(rings);
	for (int i = 0; i < RINGS; i++)
		free(memory[i].at);
}

TESTS_EACH(rings_setup, rings_teardown, whose_and_when, up_to_the_watermark,
	   over_the_end_of_the_ring, many_at_once, while_a_stub_is_at_work,
	   a_thread_stopped_in_a_stub_is_passed_by, drops_are_losses, a_drop_after_the_last_pair,
	   given_back_in_a_long_round, each_ring_filled_in_turn)
