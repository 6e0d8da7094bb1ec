/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the events that inline stubs wrote into the rings of a program (plan/ring.h), in time
 * order.
 *
 * The program owns that memory and may write anything into it at any time, and gotrace may be root.
 * So a reader reads each slot once and keeps its position in its own memory. It disables and
 * reports a ring with impossible positions, sites or contexts. The ring's stubs then take their
 * slow path. A program can spoil only its own events.
 *
 * A round is rings_poll, rings_take_losses, rings_until (as often as other events come between),
 * then rings_release. No kernel, no clock and no libbpf in here.
 */
#ifndef GOTRACE_RINGS_H
#define GOTRACE_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/event.h"
#include "plan/ring.h"
#include "rings/tsc_clock.h"

/* A ring mapped by gotrace. It is its header, then from RING_DATA on `size` bytes of slots. size is
 * a power of two from RING_SIZE_MIN to RING_SIZE_MAX. */
struct ring_memory {
	void *at;
	uint64_t size;
};

/* Returns true when a site's stub may write events of this kind: an EV_* without arguments, or one
 * of those in rings_args. The stub of EV_STATE writes EV_WAKE, too. */
bool rings_kind(unsigned kind);

/* Returns the number of arguments that a stub writes for an event of that kind. For EV_RESUME it
 * leaves out STOP_GROWTH, the only value that stubs write. */
static inline unsigned rings_args(unsigned kind)
{
	return kind == EV_CREATE ? 3 : kind == EV_RESUME ? 2 : kind == EV_STOP ? 1 : 0;
}

/* The kind that the stub of a site writes. One of the two kinds is 0, or both when the site has no
 * such stub. */
struct ring_site {
	uint8_t kind; /* without arguments */
	uint8_t kind_with_args;
	uint16_t to_frame_bytes; /* stack pointer to return address, where the stub takes depth */
};

/* Returns the ring_site of a site whose stub writes `kind`, see rings_kind. */
struct ring_site rings_site(unsigned kind, uint16_t to_frame_bytes);
static inline uint8_t rings_site_kind(const struct ring_site *s)
{
	return s->kind ? s->kind : s->kind_with_args;
}

/* Receives events. All functions return 0, or an error that ends the call they come from. */
struct rings_sink {
	/* Gets events in time order, all of kinds without arguments. ev is valid during the
	 * call. */
	int (*events)(void *ctx, const struct event *ev, size_t n);
	/* Gets an event of a kind with arguments, in its turn. */
	int (*event_with_args)(void *ctx, const struct event_ext *ev);
	/* The next event was published too late, because later events had been handed out already.
	 * It gets the time up to which events were handed out. Nothing is lost (arg[1] is 0), but
	 * the times of that goroutine's calls are in doubt. */
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
	/* Returns the tracer's number of a thread that has `procid` in the program's pid namespace.
	 * It is called once for a run of equal numbers. NULL means that the numbers are equal. */
	uint32_t (*tid_of)(void *ctx, uint32_t procid);
	void *tid_ctx;
	struct rings_sink sink;
	/* With it slots stay taken. So all slots written up to a full ring are there at the end,
	 * for an image (ring_image.h). */
	bool keep;
};

struct rings;

/* A fault of a ring. */
enum ring_fault {
	RING_SOUND,
	RING_BAD_HEAD,     /* head is beyond the ring's size, not at a slot, or lower than before */
	RING_BAD_TAIL,     /* tail is not the value that the collector wrote */
	RING_BAD_RESERVED, /* reserved is further ahead than a stub reserves */
	RING_BAD_SITE,     /* no stub writes events of this site */
	RING_BAD_CONTEXT,  /* an event before any context, or a context of no goroutine */
	RING_BAD_ARGS,     /* arguments without their event, or an event without its arguments */
	RING_FAULTS,
};
const char *ring_fault_text(enum ring_fault f); /* a clause, static */

struct rings_stats {
	uint64_t events;
	uint64_t late; /* events published too late, see rings_sink.late */
	/* Events with an earlier time than the event before in the same ring. They get that event's
	 * time. */
	uint64_t backwards;
	uint64_t lost;         /* events dropped by stubs, or in disabled rings */
	uint64_t passed_by;    /* number of times that the wait for a ring was given up */
	uint64_t most_bytes;   /* the most bytes that waited in a ring */
	unsigned disabled;     /* number of disabled rings */
	enum ring_fault fault; /* fault of the first disabled ring, and its number */
	unsigned fault_ring;
};

/* Returns NULL with errno ENOMEM, or EINVAL when the description of a ring or a site is invalid. */
struct rings *rings_new(const struct rings_options *opt);
void rings_free(struct rings *s); /* leaves the rings' memory as it is */

/* The time that rings_poll waits for a ring whose next event is reserved and not published. */
#define RINGS_PATIENCE_NS (100 * 1000 * 1000)

/*
 * Reads the end of each ring's written part. The caller read `now_ns` (CLOCK_MONOTONIC) before the
 * call. That was long enough ago that all writes of stubs until then are visible. The clock's last
 * pair must not be earlier than now_ns. `tsc` reads the counter, and no event found has a later
 * one. Returns the time up to which events are complete. That is now_ns, or an earlier time while a
 * stub is at work.
 */
uint64_t rings_poll(struct rings *s, uint64_t now_ns, uint64_t (*tsc)(void));

/* Reports the losses since the last call, at most one EV_LOSS a ring. They are events dropped when
 * it was full, or left in a ring that was disabled. No loss begins before the time up to which
 * events were handed out. Returns 0 or the error of `tell`. */
int rings_take_losses(struct rings *s, int (*tell)(void *ctx, const struct event_ext *loss),
		      void *ctx);

/* Returns the time of the first event that waits, UINT64_MAX when none does. */
uint64_t rings_first_ns(const struct rings *s);

/* Hands out events stamped before `until_ns`. That is at most the result of rings_poll, or
 * UINT64_MAX for all events once nothing writes any more. Returns 0 or the sink's error. */
int rings_until(struct rings *s, uint64_t until_ns);

/* Frees the slots that were handed out, so that stubs write them again. */
void rings_release(struct rings *s);

/* Returns true when a ring is filled by more than one eighth. */
bool rings_filling(const struct rings *s);

/* Makes stubs do nothing any more. Events that they have written can still be read. */
void rings_shut(struct rings *s);

/* Turns recording off until rings_resume. Stubs do nothing, and lose nothing. An event that a stub
 * is about to write at the call comes nevertheless. Any thread may call both. They change nothing
 * in rings that are disabled or shut. */
void rings_pause(struct rings *s);
void rings_resume(struct rings *s);

struct rings_stats rings_stats(const struct rings *s);

#endif
