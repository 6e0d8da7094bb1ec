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
 * Event kinds. The list is append-only, because traces on disk carry these numbers. Kinds marked *
 * have records of 64 bytes (struct event_ext).
 *
 * A switch over (enum event_kind)e->kind has no `default`, so that the compiler reports a new kind
 * there. Code behind the switch handles numbers of a newer gotrace.
 */
enum event_kind {
	EV_ENTRY = 1,      /* a call of the site's function begins */
	EV_EXIT = 2,       /* it returns */
	EV_TAIL = 3,       /* it jumps to another function, which returns in its place */
	EV_ENTRY_EXIT = 4, /* both at once: the function has one probe, on its only RET */
	EV_ENTRY_TAIL = 5, /* both at once: a frameless wrapper probed on its jump */
	EV_STOP = 6,       /* * prologue stopped in newstack: arg0 interrupted pc */
	/* * newstack has acted on a stopped prologue: arg2 is one of STOP_*. For a stack that
	 * grows, arg0 is its old size and arg1 its new size in bytes. depth is 0. The entry of the
	 * function follows. */
	EV_RESUME = 7,
	/* * A goroutine was created: arg0 is its goid, arg1 the pc of the go statement, arg2 the pc
	 * of the start function. goid is the creator's, 0 if there is none. */
	EV_CREATE = 8,
	EV_END = 9, /* goroutine goid ended, and its frames with it */
	/* * frames of goid deeper than `depth` ended, because a panic was recovered */
	EV_UNWIND = 10,
	/* * arg1 events were lost, the first at ts_ns, the last at arg0. They were of goid, or with
	 * EVF_ALL of any goroutine. */
	EV_LOSS = 11,
	/* runtime.main was entered: the process has a new image, and goids start over */
	EV_IMAGE = 12,
	EV_MORESTACK = 13, /* thesis strategy: the site's function calls morestack */
	/* * The site's function is no longer recorded. Its probes took arg0 ns of arg1 ns of the
	 * program's processor time. User space makes this event. */
	EV_RELEASED = 14,
	/* goid is in the state STATE_* that `depth` holds. The site is one of the runtime. */
	EV_STATE = 15,
	/* goid made another goroutine runnable, and `depth` is the low half of the other's goid.
	 * With goid 0 the scheduler, a timer or the network poller did. The site is one of the
	 * runtime, or of a function. In the second case goid was in a call of it that may not be
	 * recorded. */
	EV_WAKE = 16,
	/* * Something was left out on purpose: arg0 is one of WINDOW_*. User space makes this
	 * event. */
	EV_WINDOW = 17,
	/* * The clock of a processor interrupted a thread of the target. arg0 is the ns that the
	 * sample stands for, arg1 one of SAMPLED_*. arg2 is the index plus 1 of the traced function
	 * that ran, 0 when none did. arg3 is the link-time pc, depth that of rsp. goid is 0 when
	 * the thread executed no goroutine. On the wire arg1 has bits SAMPLE_WIRE_* and arg2 is the
	 * pc. */
	EV_SAMPLE = 18,
};
#define EV_KIND_MAX EV_SAMPLE

/* Only in cookies and on the wire, never in a trace: runtime.sigpanic was entered. arg0 is the pc
 * that faulted, depth that of its frame. User space turns it into an EV_ENTRY when the function's
 * entry probe is after that pc, and drops it otherwise. The record has 64 bytes. */
#define EV_WIRE_FAULT 128

/* Flags of an event. EVF_WIRE_SECOND is never in a trace. It marks events of a link that replaces
 * another link, or is to be replaced. */
#define EVF_WIRE_SECOND 0x8000
/* It ran on a system stack (g0). Its key is (tid, depth). goid is that of m.curg, a label. */
#define EVF_SYSTEM 1
#define EVF_ALL    2 /* EV_LOSS: the goroutine that lost events is not known */
#define EVF_GOEXIT 4 /* EV_UNWIND: the frames end because of runtime.Goexit */
/* On EV_ENTRY, EV_TAIL, EV_CREATE, EV_STATE: the event tells what happened before ts_ns, when
 * nothing was recorded. Such events come when recording begins. They give open calls their callers
 * and goroutines their states. */
#define EVF_BEFORE 16
/* With EVF_BEFORE: the call may be over, because events were lost. On STATE_UNKNOWN: only an event
 * of a state ends that state. */
#define EVF_DOUBT 32

/*
 * Bits 8..11 are one of HOW_*: how the event came about, and so its cost for the program. The
 * collector sets them (format 1.1), because it knows how each site is probed.
 */
#define EVF_HOW_SHIFT  8
#define EVF_HOW(flags) ((flags) >> EVF_HOW_SHIFT & 15)
#define HOW_UNKNOWN    0
#define HOW_EMULATED   1 /* one trap; the kernel emulates the instruction */
#define HOW_JUMP       2 /* one trap, on a stub's jump */
#define HOW_NOP        3 /* a system call that has replaced a stub's nop */
#define HOW_RET        4 /* one trap; the BPF program performs the RET */
#define HOW_STEP       5 /* two traps; the kernel steps over the instruction */
#define HOW_INLINE     6 /* no trap; a stub writes the event */
#define HOW_VALUES     7 /* one trap, in which arguments or results were read, too */
#define HOW_MAX        7

/* EV_SAMPLE arg1: place of the program's pc */
#define SAMPLED_PROGRAM 1 /* in code of the program's own */
#define SAMPLED_KERNEL  2 /* in such code, while the kernel handled a page fault or an interrupt */
#define SAMPLED_SYSCALL 3 /* in a system call */
#define SAMPLED_STUB    4 /* in a stub of gotrace */
#define SAMPLED_TRAP    5 /* at a probed instruction, or in the kernel's handling of its trap */
#define SAMPLED_MAX     5

#define SAMPLE_WIRE_USER     1  /* the pc was in user space, not in the kernel */
#define SAMPLE_WIRE_SYSCALL  2  /* the thread was in a system call */
#define SAMPLE_WIRE_UPROBE   4  /* in the system call of an optimized uprobe */
#define SAMPLE_WIRE_STEPPING 8  /* the pc was where the kernel steps over instructions */
#define SAMPLE_WIRE_STACK    16 /* `stack` of the record has the bytes from rsp up */

/* EV_WINDOW arg0 */
/* Recording begins or continues. Events for open calls and states follow, flagged EVF_BEFORE. arg1
 * is one of WINDOW_BY_*. */
#define WINDOW_BEGIN 1
#define WINDOW_END   2 /* no event is recorded from here to the next WINDOW_BEGIN */
/* Calls of goid at `depth` or deeper are over. With EVF_SYSTEM they are on tid's system stack. The
 * event that showed this is not recorded, nor the ends of these calls. */
#define WINDOW_OVER 3
/* arg1 events are not recorded, on purpose. They came about as the flags say, in the open call of
 * goid at `depth`. With EVF_SYSTEM that call is on tid's system stack. */
#define WINDOW_LEFT_OUT 4
/* The call of goid at `depth`, of the site's function, made gotrace write the trace. Up to ts_ns it
 * has taken arg1 ns, more than the requested limit. */
#define WINDOW_HIT 5
/* There were events up to ts_ns, although none of the last is recorded. Calls that are open in the
 * trace were open then. */
#define WINDOW_UP_TO 6

/* The reason why recording begins, EV_WINDOW arg1. */
#define WINDOW_BY_DELAY  1 /* the delay before recording has passed */
#define WINDOW_BY_TOGGLE 2 /* the user switched it on */
#define WINDOW_BY_ROOM   3 /* gotrace keeps only the last events */

/* The depth of EV_STATE. The reason of STATE_WAITING is a runtime.waitReason of that Go version
 * (runtime2.go). That of STATE_OFF_CPU is one of OFF_CPU_*. That of any other state is 0, but for
 * STATE_ON_CPU. */
#define STATE_UNKNOWN       0 /* nothing more is recorded until an event of the goroutine's own */
#define STATE_RUNNING       1
#define STATE_RUNNABLE      2
#define STATE_WAITING       3
#define STATE_SYSCALL       4
#define STATE_NEVER         5 /* never in an event; SAMPLE_STATE_UNKNOWN of samples */
#define STATE_OFF_CPU       6 /* it runs or is in a system call, but its thread has no processor */
#define STATE_MAX           6
#define STATE_DEPTH(s, why) ((uint32_t)(s) | (uint32_t)(why) << 8)
#define STATE_OF(depth)     ((depth)&255)
#define STATE_REASON(depth) ((depth) >> 8 & 255)

/* Reasons of STATE_OFF_CPU. */
#define OFF_CPU_TAKEN 0 /* another thread got the processor */
/* it runs and sleeps in the kernel, for a page or because it was stopped */
#define OFF_CPU_ASLEEP  1
#define OFF_CPU_GOTRACE 2 /* gotrace got the processor */
/* Ends STATE_OFF_CPU only: the goroutine continues to run, or continues its system call. */
#define STATE_ON_CPU(state) STATE_DEPTH(state, 1)
#define STATE_IS_ON_CPU(depth) \
	((depth) == STATE_ON_CPU(STATE_RUNNING) || (depth) == STATE_ON_CPU(STATE_SYSCALL))

/* The part of a goroutine's state that a site of the runtime reports. Never in a trace. */
#define STATE_AT_STATUS  1 /* casgstatus(gp, old, new) makes any change, and wakes */
#define STATE_AT_PREEMPT 2 /* preemptPark(gp) makes gp wait for the garbage collector */
#define STATE_AT_SYSCALL 3 /* the current goroutine begins a system call */
#define STATE_AT_RUN     4 /* the current goroutine runs */
/* the current goroutine waits while the coroutine that it switches to runs */
#define STATE_AT_COROUTINE 5
#define STATE_AT_MAX       5

/* The action of a stopped prologue, EV_RESUME arg2. */
#define STOP_DECLINED 0 /* neither grew nor yielded */
#define STOP_GROWTH   1 /* copied to a larger stack */
#define STOP_YIELD    2 /* gave up the processor */
#define STOP_GC       3 /* parked for the garbage collector */

/*
 * The common record, 32 bytes.
 *
 * depth is the number of bytes between the high end of the goroutine's stack and the return address
 * of the frame. Copying a stack keeps it, because runtime.copystack moves [old.hi - used, old.hi)
 * to [new.hi - used, new.hi). So it identifies a frame for as long as the frame lives. A system
 * stack never moves, but its bounds may be rewritten. There depth is the negated low half of rsp.
 * Compare such depths by their signed difference.
 */
struct event {
	uint64_t ts_ns; /* CLOCK_MONOTONIC */
	uint64_t goid;
	uint32_t site; /* index into the site table */
	uint32_t depth;
	uint32_t tid;   /* number of the kernel thread in the initial pid namespace */
	uint16_t kind;  /* EV_* */
	uint16_t flags; /* EVF_* */
};
_Static_assert(sizeof(struct event) == 32, "wire size");
_Static_assert(__builtin_offsetof(struct event, site) == 16, "wire layout");
_Static_assert(__builtin_offsetof(struct event, kind) == 28, "wire layout");

/* The record of the rare kinds with arguments, 64 bytes. */
struct event_ext {
	struct event h;
	uint64_t arg[4];
};
_Static_assert(sizeof(struct event_ext) == 64, "wire size");

/*
 * The attach cookie has all that a program knows about a site. Bits 0..31 are the site's index.
 * Bits 32..47 are the bytes from rsp up to the return address at the probed instruction.
 * Bits 48..55 are the kind (EV_*, or EV_WIRE_FAULT), bits 56..63 COOKIE_* flags.
 * core/plan/site_cookie.c makes cookies.
 */
#define COOKIE_SITE(c)  ((uint32_t)(c))
#define COOKIE_RA(c)    ((uint32_t)((c) >> 32) & 0xffff)
#define COOKIE_KIND(c)  ((uint32_t)((c) >> 48) & 0xff)
#define COOKIE_FLAGS(c) ((uint32_t)((c) >> 56) & 0xff)
#define COOKIE(site, ra, kind, flags) \
	((uint64_t)(site) | (uint64_t)(ra) << 32 | (uint64_t)(kind) << 48 | (uint64_t)(flags) << 56)

/* For EV_STATE: STATE_AT_*, in the bits of COOKIE_STOP. */
#define COOKIE_STATE(c)        ((uint32_t)((c) >> 60) & 7)
#define COOKIE_STOP(c)         ((uint32_t)((c) >> 60) & 3)
#define COOKIE_STOP_FLAGS(why) ((why) << 4)

/* Set on the stack check's jbe. There is no event when the jump is taken (CF or ZF). */
#define COOKIE_CHECK_JCC 1
/* Set on a plain RET (c3), which the program may perform, see config.rets. rsp is at the return
 * address there. So bits 32..43 hold those of the instruction's address instead. */
#define COOKIE_RET             2
#define COOKIE_SECOND          4 /* events get EVF_WIRE_SECOND */
#define COOKIE_VALUES          8 /* the program reads values by the recipes in site_values */
#define COOKIE_RET_BITS(vaddr) ((uint32_t)(vaddr)&0xfff)

/*
 * Values are arguments and results that are read when a call is entered or returns. Each has a
 * recipe. core/binary/govalue.h has the types that recipes are made from.
 *
 * The record of such a hit is a struct event, with EVF_WIRE_VALUES. Behind it, at `at` of each
 * recipe, are a struct value_slot and the bytes of a string.
 */
#define EVF_WIRE_VALUES 0x4000
#define VALUES_MAX      16 /* the most values of a site */
#define VALUE_HOPS_MAX  4
#define VALUE_TEXT_MAX  240 /* the most bytes of a string that are kept */
#define VALUES_BYTES    1024

/* Sources of a recipe's first word. Registers have their ordinal in Go's ABI. */
#define VALUE_FROM_STACK 9 /* the value of rsp when it points at the return address */
#define VALUE_FROM_XMM   10

#define VALUE_WORD  0 /* up to 8 bytes */
#define VALUE_TEXT  1 /* address and length, then bytes from there */
#define VALUE_COUNT 2 /* a pointer to a word; the value is 0 when it is nil */
#define VALUE_ITAB  3 /* a pointer to an itab; its second word is the value */

struct value_recipe {
	uint8_t from;  /* VALUE_FROM_* or a register */
	uint8_t kind;  /* VALUE_WORD ... */
	uint8_t hops;  /* 0 when in registers; a string's length is in the next one */
	uint8_t bytes; /* size of a word in memory */
	uint16_t at;   /* offset of its slot from the first value */
	uint16_t room; /* VALUE_TEXT: bytes to be kept; their next multiple of 8 follows the slot */
	int32_t off[VALUE_HOPS_MAX];
};
_Static_assert(sizeof(struct value_recipe) == 24, "shared layout");

struct site_values {
	uint32_t n;
	uint32_t has_text;
	struct value_recipe recipe[VALUES_MAX];
};

/* The result of reading, with the numbers of the trace format. */
#define VALUE_OK      0
#define VALUE_NIL     1 /* a pointer on the way was nil */
#define VALUE_FAULT   2 /* the memory could not be read just then */
#define VALUE_IN_XMM  3 /* the value is in a register that probes do not see */
#define VALUE_NO_TEXT 4 /* the length is known, but the bytes could not be read */
#define VALUE_HOW_MAX 4

struct value_slot {
	uint64_t word;   /* the value, a string's length or a type's address */
	uint16_t stored; /* bytes of the string that follow */
	uint8_t how;     /* VALUE_OK ... */
	uint8_t pad[5];
};
_Static_assert(sizeof(struct value_slot) == 16, "wire size");

/* Records have one of two sizes, since the verifier requires a constant size. By the slack it sees
 * that a string that begins before the end stays inside. */
#define VALUES_RECORD_SMALL (sizeof(struct event) + VALUES_MAX * sizeof(struct value_slot))
#define VALUES_RECORD_LARGE (sizeof(struct event) + VALUES_BYTES + 256)

/*
 * Counters of one CPU, in a map that user space has mapped. A writer adds to lost_begun before it
 * reads the clock, and to lost_done when its record is complete. While the two differ, a loss older
 * than the reader's clock may still be on its way.
 */
struct cpu_counters {
	uint64_t lost_begun;
	uint64_t lost_done;
	uint64_t lost_first_ns; /* time of the first loss since user space last set it to 0 */
	uint64_t lost_last_ns;
	uint64_t dropped_signal;  /* hits on a signal stack, where goid is 0 and g is not g0 */
	uint64_t dropped_outside; /* hits with rsp outside the stack of g */
	uint64_t dropped_fault;   /* hits where g could not be read */
	uint64_t no_tries_ns;     /* until this time an unreadable g is not read again */
	/* hits in the runtime where g was neither its m's curg nor its g0 */
	uint64_t layout_wrong;
	uint64_t values_ns; /* time that reading arguments and results took */
	uint64_t pad[6];
};
_Static_assert(sizeof(struct cpu_counters) == 128, "two cache lines");

/* The events lost of one goroutine since user space last looked. */
struct lost_goid {
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t count;
};

/* A file is recognized by its inode: number, size, and time of the last change of contents. When cp
 * writes over a file, the number stays, and the size may stay. */
struct file_id {
	uint64_t ino, bytes;
	uint64_t changed_s, changed_ns;
};

/* The traced process. BPF helpers know a task's number only in the task's own pid namespace. So
 * these are the number and namespace of the target, not of the tracer. */
struct target_config {
	uint32_t tgid;
	uint32_t pad;
	uint64_t pidns_dev, pidns_ino;
	struct file_id exe; /* the traced binary; zero when not known */
};

/* Processes and images that the target started and gotrace does not follow. */
struct children_state {
	uint32_t children;  /* processes that it forked */
	uint32_t execs;     /* images that it executed */
	uint32_t own_execs; /* executed images of the traced binary */
	/* Set by user space. The next own exec is stopped (SIGSTOP) before its first
	 * instruction. */
	uint32_t stop_own;
	uint32_t stopped;   /* number of own execs that were stopped */
	uint32_t continued; /* number of these that user space continued */
};

/* The state of cpu_samples.bpf.c. */
struct cpu_samples_state {
	uint32_t on; /* set by user space while the target's time counts */
	uint32_t pad;
	uint64_t lost; /* samples of the target with an unknown pc, or without room in the ring */
	uint64_t run_ns, runs; /* processor time of the program itself, and how often it ran */
};

/* A sample on its way. Its event's arg has the ns that it stands for, SAMPLE_WIRE_*, pc and rsp. */
#define SAMPLE_STACK_BYTES 1024
struct cpu_sample_record {
	struct event_ext e;
	uint8_t stack[SAMPLE_STACK_BYTES];
};

/* The state of off_cpu.bpf.c besides that of the probes. */
struct off_cpu_state {
	/* Number of gotrace in the first pid namespace, where tasks have their numbers. 0 until the
	 * program has seen it. */
	uint32_t tracer;
	uint32_t pad;
	/* Switches that are not reported, for one of three reasons. The goroutine could not be
	 * read, too many threads had no processor at once, or the kernel did not report them. */
	uint64_t missed;
	/* ns for which gotrace had the processor of threads of the target that would have
	 * continued */
	uint64_t gotrace_ns;
};

/* The configuration of signals.bpf.c. */
struct signals_config {
	struct target_config tracer; /* the tracer itself */
	uint32_t signals;            /* bit N is set when signal N is noted */
	uint32_t pad;
};

/* A signal to the tracer or its target. */
struct signal_note {
	uint64_t ns; /* CLOCK_MONOTONIC */
	/* si_pid as the receiver sees it; 0 for the kernel, or a process not known there */
	uint32_t sender;
	uint8_t signo;
	uint8_t to_target;
	uint16_t pad;
};
#define SIGNALS_NOTED 64 /* a power of two */

struct signals_state {
	/* Set by user space. The next process that the tracer forks is the target. */
	uint32_t launching;
	uint32_t tracer, target; /* numbers of both in the first pid namespace */
	uint32_t n;              /* number of notes written; the last SIGNALS_NOTED are kept */
	struct signal_note notes[SIGNALS_NOTED];
};

/* Configuration of the BPF programs, read-only once they are loaded. It has byte offsets inside
 * runtime.g and the like, -1 where the Go version has no such field. */
struct probe_config {
	/* The bytes of a g that one read fetches. They cover all g_* below up to goid. */
	uint32_t g_read_bytes;
	/* How often to read again when a read fails because the kernel is moving the page. 0 where
	 * the kernel has no bpf_loop. */
	uint32_t g_read_again;
	uint32_t g_stack_lo, g_stack_hi, g_m, g_goid;
	int32_t g_panic, g_gopc, g_startpc, g_sigcode0, g_sched_pc;
	int32_t m_g0, m_curg, m_morebuf_sp;
	int32_t panic_link, panic_sp, panic_start_sp, panic_goexit;
	int32_t g_waitreason, g_status; /* with states only, else -1 */
	/* The depth of EV_STATE, by STATE_AT_*. 0 where the program finds it out. [0] is 1 when
	 * states are recorded. */
	uint32_t state_depth[8];
	/* Bytes from the thread pointer to the slot that holds g, or TLS_G_UNKNOWN. Only
	 * off_cpu.bpf.c and cpu_samples.bpf.c use it. */
	int64_t tls_g;
	/* non-zero when other processes hit the probes, too, and their hits are ignored */
	uint32_t filter;
	/* RETS_*: the performer of the RET at COOKIE_RET sites */
	uint32_t rets;
	struct target_config target;
	struct target_config tracer; /* gotrace itself, for off_cpu.bpf.c only */
	uint64_t main_vaddr;         /* link-time address of the EV_IMAGE site */
};
#define G_READ_MAX    256
#define TLS_G_UNKNOWN (-0x7fffffffffffffffll - 1)

#define RETS_STEPPED 0 /* the kernel; it refuses programs that write to pt_regs */
/* another tracer's program on the same byte may have performed it, before this one */
#define RETS_BY_OTHERS 1
#define RETS_PERFORMED 2 /* this tracer's programs */

#define PAUSED_NOT   0
#define PAUSED_ALL   1 /* links are being attached or detached */
#define PAUSED_CALLS 2 /* recording is off, but goroutines are observed all the same */

/* Changed by the BPF programs and by user space while a trace runs. */
struct probe_state {
	/* Run-time minus link-time address of the target's text. User space sets it for a running
	 * process. Otherwise the program sets it at each entry of runtime.main. */
	uint64_t text_bias;
	uint32_t paused; /* PAUSED_*: the events that are not recorded */
	uint32_t pad;
};

#endif
