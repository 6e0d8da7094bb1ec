/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stubs that write their events themselves, into rings shared with gotrace (plan/ring.h). Pure:
 * bytes and addresses.
 *
 * The first bytes of a window in the text are a jump to the stub. The stub writes its event into
 * the ring of the P that it runs on. Then it executes the displaced instructions and jumps back.
 * Its parts are:
 *
 *    record       writes an event; if goroutine or thread have changed, first a context slot
 *    displaced    the window's instructions
 *    jump back
 *    slow         restores the registers and the ring that the record changed
 *    displaced
 *    jump back    probed: a uprobe makes the event
 *    context      part of the record
 *    off          part of the record, for a full ring and while recording is off
 *    drop         part of the record, with --overflow=drop
 *
 * A stub takes the slow path when g is not running, or when the P has no ring. It also does when
 * the ring is disabled or full. Without a uprobe there, the slow path costs nothing.
 *
 * The record compares g's status with a constant. A change of one byte of this constant makes it
 * take the slow path always. That byte may be changed while the program runs, because other
 * processors fetch the old instruction or the new one.
 *
 * When displaced instructions have to run first, the stub has one copy of them, before the record.
 * A bare stub has only the displaced bytes and the probed jump. Where the window is a RET and the
 * padding after it, the stub returns in its place. It then has a RET of its own in place of the
 * jump back. A late stub without displaced bytes is the new target of branches to its window.
 *
 * When a signal arrives in a stub, its handler sees the pc of the text (inline_hook.h).
 */
#ifndef GOTRACE_INLINE_STUB_H
#define GOTRACE_INLINE_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INLINE_ALIGN    32 /* stubs begin at multiples of it and share no such block */
#define INLINE_WINDOW   64 /* most displaced bytes */
#define INLINE_COMPARE  16 /* most bytes of a comparison */
#define INLINE_FIXES    8
#define INLINE_PROBES   4
#define INLINE_STUB_MAX 640 /* bytes of a stub */

/* A program, with the offsets of its runtime. */
struct inline_program {
	uint32_t g_m, g_goid, g_atomicstatus, m_p, m_procid;
	uint32_t m_curg, g_waitreason; /* for INLINE_STATUS and the kinds after it */
	/* m.p is 0 in a system call, as up to Go 1.25. In later versions it stays, while the P may
	 * be taken */
	bool p_is_given_up;
	uint32_t g_gopc, g_startpc;        /* for INLINE_CREATE */
	uint32_t g_sched_pc, m_morebuf_sp; /* for INLINE_STOP */
	uint64_t table;                    /* address of the table of rings */
	uint64_t text;                     /* address of the text's first function */
	uint32_t ring_size;                /* bytes of slots in each, a power of two */
	bool drop; /* when the ring is full, count the event and go on, instead of the slow path */
};

/* Displaced bytes that depend on their address. */
enum inline_fix_kind {
	INLINE_FIX_MEMORY,   /* the displacement of an operand relative to rip, 4 bytes */
	INLINE_FIX_BRANCH8,  /* the distance of a jcc or jmp, one byte */
	INLINE_FIX_BRANCH32, /* such a distance of four bytes, at the end of the instruction */
	/* the distance of a call, the window's last instruction. The stub pushes the return address
	 * that the text has, then jumps. A program with a shadow stack has none. */
	INLINE_FIX_CALL,
};

struct inline_fix {
	uint8_t off; /* offset of the displacement or distance from the window's first byte */
	uint8_t kind;
};

/* The meaning of the depth of a stub's event. */
enum inline_tells {
	INLINE_DEPTH,
	INLINE_STATE,  /* one state of the current goroutine, always the same */
	INLINE_STATUS, /* at the entry of runtime.casgstatus: a goroutine's state, or a wake */
	/* The kinds below are needed even while recording is off or the ring is full. The stub then
	 * takes the slow path. */
	INLINE_END, /* at the entry of runtime.gdestroy: 0; the goroutine in rax has ended */
	/* at the return of runtime.newproc1, with arguments; rax is the new goroutine */
	INLINE_CREATE,
	/* at the entry of runtime.newstack, with an argument: the depth where m.curg has stopped */
	INLINE_STOP,
	INLINE_GROWTH, /* at the entry of runtime.copystack, with arguments, if the stack grows */
};

/* One stub. Addresses may wrap below 0, as in a PIE; all are within 2 GiB of each other. */
struct inline_stub {
	uint32_t site;  /* the site's number in its events */
	uint8_t tells;  /* enum inline_tells */
	uint32_t state; /* INLINE_STATE: the depth */
	bool keeps_rdx; /* at an entry, where rdx holds a value of the program */
	/* the record comes after the displaced bytes, which then have no branch or call */
	bool late;
	/* without a record; only displaced bytes and the probed jump back, a trap each time */
	bool bare;
	/* the window is a RET and padding; such a stub is not late or bare, without fixes or
	 * comparison */
	bool returns;
	uint64_t window;
	/* borrowed, `len` bytes of the file; len may be 0 when late, with back == window */
	const uint8_t *displaced;
	uint8_t len, n_fixes;
	struct inline_fix fixes[INLINE_FIXES]; /* by offset */
	/* Set when flags are live at the window. The stub executes the comparison that set them
	 * again, after the record. It reads registers and constants only. A signal in the record
	 * moves a thread back to the window with other flags. So nobody may put the text back there
	 * while such a thread may be on its way. */
	uint8_t compare_len;
	const uint8_t *compare; /* borrowed */
	uint64_t back; /* address that the stub jumps back to; unused after a call or a RET */
};

/* Offsets of the stub's parts from its first byte; `end` is its size. */
struct inline_parts {
	uint16_t saved, ring, write, done, record, record_end; /* labels of the template */
	/* The byte that is INLINE_RECORDS or INLINE_SILENT. It is 0 in a bare stub, and for
	 * INLINE_STATUS. */
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

/* Computes the parts of s. Returns 0, or -EINVAL when s cannot be written because it has more
 * fixes, bytes or branches than fit. */
int inline_stub_parts(const struct inline_program *p, const struct inline_stub *s,
		      struct inline_parts *out);

/* Writes s for the address `addr`, a multiple of INLINE_ALIGN, to `to`, which holds parts.end
 * bytes. Returns 0, -EINVAL, or -ERANGE where something is further than 2 GiB away. */
int inline_stub_write(const struct inline_program *p, const struct inline_stub *s, uint64_t addr,
		      uint8_t *to);

#endif
