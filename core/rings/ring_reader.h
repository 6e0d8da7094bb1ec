/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads one ring. It keeps the ring's positions and faults, and makes events of slots. Private to
 * core/rings. */
#ifndef GOTRACE_RING_READER_H
#define GOTRACE_RING_READER_H

#include "rings/rings.h"

/* Data that all readers share. */
struct ring_shared {
	const struct ring_site *sites;
	uint32_t n_sites;
	uint64_t text_vaddr;
	const struct tsc_clock *clock;
	uint32_t (*tid_of)(void *ctx, uint32_t procid);
	void *tid_ctx;
	uint64_t now_tsc; /* no counter found in this round is later */
	/* counter read after the rings of all faults found so far were disabled */
	uint64_t after_tsc;
	uint64_t written_ns; /* events before it were handed out */
};

struct ring_reader {
	struct ring_head *head;
	const struct ring_slot *slots;
	uint64_t size;
	/* positions: of the next slot to take; of the end of the written part at the last poll; of
	 * the end of the part that stubs know to be taken */
	uint64_t at, written, released;
	/* the slot at `at`, if it was already read: */
	bool waiting, late;
	bool has_args; /* ring_reader_take_with_args is to take it */
	uint32_t site, depth;
	uint8_t kind; /* EV_* */
	uint64_t ns;
	/* the last slots of arguments, and their number */
	uint64_t args[RING_ARGS];
	unsigned n_args;
	uint64_t late_goid; /* goroutine whose late event was reported in this round */
	/* time of the event before; no later event gets an earlier one */
	uint64_t last_ns;
	struct tsc_segment segment; /* segment of the last counter */
	/* context of the next events, once there was one; with goid 0 they can only be wakes */
	bool has_context;
	uint64_t goid;
	uint32_t tid, procid;
	/* The ring is complete up to quiet_ns. When it is stuck, a slot after stuck_at is reserved
	 * and not published. It has been so since stuck_since_ns at least. */
	uint64_t polled_ns, quiet_ns, stuck_since_ns, stuck_at;
	bool stuck;
	/* The values of the tail, as long as it is ours: `released`, or its value when the ring was
	 * resumed, or paused while `switches` is odd. Another thread changes `resumed` and
	 * `switches`. */
	uint64_t resumed;
	unsigned switches;
	bool opened, bad_tail;
	enum ring_fault fault;
	bool disabled;
	uint64_t dropped_seen;
	uint64_t fault_lost; /* slots of a disabled ring that are not reported as lost yet */
	uint64_t n_late, n_backwards, n_lost, n_passed_by, most_bytes;
};

void ring_reader_init(struct ring_reader *r, const struct ring_memory *m);
/* Reads the end of the ring's written part. Returns the time up to which its events are complete,
 * at most now_ns. */
uint64_t ring_reader_poll(struct ring_reader *r, const struct ring_shared *s, uint64_t now_ns);
/* Fills in the losses since the last call. Returns false when there are none. */
bool ring_reader_loss(struct ring_reader *r, const struct ring_shared *s, uint64_t now_ns,
		      struct event_ext *loss);
void ring_reader_release(struct ring_reader *r);
/* Any thread may call it. From then on stubs write nothing into the ring. */
void ring_reader_shut(struct ring_reader *r);
/* Any thread may call these. Stubs write nothing into the ring after a pause, and write again after
 * a resume. */
void ring_reader_pause(struct ring_reader *r);
void ring_reader_resume(struct ring_reader *r);

/* Returns the bytes of the ring that wait to be read. */
static inline uint64_t ring_reader_waiting_bytes(const struct ring_reader *r)
{
	return r->fault ? 0 : r->written - r->at;
}

/* Bytes from the slot being read to the slot to prefetch. Another CPU has written the slots, and
 * the next ones are there. */
#define RING_PREFETCH 512

/* Copy of a slot that a writer may be changing. Each part is read once. */
struct ring_copied {
	uint64_t clock;
	uint32_t depth, site;
};

static inline struct ring_copied ring_reader_copy(const struct ring_reader *r, uint64_t at)
{
	const struct ring_slot *slot = &r->slots[(at & (r->size - 1)) / RING_SLOT];

	return (struct ring_copied){
		.clock = __atomic_load_n(&slot->clock, __ATOMIC_RELAXED),
		.depth = __atomic_load_n(&slot->depth, __ATOMIC_RELAXED),
		.site = __atomic_load_n(&slot->site, __ATOMIC_RELAXED),
	};
}

/* Reads the next event's slot and the contexts before it, unless they were read already. Returns
 * the event's time, UINT64_MAX when this round has none. */
uint64_t ring_reader_next(struct ring_reader *r, const struct ring_shared *s);

/* Takes the event with arguments that ring_reader_next has read. Returns the time of the next one,
 * UINT64_MAX when there is none. */
uint64_t ring_reader_take_with_args(struct ring_reader *r, const struct ring_shared *s,
				    struct event_ext *ev);

/* Takes the event that ring_reader_next has read and those after it that are stamped before
 * `limit_ns`. It takes at most `room` events, and none after one that is late or has arguments.
 * Returns their number. r->waiting is set when another event has been read. */
size_t ring_reader_take(struct ring_reader *r, const struct ring_shared *s, uint64_t limit_ns,
			struct event *ev, size_t room);

/* Flags of all events from stubs. */
#define RING_EVENT_FLAGS (HOW_INLINE << EVF_HOW_SHIFT)

/* Takes one such event. Returns the time of the next one, UINT64_MAX when there is none. */
static inline uint64_t ring_reader_take_one(struct ring_reader *r, const struct ring_shared *s,
					    struct event *ev)
{
	uint32_t number = r->site;
	struct ring_site site = s->sites[number];
	uint64_t at = r->at + RING_SLOT, ns = r->ns;

	ev->ts_ns = ns;
	ev->goid = r->goid;
	ev->site = number;
	ev->depth = r->depth - site.to_frame_bytes;
	ev->tid = r->tid;
	ev->kind = r->kind;
	ev->flags = RING_EVENT_FLAGS;
	r->at = at;
	if (__builtin_expect(at != r->written, 1)) {
		__builtin_prefetch(&r->slots[((at + RING_PREFETCH) & (r->size - 1)) / RING_SLOT]);
		struct ring_copied slot = ring_reader_copy(r, at);

		/* The common case. ring_reader_next has all cases. */
		number = slot.site;
		if (__builtin_expect(number < s->n_sites && s->sites[number].kind && r->goid &&
					     slot.clock - r->segment.tsc < r->segment.ticks,
				     1)) {
			uint64_t next_ns = tsc_segment_ns(&r->segment, slot.clock);

			if (__builtin_expect(next_ns >= ns, 1)) {
				r->site = number;
				r->kind = s->sites[number].kind;
				r->depth = slot.depth;
				return r->ns = r->last_ns = next_ns;
			}
		}
	}
	r->waiting = false;
	return ring_reader_next(r, s);
}

#endif
