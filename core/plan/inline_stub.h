/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stubs that write their events themselves, into rings shared with gotrace (plan/ring.h). Pure:
 * bytes and addresses.
 *
 * The first bytes of a window in the text are a jump to the stub; it writes its event into the ring
 * of the P that it runs on, executes what was displaced and jumps back:
 *
 *	record       an event, with a context slot before it when goroutine or thread have changed
 *	displaced    the window's instructions
 *	jump back
 *	slow:        what the record changed is restored
 *	displaced
 *	jump back    probed: a uprobe makes the event
 *	context      part of the record
 *	off          part of the record: the ring is full, or recording is off
 *	drop         part of the record, with --overflow=drop
 *
 * It takes the slow path where g is not running, the P has no ring or the ring is disabled or full;
 * without a uprobe there, it costs nothing. One byte of the record, of a constant that g's status
 *is compared with, makes it take the slow path always: it may be changed while the program runs,
 *since other processors fetch the old instruction or the new one. When displaced instructions have
 *to run first, the stub has one copy of them, before the record. A bare stub has only the displaced
 *bytes and the probed jump. Where the window is a RET, with padding after it that makes room, the
 *stub returns in its place: a RET of its own is where it jumps back to. A late stub without
 *displaced bytes is where branches to its window go instead.
 *
 * A signal that arrives in a stub sees the pc of the text: inline_hook.h.
 */
#ifndef GOTRACE_INLINE_STUB_H
#define GOTRACE_INLINE_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INLINE_ALIGN    32 /* stubs begin at multiples of it; no two share such a block */
#define INLINE_WINDOW   64 /* most bytes that can be displaced, */
#define INLINE_COMPARE  16 /* and of a comparison */
#define INLINE_FIXES    8
#define INLINE_PROBES   4
#define INLINE_STUB_MAX 640 /* bytes of a stub */

/* Of a program. Offsets as its runtime has them. */
struct inline_program {
	uint32_t g_m, g_goid, g_atomicstatus, m_p, m_procid;
	uint32_t m_curg, g_waitreason; /* for INLINE_STATUS and what follows it */
	/* m.p is 0 in a system call: Go up to 1.25. Later it stays, while the P may be taken */
	bool p_is_given_up;
	uint32_t g_gopc, g_startpc;        /* for INLINE_CREATE */
	uint32_t g_sched_pc, m_morebuf_sp; /* for INLINE_STOP */
	uint64_t table;                    /* address of the table of rings */
	uint64_t text;                     /* and of the text's first function */
	uint32_t ring_size;                /* bytes of slots in each, a power of two */
	bool drop; /* a full ring: count the event and go on, instead of the slow path */
};

/* What among displaced bytes depends on their address. */
enum inline_fix_kind {
	INLINE_FIX_MEMORY,   /* displacement of 4 bytes: of an operand relative to rip */
	INLINE_FIX_BRANCH8,  /* distance of one byte: jcc or jmp, */
	INLINE_FIX_BRANCH32, /* of four, at the end of the instruction */
	/* of a call, the last instruction of the window: the stub pushes the return address that
	 * the text has, then jumps. Not where there is a shadow stack. */
	INLINE_FIX_CALL,
};

struct inline_fix {
	uint8_t off; /* of the displacement or distance, from the window's first byte */
	uint8_t kind;
};

/* What the depth of a stub's event tells. */
enum inline_tells {
	INLINE_DEPTH,
	INLINE_STATE,  /* always the same state of the current goroutine */
	INLINE_STATUS, /* at the entry of runtime.casgstatus: a goroutine's state, or a wake */
	/* What is needed though recording is off or the ring is full: the slow path then. */
	INLINE_END, /* at the entry of runtime.gdestroy: nothing, the goroutine in rax has ended */
	INLINE_CREATE, /* at the return of runtime.newproc1: with arguments, rax is the new one */
	/* at the entry of runtime.newstack: with an argument, the depth where m.curg has stopped */
	INLINE_STOP,
	INLINE_GROWTH, /* at the entry of runtime.copystack: with arguments, if the stack grows */
};

/* One stub. Addresses may wrap below 0, as in a PIE; all are within 2 GiB of each other. */
struct inline_stub {
	uint32_t site;  /* number in its events */
	uint8_t tells;  /* enum inline_tells */
	uint32_t state; /* INLINE_STATE: the depth */
	bool keeps_rdx; /* rdx holds a value of the program: an entry */
	bool late;      /* recorded after the displaced bytes, which have no branch or call then */
	bool bare;      /* no record: displaced bytes and the probed jump back, a trap each time */
	bool returns;   /* the window is a RET and padding; neither late, bare, fixes nor compare */
	uint64_t window;
	const uint8_t
		*displaced; /* borrowed, `len` bytes of the file; len 0: late, back == window */
	uint8_t len, n_fixes;
	struct inline_fix fixes[INLINE_FIXES]; /* by offset */
	/* Flags are live at the window: the comparison that set them, executed again after the
	 * record. It reads registers and constants only. A signal in the record moves a thread back
	 * to the window with other flags: the text must not be put back there while one may be on
	 * its way. */
	uint8_t compare_len;
	const uint8_t *compare; /* borrowed */
	uint64_t back; /* address that the stub returns to; not used after a call or a RET */
};

/* Offsets of the stub's parts from its first byte; `end` is its size. */
struct inline_parts {
	uint16_t saved, ring, write, done, record, record_end; /* labels of the template */
	/* the byte that is INLINE_RECORDS or INLINE_SILENT; 0 in a bare stub, and INLINE_STATUS */
	uint16_t record_switch;
	uint16_t compare, displaced, tail;
	uint16_t slow, slow_displaced, slow_tail;
	uint16_t context, off, drop, counted, end;
	uint16_t n_probes, probes[INLINE_PROBES]; /* jumps to be probed; the slow path takes one */
};

static inline bool inline_is_needed(const struct inline_stub *s)
{
	return s->tells > INLINE_STATUS;
}

/* 0, or -EINVAL when s cannot be written: more fixes, bytes or branches than fit. */
int inline_stub_parts(const struct inline_program *p, const struct inline_stub *s,
		      struct inline_parts *out);

/* Writes s, made for address `addr` (a multiple of INLINE_ALIGN), to `to`: parts.end bytes.
 * 0, -EINVAL, or -ERANGE where something is further than 2 GiB away. */
int inline_stub_write(const struct inline_program *p, const struct inline_stub *s, uint64_t addr,
		      uint8_t *to);

#endif
