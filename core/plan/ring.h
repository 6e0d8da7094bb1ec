/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory that inline stubs write events into. Its layout is for those who write it (the code of
 * stubs, core/plan) and who read it (the collector, core/rings).
 *
 * There is one ring for each P of the Go scheduler. A goroutine runs on one P, and Go cannot take a
 * goroutine off its thread while pc is inside a stub. So a ring has one writer at a time. It needs
 * neither lock nor atomic instruction, because x86 keeps stores in order. The traced program owns
 * this memory and may write anything into it, so a reader trusts nothing in it.
 *
 * A ring is one page with its header, then `size` bytes of slots, a power of two. Positions (head,
 * reserved, tail) count bytes from the beginning and never wrap. A position is at offset
 * RING_DATA + (position & (size - 1)).
 */
#ifndef GOTRACE_PLAN_RING_H
#define GOTRACE_PLAN_RING_H

#define RING_SLOT     16   /* bytes of a slot */
#define RING_DATA     4096 /* offset of the first slot in a ring */
#define RING_MAX      256  /* number of rings; a P with a higher number has none */
#define RING_SIZE_MIN 4096ull
#define RING_SIZE_MAX (1ull << 30)
/* The most arguments of an event, each in a slot of its own before the event. */
#define RING_ARGS 3
/* The bytes that a stub requires free before it writes: an event, its arguments and a context. */
#define RING_ROOM ((2 + RING_ARGS) * RING_SLOT)
/* A stub finds its ring in a table of RING_MAX addresses, indexed by p.id. An entry is 0 where
 * there is no ring. The table is on a private page with MADV_WIPEONFORK (d2cd9ede6e19, Linux 4.14).
 * So a forked child finds no ring and takes the slow path. */
#define RING_TABLE_BYTES (8 * RING_MAX)

/* With this bit in `site`, a slot does not record a goroutine's state. It records which goroutine
 * wakes another (EV_WAKE). */
#define RING_WAKE 0x80000000

/* With this `site`, a slot has an argument of the event that follows. */
#define RING_ARG 0xfffffffe

/* With this bit in tail, every stub continues without an event, because recording is off. The
 * difference head - tail has the bit as well, as long as head is below it. */
#define RING_PAUSED_BIT 62

#ifndef __ASSEMBLER__

#include <stdint.h>

/*
 * The header. The stubs' cache line and the collector's are apart, because each is written all the
 * time.
 *
 * The collector (core/rings) relies on these rules and disables a ring that breaks one:
 *
 * - A stub writes `reserved` before it reads the clock, at most RING_ROOM past head. It publishes
 * by writing head after its slots. A thread that undoes the reservation writes reserved = head. So
 *   while reserved is not past head, no stub has read the clock for an unpublished event.
 *
 * - head is a multiple of RING_SLOT, never goes back, and is at most `size` past tail.
 *
 * - The ring's first slot is a context. Its goid is 0 only before a slot with RING_WAKE, and before
 *   an EV_CREATE.
 *
 * - An event of a kind with arguments has all of them right before it. Any other event has none.
 *
 * - A stub that drops writes dropped_first (when dropped == dropped_seen), dropped_goid and
 *   dropped_last before it counts `dropped`. The collector reads `dropped` first, and writes
 *   dropped_seen last. It then reports a drop in between with a time range and goids that are too
 *   wide, never too narrow.
 */
struct ring_head {
	/* ---- written by stubs */
	uint64_t head;     /* all slots before it are whole */
	uint64_t reserved; /* equal to head, or further on while a stub writes */
	/* goid of the last context slot, 0 when the next event has to write a context */
	uint64_t last_goid;
	uint64_t last_procid; /* thread of the last context slot */
	uint64_t pad0[4];
	/* ---- written by stubs with --overflow=drop, when the ring is full */
	uint64_t dropped;       /* number of dropped events, never reset */
	uint64_t dropped_first; /* clock of the first dropped event since dropped_seen */
	uint64_t dropped_last;  /* clock of the last dropped event */
	uint64_t dropped_goid;  /* the goid when all were one goroutine's, else RING_MANY_GOIDS */
	uint64_t pad1[4];
	/* ---- written by the collector */
	/* The collector has read up to here. RING_DISABLED makes every stub take its slow path.
	 * RING_PAUSED and RING_SHUT make it do nothing. */
	uint64_t tail;
	uint64_t dropped_seen; /* `dropped` as the collector last saw it */
	uint64_t pad2[6];
};
_Static_assert(sizeof(struct ring_head) == 192, "three cache lines");
_Static_assert(__builtin_offsetof(struct ring_head, dropped) == 64, "a line of its own");
_Static_assert(__builtin_offsetof(struct ring_head, tail) == 128, "a line of its own");

#define RING_MANY_GOIDS UINT64_MAX
/* With this tail, head - tail is larger than any ring for as long as a program can run. */
#define RING_DISABLED (1ull << 63)
#define RING_PAUSED   (1ull << RING_PAUSED_BIT)
/* The tail before recording begins and after it ends. Stubs treat it as RING_PAUSED. Pausing and
 * resuming never changes it. */
#define RING_SHUT (RING_DISABLED | RING_PAUSED)

/*
 * A slot is an event: the time stamp counter, the depth, the number of the site. For a site of
 * runtime.casgstatus, `depth` is that of EV_STATE, or with RING_WAKE that of EV_WAKE, whose goid
 * may be 0.
 *
 * With RING_CONTEXT in `site`, a slot is a context for the events after it in this ring. `clock` is
 * their goid. `depth` is the number of their thread (m.procid, in the pid namespace of the
 * process).
 *
 * With RING_ARG in `site`, `clock` is an argument of the next event, a struct event_ext, and
 * `depth` is its index. Program counters are offsets from the address of the text's first function.
 */
struct ring_slot {
	uint64_t clock;
	uint32_t depth; /* stack.hi - rsp at the stub, before the site's correction */
	uint32_t site;
};
_Static_assert(sizeof(struct ring_slot) == RING_SLOT, "wire size");

#define RING_CONTEXT UINT32_MAX

/* Counters of the hook, in memory that outlives the program. */
struct ring_signals {
	uint64_t in_stubs;    /* signals that came while pc was in a stub */
	uint64_t rolled_back; /* number of in_stubs where an event was started again */
	/* number of in_stubs where the handler saw the pc of the text, put back afterwards */
	uint64_t shown;
	uint64_t faults; /* faults of a record itself, which disable the rings */
};

#endif /* __ASSEMBLER__ */

#endif
