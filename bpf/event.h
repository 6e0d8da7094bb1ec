/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The interface between the BPF programs and user space: the record of each event, the attach
 * cookie, and the memory that both sides share.
 *
 * This and sample.h are the only headers that both sides include. Fixed-width types, explicit
 * padding, no pointers, no fields of an enum, no bit fields.
 */
#ifndef GOTRACE_EVENT_H
#define GOTRACE_EVENT_H

#ifdef __bpf__
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#else
#include <stdint.h>
#endif

/*
 * Event kinds, append-only: traces on disk carry these numbers.
 * Those marked * are 64-byte records (struct event_ext).
 *
 * A switch over (enum event_kind)e->kind has no `default`, so that the compiler names it when a
 * kind is new. Numbers of a newer gotrace come behind the switch.
 */
enum event_kind {
	EV_ENTRY = 1,      /* a call of the site's function begins */
	EV_EXIT = 2,       /* it returns */
	EV_TAIL = 3,       /* it jumps to another function, which returns in its place */
	EV_ENTRY_EXIT = 4, /* both at once: the function has one probe, on its only RET */
	EV_ENTRY_TAIL = 5, /* both at once: a frameless wrapper probed on its jump */
	EV_STOP = 6,       /* * prologue stopped in newstack: arg0 interrupted pc */
	/* * the runtime does something about it: arg2 one of STOP_*; a stack that grows: arg0 its
	 * old, arg1 its new size in bytes; depth 0. The entry of the function follows. */
	EV_RESUME = 7,
	/* * goroutine created: arg0 its goid, arg1 pc of the go statement, arg2 pc of the start
	 * function; goid is the creator's, 0 if there is none */
	EV_CREATE = 8,
	EV_END = 9,     /* goroutine goid ended; its frames end with it */
	EV_UNWIND = 10, /* * frames of goid deeper than `depth` are gone: a panic was recovered */
	/* * arg1 events were lost: ts_ns the first, arg0 the last; of goid, or EVF_ALL: of any */
	EV_LOSS = 11,
	EV_IMAGE = 12,     /* runtime.main was entered: a new process image, goids start over */
	EV_MORESTACK = 13, /* thesis strategy: the site's function calls morestack */
	/* * the site's function is recorded no more: arg0 is the ns that its probes took of arg1 ns
	 * of the program's processor time. Made by user space */
	EV_RELEASED = 14,
	/* goid is in the state that `depth` tells, STATE_*; the site is one of the runtime */
	EV_STATE = 15,
	/* goid made another goroutine runnable: `depth` is the low half of that one's goid. goid 0:
	 * the scheduler, a timer or the network poller did. The site is one of the runtime, or one
	 * of a function: goid was in a call of it that may not be recorded */
	EV_WAKE = 16,
	/* * something was left out on purpose: arg0 is one of WINDOW_*. Made by user space */
	EV_WINDOW = 17,
	/* * the clock of a processor interrupted a thread of the target: arg0 is the ns that it
	 * stands for, arg1 one of SAMPLED_*, arg2 the index plus 1 of the traced function that ran,
	 * 0: none did; arg3 the link-time pc; depth is that of rsp. goid 0: the thread executed no
	 * goroutine. On the wire arg1 has bits SAMPLE_WIRE_* and arg2 the pc. */
	EV_SAMPLE = 18,
};
#define EV_KIND_MAX EV_SAMPLE

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
/* EV_ENTRY, EV_TAIL, EV_CREATE, EV_STATE: it happened before ts_ns, when nothing was recorded; told
 * as recording begins, so that what is open has its callers and goroutines have their states */
#define EVF_BEFORE 16
/* with EVF_BEFORE: the call may be over, events were lost. STATE_UNKNOWN: only an event of a state
 * ends that */
#define EVF_DOUBT 32

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
#define HOW_VALUES     7 /* one trap, in which arguments or results were read, too */
#define HOW_MAX        7

/* EV_SAMPLE arg1: where the pc of the program was */
#define SAMPLED_PROGRAM 1 /* in code of the program's own */
#define SAMPLED_KERNEL                                                                             \
	2                 /* likewise; the kernel did something for it: a page fault, an interrupt \
			   */
#define SAMPLED_SYSCALL 3 /* in a system call */
#define SAMPLED_STUB    4 /* in a stub of gotrace */
#define SAMPLED_TRAP    5 /* at a probed instruction, or in the kernel's handling of its trap */
#define SAMPLED_MAX     5

#define SAMPLE_WIRE_USER     1  /* the pc was in user space, not in the kernel */
#define SAMPLE_WIRE_SYSCALL  2  /* in a system call */
#define SAMPLE_WIRE_UPROBE   4  /* in the system call of an optimized uprobe */
#define SAMPLE_WIRE_STEPPING 8  /* where the kernel steps over instructions */
#define SAMPLE_WIRE_STACK    16 /* `stack` of the record has what lies from rsp up */

/* EV_WINDOW arg0 */
/* recording begins, or goes on; what is open follows, flagged EVF_BEFORE. arg1: one of WINDOW_BY_*
 */
#define WINDOW_BEGIN 1
#define WINDOW_END   2 /* nothing is recorded from here to the next WINDOW_BEGIN */
/* calls of goid (EVF_SYSTEM: on tid's system stack) at `depth` or deeper are over; what showed that
 * is not recorded, nor were their ends seen */
#define WINDOW_OVER 3
/* arg1 events, which came about as the flags say, happened in the open call of goid (EVF_SYSTEM: on
 * tid's system stack) at `depth` and are not recorded, on purpose */
#define WINDOW_LEFT_OUT 4
/* the call of goid at `depth`, of the site's function, is why the trace was written: it has taken
 * arg1 ns up to ts_ns, more than asked for */
#define WINDOW_HIT 5
/* there were events up to then, although none of the last is recorded: what is open was open then
 */
#define WINDOW_UP_TO 6

/* why recording begins, EV_WINDOW arg1 */
#define WINDOW_BY_DELAY  1 /* the time that was to pass first has passed */
#define WINDOW_BY_TOGGLE 2 /* the user switched it on */
#define WINDOW_BY_ROOM   3 /* only what came last is kept */

/* EV_STATE: depth. The reason of STATE_WAITING is a runtime.waitReason of that Go version
 * (runtime2.go), that of STATE_OFF_CPU one of OFF_CPU_*; else it is 0, but for STATE_ON_CPU */
#define STATE_UNKNOWN       0 /* until an event of the goroutine's own: nothing more is recorded */
#define STATE_RUNNING       1
#define STATE_RUNNABLE      2
#define STATE_WAITING       3
#define STATE_SYSCALL       4
#define STATE_NEVER         5 /* in an event: SAMPLE_STATE_UNKNOWN of samples */
#define STATE_OFF_CPU       6 /* it runs, or is in a system call, and its thread has no processor */
#define STATE_MAX           6
#define STATE_DEPTH(s, why) ((uint32_t)(s) | (uint32_t)(why) << 8)
#define STATE_OF(depth)     ((depth)&255)
#define STATE_REASON(depth) ((depth) >> 8 & 255)

/* STATE_OFF_CPU: why */
#define OFF_CPU_TAKEN   0 /* another thread got the processor */
#define OFF_CPU_ASLEEP  1 /* it runs and sleeps in the kernel: for a page, or stopped */
#define OFF_CPU_GOTRACE 2 /* gotrace got the processor */
/* Ends STATE_OFF_CPU, and nothing else: it goes on running, or with its system call. */
#define STATE_ON_CPU(state) STATE_DEPTH(state, 1)
#define STATE_IS_ON_CPU(depth) \
	((depth) == STATE_ON_CPU(STATE_RUNNING) || (depth) == STATE_ON_CPU(STATE_SYSCALL))

/* what of a goroutine's state a site of the runtime tells; never in a trace */
#define STATE_AT_STATUS    1 /* casgstatus(gp, old, new): any change, and wakes */
#define STATE_AT_PREEMPT   2 /* preemptPark(gp): gp waits for the garbage collector */
#define STATE_AT_SYSCALL   3 /* the current goroutine begins a system call */
#define STATE_AT_RUN       4 /* it runs */
#define STATE_AT_COROUTINE 5 /* it waits while the coroutine that it switches to runs */
#define STATE_AT_MAX       5

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

/* EV_STATE: STATE_AT_*, in the same place */
#define COOKIE_STATE(c)        ((uint32_t)((c) >> 60) & 7)
#define COOKIE_STOP(c)         ((uint32_t)((c) >> 60) & 3)
#define COOKIE_STOP_FLAGS(why) ((why) << 4)

/* on the stack check's jbe: no event when it is taken (CF or ZF) */
#define COOKIE_CHECK_JCC 1
/* on a plain RET (c3), which the program may perform, see config.rets. rsp is at the return address
 * there, so bits 32..43 hold those of the instruction's address instead. */
#define COOKIE_RET             2
#define COOKIE_SECOND          4 /* events get EVF_WIRE_SECOND */
#define COOKIE_VALUES          8 /* values are read: site_values has the recipes */
#define COOKIE_RET_BITS(vaddr) ((uint32_t)(vaddr)&0xfff)

/*
 * Values: arguments and results that are read when a call is entered or returns. Recipes say how,
 * one for each; core/binary/govalue.h has what they are made from.
 *
 * The record of such a hit is a struct event, with EVF_WIRE_VALUES, and behind it for each recipe,
 * at its `at`, a struct value_slot and the bytes of a string.
 */
#define EVF_WIRE_VALUES 0x4000
#define VALUES_MAX      16 /* of a site */
#define VALUE_HOPS_MAX  4
#define VALUE_TEXT_MAX  240 /* bytes of a string that are kept at the most */
#define VALUES_BYTES    1024

/* Of the source of a recipe's first word; registers by their ordinal in Go's ABI. */
#define VALUE_FROM_STACK 9 /* rsp at the return address */
#define VALUE_FROM_XMM   10

#define VALUE_WORD  0 /* up to 8 bytes */
#define VALUE_TEXT  1 /* address and length, then bytes from there */
#define VALUE_COUNT 2 /* a pointer to a word; 0 when it is nil */
#define VALUE_ITAB  3 /* a pointer to an itab, whose second word is taken */

struct value_recipe {
	uint8_t from;  /* VALUE_FROM_* or a register */
	uint8_t kind;  /* VALUE_WORD ... */
	uint8_t hops;  /* 0: in registers, a string's length in the next one */
	uint8_t bytes; /* of a word in memory */
	uint16_t at;   /* of its slot, from the first value */
	uint16_t room; /* VALUE_TEXT: bytes to be kept, of 8 the next multiple follows the slot */
	int32_t off[VALUE_HOPS_MAX];
};
_Static_assert(sizeof(struct value_recipe) == 24, "shared layout");

struct site_values {
	uint32_t n;
	uint32_t has_text;
	struct value_recipe recipe[VALUES_MAX];
};

/* How reading went. Numbers are those of the trace format. */
#define VALUE_OK      0
#define VALUE_NIL     1 /* a pointer on the way was nil */
#define VALUE_FAULT   2 /* memory that cannot be read just now */
#define VALUE_IN_XMM  3 /* in a register that probes do not see */
#define VALUE_NO_TEXT 4 /* the length is known, the bytes cannot be read */
#define VALUE_HOW_MAX 4

struct value_slot {
	uint64_t word;   /* the value; a string's length; a type's address */
	uint16_t stored; /* bytes of the string that follow */
	uint8_t how;     /* VALUE_OK ... */
	uint8_t pad[5];
};
_Static_assert(sizeof(struct value_slot) == 16, "wire size");

/* Records have one of two sizes, since the verifier wants to know them. The slack lets it see that
 * a string that begins before the end stays inside. */
#define VALUES_RECORD_SMALL (sizeof(struct event) + VALUES_MAX * sizeof(struct value_slot))
#define VALUES_RECORD_LARGE (sizeof(struct event) + VALUES_BYTES + 256)

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
	uint64_t no_tries_ns;     /* until then it is not tried again when it cannot be read */
	/* hits in the runtime where g was neither its m's curg nor its g0 */
	uint64_t layout_wrong;
	uint64_t values_ns; /* reading arguments and results took */
	uint64_t pad[6];
};
_Static_assert(sizeof(struct cpu_counters) == 128, "two cache lines");

/* What was lost of one goroutine since user space last looked. */
struct lost_goid {
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t count;
};

/* How a file is recognized by its inode: number, size, and when its contents changed last. cp over
 * a file leaves the number, and may leave the size. */
struct file_id {
	uint64_t ino, bytes;
	uint64_t changed_s, changed_ns;
};

/* Which process is traced. BPF helpers know a task's number only in the task's own pid namespace,
 * so these are the number and namespace of the target, not of the tracer. */
struct target_config {
	uint32_t tgid;
	uint32_t pad;
	uint64_t pidns_dev, pidns_ino;
	struct file_id exe; /* the traced binary; zero: not known */
};

/* What the target started and gotrace does not follow. */
struct children_state {
	uint32_t children;  /* processes that it forked */
	uint32_t execs;     /* images that it executed */
	uint32_t own_execs; /* of them of the traced binary */
	/* set by user space: the next of these is stopped (SIGSTOP) before its first instruction */
	uint32_t stop_own;
	uint32_t stopped;   /* that were */
	uint32_t continued; /* of them, by user space */
};

/* cpu_samples.bpf.c */
struct cpu_samples_state {
	uint32_t on; /* set by user space: the target's time counts */
	uint32_t pad;
	uint64_t lost; /* samples of the target whose pc was not known, or for which there was no
			  room */
	uint64_t run_ns, runs; /* processor time of the program itself, and how often it ran */
};

/* A sample on its way; arg of the event: what it stands for, SAMPLE_WIRE_*, pc, rsp. */
#define SAMPLE_STACK_BYTES 1024
struct cpu_sample_record {
	struct event_ext e;
	uint8_t stack[SAMPLE_STACK_BYTES];
};

/* What off_cpu.bpf.c keeps besides what the probes do. */
struct off_cpu_state {
	uint32_t tracer; /* gotrace in the first pid namespace, where tasks have their numbers; 0:
			    it was not seen yet */
	uint32_t pad;
	/* switches that are not told: the goroutine could not be read, too many threads have no
	 * processor at once, or the kernel did not tell them */
	uint64_t missed;
	/* for which threads of the target would have gone on and gotrace had their processor */
	uint64_t gotrace_ns;
};

/* What signals.bpf.c is told. */
struct signals_config {
	struct target_config tracer; /* the tracer itself */
	uint32_t signals;            /* bit N: signal N is noted */
	uint32_t pad;
};

/* A signal to the tracer or its target. */
struct signal_note {
	uint64_t ns;     /* CLOCK_MONOTONIC */
	uint32_t sender; /* si_pid as the receiver sees it; 0: the kernel, or not known there */
	uint8_t signo;
	uint8_t to_target;
	uint16_t pad;
};
#define SIGNALS_NOTED 64 /* a power of two */

struct signals_state {
	uint32_t launching;      /* set by user space: the next process that the tracer forks is the
				    target */
	uint32_t tracer, target; /* their numbers in the first pid namespace */
	uint32_t n;              /* notes written; the last SIGNALS_NOTED are there */
	struct signal_note notes[SIGNALS_NOTED];
};

/* Configuration of the BPF programs, read-only once they are loaded. Byte
 * offsets inside runtime.g and its kin; -1 where the Go version has no such field. */
struct probe_config {
	/* how much of a g one read fetches; covers all g_* below up to goid */
	uint32_t g_read_bytes;
	/* how often to read again what the kernel has just taken away; 0 where it has no bpf_loop
	 */
	uint32_t g_read_again;
	uint32_t g_stack_lo, g_stack_hi, g_m, g_goid;
	int32_t g_panic, g_gopc, g_startpc, g_sigcode0, g_sched_pc;
	int32_t m_g0, m_curg, m_morebuf_sp;
	int32_t panic_link, panic_sp, panic_start_sp, panic_goexit;
	int32_t g_waitreason, g_status; /* with states only, else -1 */
	/* by STATE_AT_*: EV_STATE's depth there; 0 where it is found out. [0]: 1 when states are
	 * recorded */
	uint32_t state_depth[8];
	/* from the thread pointer to the slot that holds g, TLS_G_UNKNOWN: it is not known; of
	 * off_cpu.bpf.c and cpu_samples.bpf.c only */
	int64_t tls_g;
	uint32_t filter; /* non-zero: other processes hit the probes too, ignore them */
	/* RETS_*: who may perform the RET at COOKIE_RET sites instead of the kernel */
	uint32_t rets;
	struct target_config target;
	struct target_config tracer; /* gotrace itself; of off_cpu.bpf.c only */
	uint64_t main_vaddr;         /* link-time address of the EV_IMAGE site */
};
#define G_READ_MAX    256
#define TLS_G_UNKNOWN (-0x7fffffffffffffffll - 1)

#define RETS_STEPPED   0 /* not allowed: the kernel refuses programs that write to pt_regs */
#define RETS_BY_OTHERS 1 /* another tracer's program on the same byte may have, before this one */
#define RETS_PERFORMED 2 /* this tracer's programs do */

#define PAUSED_NOT   0
#define PAUSED_ALL   1 /* links are being attached or detached */
#define PAUSED_CALLS 2 /* recording is off: what happens to goroutines is seen all the same */

/* Changed by the BPF programs and by user space while a trace runs. */
struct probe_state {
	/* run-time minus link-time address of the target's text: set by user space for a running
	 * process, else at each entry of runtime.main */
	uint64_t text_bias;
	uint32_t paused; /* PAUSED_*: what is not recorded */
	uint32_t pad;
};

#endif
