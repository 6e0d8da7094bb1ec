/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What inline stubs wrote into the rings of a program (plan/ring.h), as events in time order.
 *
 * The program owns that memory, may write anything into it at any time, and gotrace may be root.
 * So a slot is read once, where the reader stands is known to the reader only, and a ring whose
 * positions, sites or contexts cannot be is disabled and reported: its stubs take their slow path
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

/* A ring as it is mapped here: its header, then from RING_DATA on `size` bytes of slots, a power of
 * two from RING_SIZE_MIN to RING_SIZE_MAX. */
struct ring_memory {
	void *at;
	uint64_t size;
};

/* What the stub of a site writes. */
struct ring_site {
	uint8_t kind;             /* an EV_* without arguments; 0: the site has no such stub */
	uint16_t rsp_to_ra_bytes; /* that rsp lies below the return address where it takes depth */
};

/* Where events go. Both return 0, or an error that ends the call they come from. */
struct rings_sink {
	/* In time order, all of kinds without arguments; valid during the call. */
	int (*events)(void *ctx, const struct event *ev, size_t n);
	/* Of the event that comes next, which was published when its time had been passed: it is
	 * given the time up to which events were handed out. Nothing is lost (arg[1] is 0), but the
	 * times of that goroutine's calls are in doubt. */
	int (*late)(void *ctx, const struct event_ext *loss);
	void *ctx;
};

struct rings_options {
	const struct ring_memory *memory; /* [n_rings], in the order of their Ps */
	unsigned n_rings;                 /* at most RING_MAX */
	const struct ring_site *sites;    /* [n_sites], borrowed */
	uint32_t n_sites;
	const struct tsc_clock *clock; /* borrowed; pairs are added between rounds only */
	/* The tracer's number of a thread that has `procid` in the program's pid namespace; asked
	 * once in a row. NULL: they are the same. */
	uint32_t (*tid_of)(void *ctx, uint32_t procid);
	void *tid_ctx;
	struct rings_sink sink;
};

struct rings;

/* What is wrong with a ring. */
enum ring_fault {
	RING_SOUND,
	RING_BAD_HEAD,     /* past what fits, not at a slot, or before where it was */
	RING_BAD_RESERVED, /* more than a stub reserves */
	RING_BAD_SITE,     /* no stub writes events of it */
	RING_BAD_CONTEXT,  /* an event before any context, or a context of no goroutine */
	RING_FAULTS,
};
const char *ring_fault_text(enum ring_fault f); /* a clause, static */

struct rings_stats {
	uint64_t events;
	uint64_t late;         /* handed out after their time */
	uint64_t backwards;    /* of a time before the same ring's event before: given that one's */
	uint64_t lost;         /* dropped by stubs, or in disabled rings */
	uint64_t passed_by;    /* how often a ring was no longer waited for */
	uint64_t most_bytes;   /* the most that waited in a ring */
	unsigned disabled;     /* rings */
	enum ring_fault fault; /* of the first of them, which is */
	unsigned fault_ring;
};

/* NULL and errno: ENOMEM, EINVAL when a ring's or a site's description cannot be. */
struct rings *rings_new(const struct rings_options *opt);
void rings_free(struct rings *s); /* leaves the rings' memory as it is */

/* How long a ring whose next event is reserved and not published is waited for. */
#define RINGS_PATIENCE_NS (100 * 1000 * 1000)

/*
 * Looks how far the rings were written. `now_ns` (CLOCK_MONOTONIC) was read before, and is so far
 * in the past that what a stub did until then is seen; no pair may have been added to the clock
 * that is earlier. `tsc` reads the counter: no event found has a later one. Returns the time up to
 * which events are complete: now_ns, or an earlier one while a stub is at work.
 */
uint64_t rings_poll(struct rings *s, uint64_t now_ns, uint64_t (*tsc)(void));

/* Tells what was lost since the last call, at most one EV_LOSS a ring: dropped when it was full, or
 * in a ring that was disabled. None begins before what was handed out. 0 or the error of `tell`. */
int rings_take_losses(struct rings *s, int (*tell)(void *ctx, const struct event_ext *loss),
		      void *ctx);

/* The time of the first event that waits, UINT64_MAX when none does. */
uint64_t rings_first_ns(const struct rings *s);

/* Hands out what is stamped before `until_ns`, which is at most what rings_poll returned, or
 * UINT64_MAX for all once nothing writes any more. 0 or the sink's error. */
int rings_until(struct rings *s, uint64_t until_ns);

/* Gives the room of what was handed out back to the stubs. */
void rings_release(struct rings *s);

/* Is a ring filled by more than one eighth? */
bool rings_filling(const struct rings *s);

/* Makes all stubs take their slow path from now on. What they have written can still be read. */
void rings_disable(struct rings *s);

struct rings_stats rings_stats(const struct rings *s);

#endif
