/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The interface between the sampling BPF program and user space: what it is told about a Go binary,
 * and the records that it writes.
 *
 * Fixed-width types, explicit padding, no pointers, no enums, no bit fields.
 */
#ifndef GOTRACE_SAMPLE_H
#define GOTRACE_SAMPLE_H

#include "bpf/event.h"

#ifdef __bpf__
typedef long long int64_t;
#endif

/* Frames that are kept of a stack. Powers of two. */
#define SAMPLE_FRAMES        2048
#define SAMPLE_KERNEL_FRAMES 128

/* What the program is told before it is loaded. */
struct sample_config {
	uint32_t kernel; /* the kernel's frames are wanted */
	uint32_t labels; /* pprof labels are wanted */
	/* the pid namespace of gotrace, whose numbers records have */
	uint64_t pidns_dev, pidns_ino;
	uint32_t only_pid; /* deaths of this process alone; 0: of all */
	uint32_t pad;
	/* Events of clocks come more often than samples, which are this far apart on each CPU, on
	 * average, ns. 0: each event is one. */
	uint64_t apart_ns;
};

/* Functions of the Go runtime at which a walk does something else. */
#define SAMPLE_AT_ROOT      1 /* the outermost: goexit, mstart, rt0_go */
#define SAMPLE_AT_SCHED     2 /* mcall: what it runs belongs to no goroutine */
#define SAMPLE_AT_MORESTACK 3 /* goes on where m.curg left: its own rbp skips frames */
/* asyncPreempt, sigpanic: the "return address" is of the instruction that was interrupted, at which
 * the frame may not be there yet */
#define SAMPLE_AT_INTERRUPT 4
#define SAMPLE_AT_SIGTRAMP  5 /* what the kernel saved of the interrupted code is above it */
/* systemstack_switch: a place in a g.sched that never runs (runtime/asm_amd64.s) */
#define SAMPLE_AT_NOWHERE 6
/* cgocallback, called by crosscall2: it has left the system stack, which C runs on, for the
 * goroutine's */
#define SAMPLE_AT_CALLBACK  7
#define SAMPLE_AT_CROSSCALL 8 /* its rbp is no frame */
/* systemstack, the clock's functions, which call the vDSO on the system stack: the caller's frame
 * may be on another stack, below */
#define SAMPLE_AT_SWITCH 9

struct sample_special {
	uint32_t from, to; /* offsets from the text's start */
	uint32_t what;     /* SAMPLE_AT_* */
};
#define SAMPLE_SPECIALS 24

/* One Go binary. Link-time addresses, byte offsets inside runtime.g and m. */
struct sample_binary {
	uint64_t text, etext; /* Go's own */
	uint64_t start_code;  /* lowest address of an executable segment, as in mm->start_code */
	int64_t tls_g;        /* the slot that holds g, from the thread pointer */
	uint32_t slot;        /* of its rows */
	uint32_t n_rows;
	uint32_t g_m, g_goid, g_sched_sp, g_sched_pc, g_sched_bp;
	uint32_t m_g0, m_gsignal, m_curg;
	int32_t g_labels;     /* -1: not known */
	uint32_t labels_list; /* a slice, from Go 1.24 on; else a map */
	uint32_t n_specials;
	uint32_t specials_from, specials_to; /* all are in there */
	uint32_t g_status;
	int32_t g_startpc, pad; /* -1: not known */
	uint64_t allgs;         /* the slice of all goroutines; 0: not known */
	struct sample_special special[SAMPLE_SPECIALS];
};

/* From `off` from the text's start on, up to the next row, the return address is `delta` bytes
 * above rsp; -1: not known. */
struct sample_row {
	uint32_t off;
	int32_t delta;
};
#define SAMPLE_BINARIES 64
/* Executables that are recognized, Go's among them. */
#define SAMPLE_EXECUTABLES 4096

/*
 * Code that is not Go's: rows by .eh_frame (struct ehframe_row, core/binary/ehframe.h), of which
 * `delta` is 16 bits CFA, 8 bits rbp, 8 bits rule, at link-time addresses. Slots behind those of Go
 * binaries.
 */
#define SAMPLE_NATIVES 512
#define NATIVE_RSP     1
#define NATIVE_RBP     2
#define NATIVE_END     3
#define NATIVE_PLT     4
#define NATIVE_SIGNAL  5

/* What of a process's memory has rows, by its pid. */
struct sample_native {
	uint64_t start, end;
	uint32_t link; /* link-time address of what is mapped at start */
	uint32_t slot, n_rows, pad;
};
#define SAMPLE_IMAGES 64
struct sample_images {
	uint32_t n, pad;
	struct sample_native at[SAMPLE_IMAGES];
};

/* Addresses above are the kernel's, or no addresses. */
#define SAMPLE_USER_BITS 47

/* In the place of a frame: from here to the next one, frames are missing (STACK_MISSING_PC). */
#define SAMPLE_MISSING_PC 1
/* Only of deaths: the next one is its caller if rbp was a frame pointer. */
#define SAMPLE_GUESS_PC 2

/* The callers of a Go function that C has called, and which has panicked since. */
#define SAMPLE_CALLERS 128
struct sample_goroutine {
	uint64_t g;
	uint32_t tgid, pad;
};
struct sample_callers {
	uint64_t sp; /* where their part of the goroutine's stack begins */
	uint32_t n, flags;
	uint32_t signal, pad; /* the last fault of the thread that it ran in then */
	uint64_t pcs[SAMPLE_CALLERS];
};

/* flags of a record; the first ones are those of core/trace/samples.h */
#define SAMPLE_CUT        1
#define SAMPLE_UNREADABLE 2
#define SAMPLE_SYSTEM     4
#define SAMPLE_SIGNAL     8
#define SAMPLE_CURG       16
#define SAMPLE_IN_KERNEL  256  /* interrupted in the kernel */
#define SAMPLE_NO_BINARY  512  /* nothing was known of the executable yet */
#define SAMPLE_LABELLED   1024 /* a label record of the same time and thread is before it */
#define SAMPLE_NO_IMAGES  2048 /* of code that is not Go's, nothing was known of the process */

#define SAMPLE_RECORD_STACK  1
#define SAMPLE_RECORD_LABELS 2
#define SAMPLE_RECORD_DEATH  3 /* as a stack; `period` is DEATH_OF */

/* Kinds are those of core/trace/samples.h. */
#define SAMPLE_DEATH_THREAD    0
#define SAMPLE_DEATH_SIGNAL    1
#define SAMPLE_DEATH_PANIC     2
#define SAMPLE_DEATH_PARKED    3 /* a goroutine that no thread executes; tid is 0 */
#define DEATH_OF(kind, signal) ((uint64_t)(kind) << 8 | (signal))

/* Begins all kinds of records. */
struct sample_head {
	uint32_t kind; /* SAMPLE_RECORD_* */
	uint32_t tid;
	uint64_t ts_ns; /* CLOCK_MONOTONIC */
};

struct sample_record {
	struct sample_head h;
	uint64_t goid;
	uint64_t period; /* of the event: ns, or how often it has happened */
	uint32_t pid, flags;
	struct file_id exe;
	uint32_t n_kernel, n_user; /* of pcs, kernel first */
	/* user: see struct sample_stack; kernel: as bpf_get_stack gives them */
	uint64_t pcs[SAMPLE_KERNEL_FRAMES + SAMPLE_FRAMES];
};
_Static_assert(__builtin_offsetof(struct sample_record, pcs) == 80, "wire layout");

#define SAMPLE_LABELS      8
#define SAMPLE_KEY_BYTES   64
#define SAMPLE_VALUE_BYTES 128
struct sample_label {
	uint32_t key_bytes, value_bytes; /* as the program has them; cut at the arrays' sizes */
	char key[SAMPLE_KEY_BYTES], value[SAMPLE_VALUE_BYTES];
};
struct sample_label_record {
	struct sample_head h;
	uint32_t n, n_all; /* in here, and of the goroutine */
	struct sample_label label[SAMPLE_LABELS];
};

/* Counters of one CPU. */
struct sample_counters {
	uint64_t samples;     /* the program ran */
	uint64_t lost;        /* no room in the ring */
	uint64_t lost_period; /* sum of their periods */
	uint64_t labels_lost; /* label records, and labels that could not be read */
	uint64_t deaths_lost; /* threads and goroutines of dying processes that are not told of */
	int64_t due_ns;       /* the next sample is due after so much time of what is sampled */
	uint64_t due_known;
};

/*
 * Which of gotrace's perf events the threads of a process have. How they are recognized: as they
 * were opened (struct perf_event_attr), by what the kernel leaves as it is: type and config of a
 * clock it replaces.
 */
#define THREAD_EVENTS 8
struct thread_event {
	uint64_t sample_type;
	uint64_t period; /* or frequency */
};
struct threads_config {
	uint32_t n, pad;
	struct thread_event event[THREAD_EVENTS];
	struct thread_event side; /* the one that each CPU has of its own */
};
struct threads_state {
	uint32_t pid; /* whose threads are told of, in gotrace's pid namespace */
	uint32_t pad;
};
/* What is told of a thread. */
struct thread_has {
	uint32_t tid;
	uint32_t events; /* bit i: event[i] */
	uint32_t n_side; /* how many of `side` */
	uint32_t pad;
};

/* ---- what threads do that do not execute: an iterator tells of each */

#define WAITS_THREADS 256 /* of a process are looked at, at most, each time; see `every` */
struct waits_state {
	uint32_t pid; /* whose threads are told of, in gotrace's pid namespace */
	/* One at random of so many is looked at. */
	uint32_t every;
	uint32_t at, pick; /* in such a group: which comes next, which is looked at */
	/* Stacks that were told of at another number are told of again. */
	uint32_t generation;
	uint32_t listed, drawn; /* threads that there are, and that were looked at */
	uint32_t go;            /* of those looked at, how many execute goroutines */
	int32_t tgid;           /* the kernel's own number of the process, once it is known */
};
/* state */
#define WAITS_RUNS  1 /* on a processor, or but for gotrace */
#define WAITS_READY 2 /* it could, and has no processor */
#define WAITS_SLEEP 3
#define WAITS_BLOCK 4 /* signals do not wake it */
#define WAITS_STOP  5 /* by a signal or a debugger */

/* flags, besides SAMPLE_CUT and SAMPLE_UNREADABLE */
#define WAITS_SAME     256 /* it has not run since its stack was told of */
#define WAITS_CHANGING 512 /* it kept running while it was looked at */

/* Before the stack's n addresses, leaf first. */
struct waits_thread {
	uint32_t tid, state;
	int32_t call;    /* the system call that it is in, -1: none */
	uint32_t compat; /* it executes 32-bit code, whose calls have other numbers */
	uint32_t flags;
	uint32_t n;
	/* since it began: how long it could have run and had no processor; WAITS_NO_DELAY: the
	 * kernel keeps no account of that */
	uint64_t delay_ns;
};
#define WAITS_NO_DELAY ~0ull

#endif
