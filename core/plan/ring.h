/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory that inline stubs write events into: laid out here for those who write it (the code
 * of stubs, core/plan) and who read it (the collector, core/attach).
 *
 * One ring for each P of the Go scheduler. A goroutine runs on one P, and Go cannot take a
 * goroutine off its thread while pc is inside a stub, so a ring has one writer at a time and needs
 * neither lock nor atomic instruction (x86 keeps stores in order). The traced program owns this
 * memory and may write anything into it: a reader trusts nothing in it.
 *
 * A ring is one page with its header, then `size` bytes of slots, a power of two. Positions (head,
 * reserved, tail) count bytes from the beginning and never wrap; a position is at offset
 * RING_DATA + (position & (size - 1)).
 */
#ifndef GOTRACE_PLAN_RING_H
#define GOTRACE_PLAN_RING_H

#define RING_SLOT     16   /* bytes of a slot */
#define RING_DATA     4096 /* of the first slot in a ring */
#define RING_MAX      256  /* rings: a P with a higher number has none */
#define RING_SIZE_MIN 4096ull
#define RING_SIZE_MAX (1ull << 30)
/* An event may have so many arguments, each in a slot of its own before it. */
#define RING_ARGS 3
/* What a stub wants free before it writes: its event, arguments and a context before it. */
#define RING_ROOM ((2 + RING_ARGS) * RING_SLOT)
/* A stub finds its ring in a table of RING_MAX addresses, indexed by p.id, 0 where there is none.
 * It is on a private page with MADV_WIPEONFORK (d2cd9ede6e19, Linux 4.14), so that a forked child
 * finds no ring and takes the slow path. */
#define RING_TABLE_BYTES (8 * RING_MAX)

/* In `site` of a slot: it is no state of a goroutine but who wakes one (EV_WAKE). */
#define RING_WAKE 0x80000000

/* As `site` of a slot: it is an argument of the event that follows. */
#define RING_ARG 0xfffffffe

/* A tail with this bit makes every stub go on without an event: recording is off. head less it has
 * the bit as well, as long as head is below. */
#define RING_PAUSED_BIT 62

#ifndef __ASSEMBLER__

#include <stdint.h>

/*
 * The header. The stubs' line and the collector's are apart: each is written all the time.
 *
 * What the collector (core/rings) relies on; a ring that breaks it is disabled:
 * - A stub writes `reserved` before it reads the clock, at most RING_ROOM past head, and publishes
 * by writing head after its slots; whoever undoes the reservation writes reserved = head. So while
 * reserved is not past head, no stub has read the clock for an event that is not published.
 * - head is a multiple of RING_SLOT, never goes back, and is at most `size` past tail.
 * - The first slot of all is a context; its goid is 0 only before a slot with RING_WAKE, and before
 *   an EV_CREATE.
 * - An event of a kind with arguments has all of them right before it, one that has none has none.
 * - A stub that drops writes dropped_first (when dropped == dropped_seen), dropped_goid and
 *   dropped_last before it counts `dropped`; the collector reads `dropped` first, and writes
 *   dropped_seen last. A drop in between is then reported with a time range and goids that are too
 *   wide, never too narrow.
 */
struct ring_head {
	/* ---- written by stubs */
	uint64_t head;     /* everything before it is whole */
	uint64_t reserved; /* equal to head, or further on while a stub writes */
	/* of the last context slot: its goid, 0 when the next event has to write one in any case */
	uint64_t last_goid;
	uint64_t last_procid; /* and its thread */
	uint64_t pad0[4];
	/* ---- written by stubs with --overflow=drop, when the ring is full */
	uint64_t dropped;       /* events since the collector last looked, counted on */
	uint64_t dropped_first; /* clock of the first since dropped_seen, and */
	uint64_t dropped_last;  /* of the last */
	uint64_t dropped_goid;  /* the goid when all were one goroutine's, RING_MANY_GOIDS else */
	uint64_t pad1[4];
	/* ---- written by the collector */
	/* read up to here; RING_DISABLED makes every stub take its slow path, RING_PAUSED and
	 * RING_SHUT do nothing */
	uint64_t tail;
	uint64_t dropped_seen; /* `dropped` as the collector last saw it */
	uint64_t pad2[6];
};
_Static_assert(sizeof(struct ring_head) == 192, "three cache lines");
_Static_assert(__builtin_offsetof(struct ring_head, dropped) == 64, "a line of its own");
_Static_assert(__builtin_offsetof(struct ring_head, tail) == 128, "a line of its own");

#define RING_MANY_GOIDS UINT64_MAX
/* head - tail is then larger than any ring for as long as a program can run. */
#define RING_DISABLED (1ull << 63)
#define RING_PAUSED   (1ull << RING_PAUSED_BIT)
/* Before recording begins and after it ends: as RING_PAUSED for stubs, and never opened again by
 * who pauses and resumes. */
#define RING_SHUT (RING_DISABLED | RING_PAUSED)

/*
 * A slot is an event: the time stamp counter, the depth, the number of the site. When `site` is
 * RING_CONTEXT it is a context for the events after it in this ring: `clock` is their goid, `depth`
 * the number of their thread (m.procid, in the pid namespace of the process). Of a site of
 * runtime.casgstatus, `depth` is that of EV_STATE, or with RING_WAKE of EV_WAKE, whose goid may be
 * 0. When `site` is RING_ARG, `clock` is an argument of the next event, a struct event_ext, and
 * `depth` says which. Program counters are told less the address of the text's first function.
 */
struct ring_slot {
	uint64_t clock;
	uint32_t depth; /* stack.hi - rsp at the stub, before the site's correction */
	uint32_t site;
};
_Static_assert(sizeof(struct ring_slot) == RING_SLOT, "wire size");

#define RING_CONTEXT UINT32_MAX

/* What the hook counts, in memory that outlives the program. */
struct ring_signals {
	uint64_t in_stubs;    /* signals that came while pc was in a stub */
	uint64_t rolled_back; /* of these: an event was started again */
	uint64_t shown;  /* of these: the handler saw the pc of the text, put back afterwards */
	uint64_t faults; /* of a record itself; the rings are disabled then */
};

#endif /* __ASSEMBLER__ */

#endif
