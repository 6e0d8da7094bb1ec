/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The interface between the BPF programs and user space: the record of each event, the attach
 * cookie, and the memory that both sides share.
 *
 * This is the only header that both sides include. Fixed-width types, explicit
 * padding, no pointers, no enums, no bit fields.
 */
#ifndef GOTRACE_EVENT_H
#define GOTRACE_EVENT_H

#ifdef __bpf__
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef int int32_t;
typedef unsigned long long uint64_t;
#else
#include <stdint.h>
#endif

/*
 * Event kinds, append-only: traces on disk carry these numbers.
 * Those marked * are 64-byte records (struct event_ext).
 *
 * A new kind is named in: core/trace/FORMAT.md, core/base/event_kinds.[ch], core/model/pairing.c.
 */
#define EV_ENTRY      1 /* a call of the site's function begins */
#define EV_EXIT       2 /* it returns */
#define EV_TAIL       3 /* it jumps to another function, which returns in its place */
#define EV_ENTRY_EXIT 4 /* both at once: the function has one probe, on its only RET */
#define EV_ENTRY_TAIL 5 /* a frameless wrapper probed on its jump: entry and tail exit at once */
#define EV_STOP       6 /* * prologue stopped in newstack: arg0 interrupted pc */
/* * what the runtime does about a stopped prologue: arg2 one of STOP_*; when the stack grows arg0
 * is its old and arg1 its new size in bytes; depth 0. No such event comes when it does nothing. The
 * entry of the function follows. */
#define EV_RESUME 7
/* * goroutine created: arg0 its goid, arg1 pc of the go statement, arg2 pc of the start function;
 * goid is the creator's, 0 if there is none */
#define EV_CREATE 8
#define EV_END    9  /* goroutine goid ended; its frames end with it */
#define EV_UNWIND 10 /* * frames of goid deeper than `depth` are gone: a panic was recovered */
/* * events were lost: ts_ns the first, arg0 ts of the last, arg1 how many; goid of their goroutine,
 * or EVF_ALL when not known */
#define EV_LOSS      11
#define EV_IMAGE     12 /* runtime.main was entered: a new process image, goids start over */
#define EV_MORESTACK 13 /* thesis strategy: the site's function calls morestack */
/* * from ts_ns on nothing is recorded of the site's function: arg0 is what its probes took, ns, of
 * arg1 ns of the program's processor time. Made by user space */
#define EV_RELEASED 14
#define EV_KIND_MAX 14

/* Only in cookies and on the wire, never in a trace: runtime.sigpanic was entered. arg0 is the pc
 * that faulted, depth that of its frame. User space turns it into an EV_ENTRY when the function's
 * entry probe is after that pc, and drops it otherwise. 64 bytes. */
#define EV_WIRE_FAULT 128

/* flags of an event; EVF_WIRE_SECOND never in a trace: recorded by a link that replaces another, or
 * is to be replaced */
#define EVF_WIRE_SECOND 0x8000
/* ran on a system stack (g0): keyed by (tid, depth); goid is m.curg's, a label */
#define EVF_SYSTEM 1
#define EVF_ALL    2 /* EV_LOSS: the goroutine that lost events is not known */
#define EVF_GOEXIT 4 /* EV_UNWIND: the frames end because of runtime.Goexit */

/*
 * Bits 8..11: how the event came about, HOW_*, and so what it cost the program. The collector sets
 * them (format 1.1); it knows how each site is probed.
 */
#define EVF_HOW_SHIFT  8
#define EVF_HOW(flags) ((flags) >> EVF_HOW_SHIFT & 15)
#define HOW_UNKNOWN    0
#define HOW_EMULATED   1 /* one trap, the kernel emulates the instruction */
#define HOW_JUMP       2 /* one trap, on a stub's jump */
#define HOW_NOP        3 /* a system call, a stub's nop replaced by it */
#define HOW_RET        4 /* one trap, the BPF program performs the RET */
#define HOW_STEP       5 /* two traps, the kernel steps over the instruction */
#define HOW_INLINE     6 /* no trap, a stub writes the event */
#define HOW_MAX        6

/* what a stopped prologue did, EV_RESUME arg2 */
#define STOP_DECLINED 0 /* neither grew nor yielded */
#define STOP_GROWTH   1 /* copied to a larger stack */
#define STOP_YIELD    2 /* gave up the processor */
#define STOP_GC       3 /* parked for the garbage collector */

/*
 * The common record, 32 bytes.
 *
 * depth: bytes between the high end of the goroutine's stack and the return
 * address of the frame. Copying a stack keeps it (runtime.copystack moves
 * [old.hi - used, old.hi) to [new.hi - used, new.hi)), so it names a frame for
 * as long as the frame lives. On a system stack, which never moves but whose
 * bounds may be rewritten, it is the negated low half of rsp instead: compare
 * such depths by their signed difference.
 */
struct event {
	uint64_t ts_ns; /* CLOCK_MONOTONIC */
	uint64_t goid;
	uint32_t site; /* index into the site table */
	uint32_t depth;
	uint32_t tid;   /* kernel thread, in the tracer's view of the initial pid namespace */
	uint16_t kind;  /* EV_* */
	uint16_t flags; /* EVF_* */
};
_Static_assert(sizeof(struct event) == 32, "wire size");
_Static_assert(__builtin_offsetof(struct event, site) == 16, "wire layout");
_Static_assert(__builtin_offsetof(struct event, kind) == 28, "wire layout");

/* The record of the rare kinds that carry more, 64 bytes. */
struct event_ext {
	struct event h;
	uint64_t arg[4];
};
_Static_assert(sizeof(struct event_ext) == 64, "wire size");

/*
 * Attach cookie, all that a program knows about a site: bits 0..31 site index, 32..47 bytes from
 * rsp up to the return address at the probed instruction, 48..55 kind (EV_*, or EV_WIRE_FAULT),
 * 56..63 COOKIE_* flags. core/plan/site_cookie.c makes them.
 */
#define COOKIE_SITE(c)  ((uint32_t)(c))
#define COOKIE_RA(c)    ((uint32_t)((c) >> 32) & 0xffff)
#define COOKIE_KIND(c)  ((uint32_t)((c) >> 48) & 0xff)
#define COOKIE_FLAGS(c) ((uint32_t)((c) >> 56) & 0xff)
#define COOKIE(site, ra, kind, flags) \
	((uint64_t)(site) | (uint64_t)(ra) << 32 | (uint64_t)(kind) << 48 | (uint64_t)(flags) << 56)

#define COOKIE_STOP(c)         ((uint32_t)((c) >> 60) & 3)
#define COOKIE_STOP_FLAGS(why) ((why) << 4)

/* on the stack check's jbe: no event when it is taken (CF or ZF) */
#define COOKIE_CHECK_JCC 1
/* on a plain RET (c3), which the program may perform, see config.rets. rsp is at the return address
 * there, so bits 32..43 hold those of the instruction's address instead. */
#define COOKIE_RET             2
#define COOKIE_SECOND          4 /* events get EVF_WIRE_SECOND */
#define COOKIE_RET_BITS(vaddr) ((uint32_t)(vaddr)&0xfff)

/*
 * Counters of one CPU, in a map that user space has mapped. A writer adds to
 * lost_begun before it reads the clock and to lost_done when its record is
 * complete: while the two differ, a loss older than the reader's clock may still
 * be on its way.
 */
struct cpu_counters {
	uint64_t lost_begun;
	uint64_t lost_done;
	uint64_t lost_first_ns; /* of the losses since user space last set it to 0 */
	uint64_t lost_last_ns;
	uint64_t dropped_signal;  /* on a signal stack: goid 0 and not g0 */
	uint64_t dropped_outside; /* rsp outside the stack of g */
	uint64_t dropped_fault;   /* g could not be read */
	/* hits in the runtime where g was neither its m's curg nor its g0 */
	uint64_t layout_wrong;
	uint64_t pad[8];
};
_Static_assert(sizeof(struct cpu_counters) == 128, "two cache lines");

/* What was lost of one goroutine since user space last looked. */
struct lost_goid {
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t count;
};

/* Which process is traced. BPF helpers know a task's number only in the task's own pid namespace,
 * so these are the number and namespace of the target, not of the tracer. */
struct target_config {
	uint32_t tgid;
	uint32_t pad;
	uint64_t pidns_dev, pidns_ino;
	uint64_t exe_ino; /* inode number of the traced binary, 0: not known */
};

/* What the target started and gotrace does not follow. */
struct children_state {
	uint32_t children;  /* processes that it forked */
	uint32_t execs;     /* images that it executed */
	uint32_t own_execs; /* of them of the traced binary */
};

/* Configuration of the BPF programs, read-only once they are loaded. Byte
 * offsets inside runtime.g and its kin; -1 where the Go version has no such field. */
struct probe_config {
	/* how much of a g one read fetches; covers all g_* below up to goid */
	uint32_t g_read_bytes;
	uint32_t g_stack_lo, g_stack_hi, g_m, g_goid;
	int32_t g_panic, g_gopc, g_startpc, g_sigcode0, g_sched_pc;
	int32_t m_g0, m_curg, m_morebuf_sp;
	int32_t panic_link, panic_sp, panic_start_sp, panic_goexit;
	uint32_t filter; /* non-zero: other processes hit the probes too, ignore them */
	/* RETS_*: who may perform the RET at COOKIE_RET sites instead of the kernel */
	uint32_t rets;
	struct target_config target;
	uint64_t main_vaddr; /* link-time address of the EV_IMAGE site */
};
#define G_READ_MAX 256

#define RETS_STEPPED   0 /* not allowed: the kernel refuses programs that write to pt_regs */
#define RETS_BY_OTHERS 1 /* another tracer's program on the same byte may have, before this one */
#define RETS_PERFORMED 2 /* this tracer's programs do */

/* Changed by the BPF programs and by user space while a trace runs. */
struct probe_state {
	/* run-time minus link-time address of the target's text: set by user space for a running
	 * process, else at each entry of runtime.main */
	uint64_t text_bias;
	uint32_t paused; /* non-zero: record nothing, links are being attached or detached */
	uint32_t pad;
};

#endif
