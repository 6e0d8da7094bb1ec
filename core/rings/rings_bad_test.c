// SPDX-License-Identifier: BSD-2-Clause
/* Rings as no stub would write them. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "rings/rings_fixture.h"

static void head_past_the_size(struct ring_head *r)
{
	r->head += SIZE;
	r->reserved = r->head;
}

static void head_between_slots(struct ring_head *r)
{
	r->reserved = ++r->head;
}

static void head_goes_back(struct ring_head *r)
{
	r->reserved = r->head -= 2 * RING_SLOT;
}

static void tail_goes_on(struct ring_head *r)
{
	r->tail += 3 * RING_SLOT; /* stubs may write over what was not read */
}
static void tail_goes_back(struct ring_head *r)
{
	r->tail -= SIZE; /* the ring is full for stubs */
}
static void tail_disabled(struct ring_head *r)
{
	r->tail = RING_DISABLED;
}
static void tail_shut(struct ring_head *r)
{
	r->tail = RING_SHUT;
}
static void tail_paused(struct ring_head *r)
{
	r->tail = RING_PAUSED;
}
static void much_reserved(struct ring_head *r)
{
	r->reserved = r->head + RING_ROOM + RING_SLOT;
}

static void site_out_of_range(struct ring_head *r)
{
	rings_slot(r, 2 * MS + 5, 64, N_SITES);
}

static void site_without_a_stub(struct ring_head *r)
{
	rings_slot(r, 2 * MS + 5, 64, 2);
}

static void context_of_nobody(struct ring_head *r)
{
	rings_slot(r, 0, 20, RING_CONTEXT);
	rings_slot(r, 2 * MS + 5, 64, 0); /* a call: nobody's */
}

/* After a wake that nobody did. */
static void state_of_nobody(struct ring_head *r)
{
	rings_slot(r, 0, 20, RING_CONTEXT);
	rings_slot(r, 2 * MS + 1, 9, 4 | RING_WAKE);
	rings_slot(r, 2 * MS + 6, STATE_RUNNING, 4);
}

static void wake_at_a_call(struct ring_head *r)
{
	rings_slot(r, 2 * MS + 5, 9, 0 | RING_WAKE);
}

static void made_by_nothing(struct ring_head *r)
{
	rings_slot(r, 2 * MS + 5, 0, 5);
}

static void args_of_a_call(struct ring_head *r)
{
	rings_arg(r, 9, 0);
	rings_slot(r, 2 * MS + 5, 64, 0);
}

static void args_too_few(struct ring_head *r)
{
	rings_arg(r, 9, 0);
	rings_arg(r, 9, 1);
	rings_slot(r, 2 * MS + 5, 0, 5);
}

static void args_too_many(struct ring_head *r)
{
	for (unsigned i = 0; i < 4; i++)
		rings_arg(r, 9, i);
	rings_slot(r, 2 * MS + 5, 0, 5);
}

static void args_out_of_order(struct ring_head *r)
{
	rings_arg(r, 9, 0);
	rings_arg(r, 9, 2);
	rings_arg(r, 9, 1);
	rings_slot(r, 2 * MS + 5, 0, 5);
}

static void args_of_another(struct ring_head *r)
{
	for (unsigned i = 0; i < 3; i++)
		rings_arg(r, 9, i);
	rings_context(r, 8, 20);
	rings_slot(r, 2 * MS + 5, 0, 5);
}

static void args_of_no_site(struct ring_head *r)
{
	rings_arg(r, 9, 0);
	rings_slot(r, 2 * MS + 5, 0, 2);
}

/* After a goroutine that nobody made. */
static void call_of_nobody(struct ring_head *r)
{
	rings_context(r, 0, 20);
	for (unsigned i = 0; i < 3; i++)
		rings_arg(r, 9, i);
	rings_slot(r, 2 * MS + 1, 0, 5);
	rings_slot(r, 2 * MS + 6, 64, 0);
}

static void a_bad_ring_is_disabled(void **state)
{
	static const struct {
		void (*spoil)(struct ring_head *r);
		enum ring_fault fault;
	} cases[] = {
		{ head_past_the_size, RING_BAD_HEAD },  { head_between_slots, RING_BAD_HEAD },
		{ tail_goes_on, RING_BAD_TAIL },        { tail_goes_back, RING_BAD_TAIL },
		{ tail_disabled, RING_BAD_TAIL },       { tail_shut, RING_BAD_TAIL },
		{ tail_paused, RING_BAD_TAIL },         { head_goes_back, RING_BAD_HEAD },
		{ much_reserved, RING_BAD_RESERVED },   { site_out_of_range, RING_BAD_SITE },
		{ site_without_a_stub, RING_BAD_SITE }, { context_of_nobody, RING_BAD_CONTEXT },
		{ state_of_nobody, RING_BAD_CONTEXT },  { wake_at_a_call, RING_BAD_SITE },
		{ made_by_nothing, RING_BAD_ARGS },     { args_of_a_call, RING_BAD_ARGS },
		{ args_too_few, RING_BAD_ARGS },        { args_too_many, RING_BAD_ARGS },
		{ args_out_of_order, RING_BAD_ARGS },   { args_of_another, RING_BAD_ARGS },
		{ args_of_no_site, RING_BAD_SITE },     { call_of_nobody, RING_BAD_CONTEXT },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rings_fixture *f;

		if (i) {
			rings_teardown(state);
			rings_setup(state);
		}
		f = *state;
		rings_context(f->ring[2], 7, 20);
		rings_slot(f->ring[2], 1 * MS + 5, 64, 0);
		rings_round(f, 2 * MS);
		rings_slot(f->ring[2], 2 * MS + 1, 64, 1);
		cases[i].spoil(f->ring[2]);
		rings_context(f->ring[3], 8, 21);
		rings_slot(f->ring[3], 2 * MS + 2, 64, 0);
		rings_round(f, 3 * MS);
		rings_round(f, 4 * MS);
		assert_int_equal(f->ring[2]->tail, RING_DISABLED);
		assert_int_equal(rings_stats(f->rings).disabled, 1);
		assert_int_equal(rings_stats(f->rings).fault, cases[i].fault);
		assert_int_equal(rings_stats(f->rings).fault_ring, 2);
		assert_int_equal(f->n_losses, 1);
		assert_int_equal(f->loss[0].h.flags, EVF_ALL);
		assert_true(f->loss[0].arg[1] > 0);
		assert_int_equal(f->ev[f->n - 1].goid, 8); /* the others go on */
		/* whatever is in it */
		memset(f->ring[2], 0xff, RING_DATA + SIZE);
		size_t n = f->n;

		rings_round(f, 5 * MS);
		assert_int_equal(f->n, n);
		assert_int_equal(f->n_losses, 1);
	}
}

/* What stubs wrote between the time of the poll and the end of a bad ring is lost, too. */
static void a_bad_rings_loss_reaches_its_end(void **state)
{
	struct rings_fixture *f = *state;

	rings_context(f->ring[2], 7, 20);
	rings_slot(f->ring[2], 1 * MS + 5, 64, 0);
	rings_round(f, 2 * MS);
	rings_slot(f->ring[2], 2 * MS + 1, 64, 1);
	head_past_the_size(f->ring[2]);
	rings_pair(f, 3 * MS);
	f->tsc_now = 3 * MS + MS / 2; /* when the ring has been disabled */
	rings_look(f, 3 * MS);
	assert_int_equal(rings_take_losses(f->rings, rings_take_loss, f), 0);
	assert_int_equal(f->n_losses, 1);
	assert_int_equal(f->loss[0].h.ts_ns, 2 * MS);
	assert_true(f->loss[0].arg[0] >= 3 * MS + MS / 2);
	/* Only so much later as a stub that was at work is waited for. */
	assert_true(f->loss[0].arg[0] <= 4 * MS + RINGS_PATIENCE_NS);
}

static void an_event_before_any_context(void **state)
{
	struct rings_fixture *f = *state;

	rings_slot(f->ring[0], 5, 64, 0);
	rings_round(f, 2 * MS);
	assert_int_equal(f->n, 0);
	assert_int_equal(rings_stats(f->rings).fault, RING_BAD_CONTEXT);
}

/* Clocks that cannot be: they neither hold anything up nor bring others out of order. */
static void counters_that_cannot_be(void **state)
{
	struct rings_fixture *f = *state;

	rings_round(f, 2 * MS);
	rings_context(f->ring[0], 7, 20);
	rings_slot(f->ring[0], 2 * MS + 10, 64, 0);
	rings_slot(f->ring[0], UINT64_MAX, 64, 0);
	rings_slot(f->ring[0], 1ull << 62, 64, 0);
	rings_slot(f->ring[0], 3, 64, 0);
	rings_slot(f->ring[0], 2 * MS + 20, 64, 0);
	assert_int_equal(rings_round(f, 3 * MS), 3 * MS);
	assert_int_equal(f->n, 5);
	for (int i = 0; i < 4; i++)
		assert_int_equal(f->ev[i].ts_ns, 2 * MS + 10);
	assert_int_equal(f->ev[4].ts_ns, 2 * MS + 20);
	assert_int_equal(rings_stats(f->rings).disabled, 0);
}

static void shutting_all(void **state)
{
	struct rings_fixture *f = *state;

	rings_context(f->ring[0], 7, 20);
	rings_slot(f->ring[0], 5, 64, 0);
	rings_shut(f->rings);
	for (int i = 0; i < N_RINGS; i++)
		assert_true(f->ring[i]->tail == RING_SHUT);
	rings_round(f, 2 * MS); /* what was written is still read */
	assert_int_equal(f->n, 1);
	assert_true(f->ring[0]->tail == RING_SHUT);
	assert_int_equal(rings_stats(f->rings).disabled, 0);
}

/* Off: what was written is read, nothing is given back until it is on again. */
static void off_and_on(void **state)
{
	struct rings_fixture *f = *state;

	f->ring[2]->tail = RING_SHUT; /* not opened yet */
	rings_context(f->ring[0], 7, 20);
	rings_slot(f->ring[0], 5, 64, 0);
	for (int twice = 0; twice < 2; twice++) {
		rings_pause(f->rings);
		for (int i = 0; i < N_RINGS; i++)
			assert_true(f->ring[i]->tail == (i == 2 ? RING_SHUT : RING_PAUSED));
	}
	rings_round(f, 2 * MS);
	rings_slot(f->ring[0], 2 * MS + 5, 64, 1); /* a stub that was at work */
	rings_round(f, 3 * MS);
	assert_int_equal(f->n, 2);
	assert_true(f->ring[0]->tail == RING_PAUSED);
	for (int twice = 0; twice < 2; twice++) {
		rings_resume(f->rings);
		for (int i = 0; i < N_RINGS; i++)
			assert_true(f->ring[i]->tail == (i == 2 ? RING_SHUT : f->ring[i]->head));
	}
	rings_slot(f->ring[0], 3 * MS + 5, 64, 0);
	rings_round(f, 4 * MS);
	assert_int_equal(f->n, 3);
	assert_true(f->ring[0]->tail == f->ring[0]->head);
	assert_int_equal(f->n_losses, 0);
	rings_shut(f->rings);
	rings_resume(f->rings);
	assert_true(f->ring[0]->tail == RING_SHUT);
}

static void *switch_often(void *arg)
{
	struct rings_fixture *f = arg;

	for (int i = 0; i < 200000; i++) {
		rings_pause(f->rings);
		rings_resume(f->rings);
	}
	return NULL;
}

/* While slots are given back by another thread none is kept for ever, and none given back too
 * early. */
static void off_and_on_meanwhile(void **state)
{
	struct rings_fixture *f = *state;
	const int n_at_first = 2000;
	pthread_t thread;
	int i;

	assert_int_equal(pthread_create(&thread, NULL, switch_often, f), 0);
	rings_context(f->ring[0], 7, 20);
	for (i = 1; i <= n_at_first; i++) {
		uint64_t tail;

		rings_slot(f->ring[0], (uint64_t)i * MS + 5, 64, 0);
		f->n = 0;
		rings_round(f, (uint64_t)(i + 1) * MS);
		assert_int_equal(f->n, 1);
		tail = __atomic_load_n(&f->ring[0]->tail, __ATOMIC_RELAXED);
		assert_true(tail == RING_PAUSED || tail <= f->ring[0]->head);
	}
	pthread_join(thread, NULL);
	rings_slot(f->ring[0], (uint64_t)i * MS + 5, 64, 0);
	rings_round(f, (uint64_t)(i + 1) * MS);
	assert_true(f->ring[0]->tail == f->ring[0]->head);
}

static void what_cannot_be_read(void **state)
{
	static const struct ring_site with_args[] = { { .kind = EV_CREATE } };
	static const struct ring_site wakes[] = { { .kind = EV_WAKE } }; /* a stub's own */
	struct ring_memory memory = { *state, SIZE };
	struct rings_options opt = { .memory = &memory, .n_rings = 1 };

	opt.sites = with_args;
	opt.n_sites = 1;
	assert_null(rings_new(&opt));
	assert_int_equal(errno, EINVAL);
	opt.sites = wakes;
	assert_null(rings_new(&opt));
	opt.n_sites = 0;
	memory.size = SIZE + RING_SLOT;
	assert_null(rings_new(&opt));
	opt.n_rings = 0;
	assert_null(rings_new(&opt));
	for (enum ring_fault i = 0; i < RING_FAULTS; i++)
		assert_non_null(ring_fault_text(i));
}

TESTS_EACH(rings_setup, rings_teardown, a_bad_rings_loss_reaches_its_end, a_bad_ring_is_disabled,
	   an_event_before_any_context, counters_that_cannot_be, shutting_all, off_and_on,
	   off_and_on_meanwhile, what_cannot_be_read)
