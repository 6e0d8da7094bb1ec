// SPDX-License-Identifier: BSD-2-Clause
/*
 * Arbitrary rings into their reader (libFuzzer; ci/fuzz.sh): a program may write anything, at any
 * time.
 *
 * The input is a list of commands of nine bytes: what, and a number. They write fields of the
 * header and slots of one of three rings, or let a round pass. Or it is the image of rings
 * (fixtures/rings). Whatever they do, events come out in time order, of sites that have a stub and
 * goroutines, not more of them than rings can hold, and a round ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rings/ring_image_fixture.h"
#include "rings/rings.h"
#include "trace/format.h"

#define N_RINGS 3
#define SIZE    RING_SIZE_MIN
#define N_SITES 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct ring_site sites[N_SITES] = {
	{ .kind = EV_ENTRY, .to_frame_bytes = 8 },
	{ .kind = EV_EXIT },
	{ 0 },
	{ .kind = EV_TAIL },
	{ .kind = EV_ENTRY_EXIT },
	{ .kind = EV_STATE },
	{ .kind_with_args = EV_CREATE },
	{ .kind_with_args = EV_STOP },
	{ .kind_with_args = EV_RESUME },
};
#define SITES_WITH_ARGS 6 /* from here on */

struct seen {
	uint64_t last_ns, events;
	const struct ring_site *sites;
	uint32_t n_sites;
};

static uint64_t tsc_now;

static uint64_t tsc(void)
{
	return tsc_now;
}

static int take_events(void *ctx, const struct event *ev, size_t n)
{
	struct seen *seen = ctx;

	if (!n)
		abort();
	for (size_t i = 0; i < n; i++) {
		bool wake = ev[i].kind == EV_WAKE;

		if (ev[i].ts_ns < seen->last_ns ||
		    (!ev[i].goid && !wake && ev[i].kind != EV_CREATE) ||
		    ev[i].site >= seen->n_sites || !ev[i].kind ||
		    (wake ? EV_STATE : ev[i].kind) != rings_site_kind(&seen->sites[ev[i].site]) ||
		    ev[i].flags != HOW_INLINE << EVF_HOW_SHIFT)
			abort();
		seen->last_ns = ev[i].ts_ns;
	}
	seen->events += n;
	return 0;
}

static int take_with_args(void *ctx, const struct event_ext *ev)
{
	struct seen *seen = ctx;

	if (seen->sites[ev->h.site].kind_with_args != ev->h.kind || ev->arg[3])
		abort();
	return take_events(ctx, &ev->h, 1);
}

static int take_loss(void *ctx, const struct event_ext *loss)
{
	(void)ctx;
	if (loss->h.kind != EV_LOSS || loss->arg[0] < loss->h.ts_ns ||
	    !(loss->h.flags & EVF_ALL) != !!loss->h.goid)
		abort();
	return 0;
}

static void pass(struct rings *rings, struct tsc_clock *clock, struct seen *seen, uint64_t number)
{
	uint64_t complete, now;

	/* 0.5 to 128 ms later; now and then the counter jumps. */
	now = clock->last.ns + ((number & 0xff) + 1) * 500000;
	tsc_now = number >> 56 == 0xff ? number : clock->last.tsc + (now - clock->last.ns) * 2;
	tsc_clock_add(clock, &(struct tsc_pair){ .tsc = tsc_now, .ns = now });
	tsc_now += number >> 8 & 0xffff;
	complete = rings_poll(rings, clock->last.ns - 20000, tsc);
	if (complete > clock->last.ns - 20000)
		abort();
	if (rings_take_losses(rings, take_loss, seen) ||
	    rings_until(rings, number >> 8 & 1 ? complete / 2 : complete) ||
	    rings_until(rings, complete))
		abort();
	if (rings_first_ns(rings) < complete)
		abort();
	rings_release(rings);
}

static void write_ring(struct ring_head *r, unsigned what, uint64_t number)
{
	struct ring_slot *s = (struct ring_slot *)((char *)r + RING_DATA +
						   (r->head & (SIZE - 1) & ~(RING_SLOT - 1ull)));

	switch (what) {
	case 0: /* as a stub does, a tick later */
		if (r->head - r->tail > SIZE - RING_ROOM)
			return;
		*s = (struct ring_slot){ tsc_now + (number >> 32), (uint32_t)number & 0xffff,
					 (uint32_t)number >> 16 & 3 };
		r->head += RING_SLOT;
		r->reserved = r->head;
		return;
	case 1: /* a context */
		if (r->head - r->tail > SIZE - RING_ROOM)
			return;
		*s = (struct ring_slot){ number & 0xff, (uint32_t)number >> 8 & 3, RING_CONTEXT };
		r->head += RING_SLOT;
		r->reserved = r->head;
		return;
	case 2: /* a slot's parts, anything */
		s->clock = number;
		return;
	case 3:
		s->depth = (uint32_t)number;
		s->site = (uint32_t)(number >> 32);
		return;
	case 60: /* an argument */
		*s = (struct ring_slot){ number, (uint32_t)number & 3, RING_ARG };
		r->head += RING_SLOT;
		r->reserved = r->head;
		return;
	case 61: /* an event with arguments */
		*s = (struct ring_slot){ tsc_now + (number >> 32), 0,
					 SITES_WITH_ARGS + (uint32_t)number % 3 };
		r->head += RING_SLOT;
		r->reserved = r->head;
		return;
	default: /* a field of the header */
		memcpy((char *)r + (what * 8) % sizeof(*r), &number, sizeof(number));
	}
}

/* false: the input is no image. */
static bool replay_image(const uint8_t *data, size_t size)
{
	static struct ring_image image;
	struct tsc_clock *clock = calloc(1, sizeof(*clock));
	bool given = ring_image_read(&image, (const char *)data, size);
	struct seen seen = { .sites = image.sites, .n_sites = image.n_sites };
	struct rings *rings = !given ? NULL
				     : rings_new(&(struct rings_options){
					       .memory = image.memory,
					       .n_rings = image.n_rings,
					       .sites = image.sites,
					       .n_sites = image.n_sites,
					       .clock = clock,
					       .sink = { .events = take_events,
							 .event_with_args = take_with_args,
							 .late = take_loss,
							 .ctx = &seen },
				       });

	if (!clock || (given && !rings))
		abort();
	tsc_now = image.last + 1000;
	for (int round = 0; given && round < 2; round++) {
		uint64_t at = round ? tsc_now : image.first - 1000;

		tsc_clock_add(clock, &(struct tsc_pair){ .tsc = at, .ns = at });
		uint64_t complete = rings_poll(rings, clock->last.ns, tsc);

		if (rings_take_losses(rings, take_loss, &seen) || rings_until(rings, complete))
			abort();
		rings_release(rings);
	}
	if (given && rings_until(rings, UINT64_MAX))
		abort();
	if (seen.events > IMAGE_RINGS * (1u << 20) / RING_SLOT)
		abort();
	rings_free(rings);
	ring_image_free(&image);
	free(clock);
	return given;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static _Alignas(64) char space[N_RINGS][RING_DATA + SIZE];
	struct ring_memory memory[N_RINGS];
	struct tsc_clock *clock = calloc(1, sizeof(*clock));
	struct seen seen = { .sites = sites, .n_sites = N_SITES };

	if (replay_image(data, size)) {
		free(clock);
		return 0;
	}
	memset(space, 0, sizeof(space));
	for (int i = 0; i < N_RINGS; i++)
		memory[i] = (struct ring_memory){ space[i], SIZE };
	struct rings *rings = rings_new(&(struct rings_options){
		.memory = memory,
		.n_rings = N_RINGS,
		.sites = sites,
		.n_sites = N_SITES,
		.clock = clock,
		.sink = { .events = take_events,
			  .event_with_args = take_with_args,
			  .late = take_loss,
			  .ctx = &seen },
	});

	if (!clock || !rings)
		abort();
	tsc_clock_add(clock, &(struct tsc_pair){ .tsc = 2000, .ns = 1000000 });
	pass(rings, clock, &seen, 0);
	for (size_t rounds = 1; size >= 9; data += 9, size -= 9) {
		unsigned what = data[0] / (N_RINGS + 1), ring = data[0] % (N_RINGS + 1);
		uint64_t number = get_u64(data + 1);

		if (ring < N_RINGS) {
			write_ring((struct ring_head *)space[ring], what, number);
			continue;
		}
		pass(rings, clock, &seen, number);
		/* What is in the rings can be read once. */
		if (seen.events > ++rounds * N_RINGS * (SIZE / RING_SLOT))
			abort();
	}
	if (rings_until(rings, UINT64_MAX))
		abort();
	rings_free(rings);
	free(clock);
	return 0;
}
