// SPDX-License-Identifier: BSD-2-Clause
#include "rings/rings_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct ring_site sites[N_SITES] = {
	[0] = { .kind = EV_ENTRY, .to_frame_bytes = 8 },
	[1] = { .kind = EV_EXIT },
	[2] = { .kind = 0 }, /* no inline stub */
	[3] = { .kind = EV_ENTRY_EXIT },
	[4] = { .kind = EV_STATE },
	[5] = { .kind_with_args = EV_CREATE },
	[6] = { .kind_with_args = EV_STOP },
	[7] = { .kind_with_args = EV_RESUME },
};

/* rings_poll takes a function alone; tests are one thread. */
static const struct rings_fixture *polled;

static uint64_t tsc(void)
{
	return polled->tsc_now;
}

static int take_events(void *ctx, const struct event *ev, size_t n)
{
	struct rings_fixture *f = ctx;

	assert_true(f->n + n <= sizeof(f->ev) / sizeof(f->ev[0]));
	memcpy(f->ev + f->n, ev, n * sizeof(*ev));
	f->n += n;
	return 0;
}

static int take_with_args(void *ctx, const struct event_ext *ev)
{
	struct rings_fixture *f = ctx;

	assert_true(f->n_with_args < sizeof(f->with_args) / sizeof(f->with_args[0]));
	f->with_args[f->n_with_args++] = *ev;
	return take_events(ctx, &ev->h, 1);
}

static int take_late(void *ctx, const struct event_ext *loss)
{
	struct rings_fixture *f = ctx;

	f->loss[f->n_losses++] = *loss;
	f->late_at = f->n;
	f->n_late++;
	return 0;
}

int rings_take_loss(void *ctx, const struct event_ext *loss)
{
	struct rings_fixture *f = ctx;

	f->loss[f->n_losses++] = *loss;
	return 0;
}

static uint32_t tid_of(void *ctx, uint32_t procid)
{
	struct rings_fixture *f = ctx;

	f->asked++;
	return procid + 9000;
}

void rings_pair(struct rings_fixture *f, uint64_t ns)
{
	f->tsc_now = ns;
	tsc_clock_add(&f->clock, &(struct tsc_pair){ .tsc = ns, .ns = ns });
}

int rings_setup(void **state)
{
	struct rings_fixture *f = calloc(1, sizeof(*f));
	struct ring_memory memory[N_RINGS];

	for (int i = 0; i < N_RINGS; i++) {
		f->ring[i] = aligned_alloc(64, RING_DATA + SIZE);
		memset(f->ring[i], 0, RING_DATA + SIZE);
		memory[i] = (struct ring_memory){ f->ring[i], SIZE };
	}
	f->rings = rings_new(&(struct rings_options){
		.memory = memory,
		.n_rings = N_RINGS,
		.sites = sites,
		.n_sites = N_SITES,
		.clock = &f->clock,
		.tid_of = tid_of,
		.tid_ctx = f,
		.text_vaddr = RINGS_TEXT,
		.sink = { .events = take_events,
			  .event_with_args = take_with_args,
			  .late = take_late,
			  .ctx = f },
	});
	assert_non_null(f->rings);
	rings_pair(f, 0);
	rings_pair(f, MS);
	*state = f;
	return 0;
}

int rings_teardown(void **state)
{
	struct rings_fixture *f = *state;

	rings_free(f->rings);
	for (int i = 0; i < N_RINGS; i++)
		free(f->ring[i]);
	free(f);
	return 0;
}

void rings_slot(struct ring_head *r, uint64_t clock, uint32_t depth, uint32_t site)
{
	struct ring_slot *s = (struct ring_slot *)((char *)r + RING_DATA + (r->head & (SIZE - 1)));

	*s = (struct ring_slot){ .clock = clock, .depth = depth, .site = site };
	r->head += RING_SLOT;
	r->reserved = r->head;
}

void rings_context(struct ring_head *r, uint64_t goid, uint32_t procid)
{
	rings_slot(r, goid, procid, RING_CONTEXT);
}

void rings_arg(struct ring_head *r, uint64_t value, uint32_t which)
{
	rings_slot(r, value, which, RING_ARG);
}

uint64_t rings_look(struct rings_fixture *f, uint64_t now_ns)
{
	polled = f;
	return rings_poll(f->rings, now_ns, tsc);
}

uint64_t rings_round(struct rings_fixture *f, uint64_t ns)
{
	uint64_t complete;

	rings_pair(f, ns);
	complete = rings_look(f, ns);
	assert_int_equal(rings_take_losses(f->rings, rings_take_loss, f), 0);
	assert_int_equal(rings_until(f->rings, complete), 0);
	rings_release(f->rings);
	return complete;
}
