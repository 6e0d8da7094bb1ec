/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What inline stubs wrote into the rings of a program (plan/ring.h), as events in time order.
 *
 * The program owns that memory, may write anything into it at any time, and gotrace may be root.
 * So each slot is read once, the reader keeps its position in its own memory, and a ring with
 * impossible positions, sites or contexts is disabled and reported: its stubs take their slow path
 * from then on. A program can spoil its own events, nothing else.
 *
 * A round: rings_poll, rings_take_losses, rings_until (as often as other events come between), then
 * rings_release. No kernel, no clock and no libbpf in here.
 */
#ifndef GOTRACE_RINGS_H
#define GOTRACE_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/event.h"
#include "plan/ring.h"
#include "rings/tsc_clock.h"

/* A ring as mapped by gotrace: its header, then from RING_DATA on `size` bytes of slots, a power of
 * two from RING_SIZE_MIN to RING_SIZE_MAX. */
struct ring_memory {
	void *at;
	uint64_t size;
};

/* Is it one that a site's stub may write: an EV_* without arguments, or one of those below?
 * EV_STATE's writes EV_WAKE, too. */
bool rings_kind(unsigned kind);

/* How many arguments a stub writes of an event of that kind. Of EV_RESUME STOP_GROWTH is left out:
 * stubs tell nothing else. */
static inline unsigned rings_args(unsigned kind)
{
	return kind == EV_CREATE ? 3 : kind == EV_RESUME ? 2 : kind == EV_STOP ? 1 : 0;
}

/* What the stub of a site writes. Of the kinds one is 0, both when it has no such stub. */
struct ring_site {
	uint8_t kind; /* without arguments */
	uint8_t kind_with_args;
	uint16_t rsp_to_ra_bytes; /* rsp to return address where the stub takes depth */
};

/* Of a site whose stub writes `kind`, see rings_kind. */
struct ring_site rings_site(unsigned kind, uint16_t rsp_to_ra_bytes);
static inline uint8_t rings_site_kind(const struct ring_site *s)
{
	return s->kind ? s->kind : s->kind_with_args;
}

/* Where events go. All return 0, or an error that ends the call they come from. */
struct rings_sink {
	/* In time order, all of kinds without arguments; valid during the call. */
	int (*events)(void *ctx, const struct event *ev, size_t n);
	/* One of a kind with arguments, in its turn. */
	int (*event_with_args)(void *ctx, const struct event_ext *ev);
	/* The event that comes next was published too late: later events had been handed out
	 * already. It gets the time up to which events were handed out. Nothing is lost (arg[1] is
	 * 0), but the times of that goroutine's calls are in doubt. */
	int (*late)(void *ctx, const struct event_ext *loss);
	void *ctx;
};

struct rings_options {
	const struct ring_memory *memory; /* [n_rings], in the order of their Ps */
	unsigned n_rings;                 /* at most RING_MAX */
	const struct ring_site *sites;    /* [n_sites], borrowed */
	uint32_t n_sites;
	uint64_t text_vaddr;           /* link-time address of the text's first function */
	const struct tsc_clock *clock; /* borrowed; pairs are added between rounds only */
	/* The tracer's number of a thread that has `procid` in the program's pid namespace; called
	 * once for a run of equal numbers. NULL: they are the same. */
	uint32_t (*tid_of)(void *ctx, uint32_t procid);
	void *tid_ctx;
	struct rings_sink sink;
	/* Slots stay taken, so that all that was written up to a full ring is there at the end: to
	 * record an image (ring_image.h). */
	bool keep;
};

struct rings;

/* What is wrong with a ring. */
enum ring_fault {
	RING_SOUND,
	RING_BAD_HEAD,     /* beyond the ring's size, not at a slot, or lower than before */
	RING_BAD_TAIL,     /* not what the collector wrote there */
	RING_BAD_RESERVED, /* more than a stub reserves */
	RING_BAD_SITE,     /* no stub writes events of it */
	RING_BAD_CONTEXT,  /* an event before any context, or a context of no goroutine */
	RING_BAD_ARGS,     /* arguments without their event, or an event without its arguments */
	RING_FAULTS,
};
const char *ring_fault_text(enum ring_fault f); /* a clause, static */

struct rings_stats {
	uint64_t events;
	uint64_t late;      /* published too late: see rings_sink.late */
	uint64_t backwards; /* of an earlier time than the event before in the same ring: given that
			       event's time */
	uint64_t lost;      /* dropped by stubs, or in disabled rings */
	uint64_t passed_by; /* how often waiting for a ring was given up */
	uint64_t most_bytes;   /* the most that waited in a ring */
	unsigned disabled;     /* rings */
	enum ring_fault fault; /* of the first disabled ring, which is */
	unsigned fault_ring;
};

/* NULL and errno: ENOMEM, EINVAL when the description of a ring or a site is invalid. */
struct rings *rings_new(const struct rings_options *opt);
void rings_free(struct rings *s); /* leaves the rings' memory as it is */

/* How long rings_poll waits for a ring whose next event is reserved and not published. */
#define RINGS_PATIENCE_NS (100 * 1000 * 1000)

/*
 * Reads how far the rings were written. `now_ns` (CLOCK_MONOTONIC) was read before the call, long
 * enough ago that everything a stub wrote until then is visible; the clock's last pair must not be
 * earlier than it. `tsc` reads the counter: no event found has a later one. Returns the time up to
 * which events are complete: now_ns, or an earlier one while a stub is at work.
 */
uint64_t rings_poll(struct rings *s, uint64_t now_ns, uint64_t (*tsc)(void));

/* Reports what was lost since the last call, at most one EV_LOSS a ring: events dropped when it was
 * full, or left in a ring that was disabled. None begins before the time up to which events were
 * handed out. 0 or the error of `tell`. */
int rings_take_losses(struct rings *s, int (*tell)(void *ctx, const struct event_ext *loss),
		      void *ctx);

/* The time of the first event that waits, UINT64_MAX when none does. */
uint64_t rings_first_ns(const struct rings *s);

/* Hands out what is stamped before `until_ns`, which is at most what rings_poll returned, or
 * UINT64_MAX for all once nothing writes any more. 0 or the sink's error. */
int rings_until(struct rings *s, uint64_t until_ns);

/* Frees the slots that were handed out, for stubs to write again. */
void rings_release(struct rings *s);

/* Is a ring filled by more than one eighth? */
bool rings_filling(const struct rings *s);

/* Stubs do nothing any more. What they have written can still be read. */
void rings_shut(struct rings *s);

/* Recording is off: stubs do nothing, and lose nothing, until _resume. An event that a stub is
 * about to write when it is called comes nevertheless. Both are for any thread, and change nothing
 * in rings that are disabled or shut. */
void rings_pause(struct rings *s);
void rings_resume(struct rings *s);

struct rings_stats rings_stats(const struct rings *s);

#endif
