/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The interface between the sampling BPF program and user space: facts about a Go binary for the
 * program, and the records that the program writes.
 *
 * Fixed-width types, explicit padding, no pointers, no enums, no bit fields.
 */
#ifndef GOTRACE_SAMPLE_H
#define GOTRACE_SAMPLE_H

#include "bpf/event.h"

#ifdef __bpf__
typedef long long int64_t;
#endif

/* The most frames that are kept of a stack. Powers of two. */
#define SAMPLE_FRAMES        2048
#define SAMPLE_KERNEL_FRAMES 128

/* The program's configuration, set before it is loaded. */
struct sample_config {
	uint32_t kernel; /* the kernel's frames are wanted */
	uint32_t labels; /* pprof labels are wanted */
	/* inode of gotrace's PID namespace. Records have its numbers, 0 outside of it. */
	uint64_t pidns_ino;
	uint32_t only_pid; /* record deaths of this process only; 0 for those of all */
	/* Only some processes are sampled, and what they start (members.bpf.h). */
	uint32_t some;
	uint32_t launched; /* the process that becomes one of them when it executes; 0: none */
	uint32_t pad;
};
/* The most processes that are sampled at a time, where only some are. */
#define SAMPLE_MEMBERS 32768

/* Functions of the Go runtime at which a walk acts differently. */
#define SAMPLE_AT_ROOT  1 /* the outermost functions: goexit, mstart, rt0_go */
#define SAMPLE_AT_SCHED 2 /* mcall; the function that it calls belongs to no goroutine */
/* the walk continues where m.curg left, because this function's own rbp skips frames */
#define SAMPLE_AT_MORESTACK 3
/* asyncPreempt, sigpanic: their "return address" is that of the interrupted instruction. The frame
 * may not be there yet at that instruction. */
#define SAMPLE_AT_INTERRUPT 4
/* the kernel's saved registers of the interrupted code are above it */
#define SAMPLE_AT_SIGTRAMP 5
/* systemstack_switch, a place in a g.sched that never runs (runtime/asm_amd64.s) */
#define SAMPLE_AT_NOWHERE 6
/* cgocallback, called by crosscall2. It has left the system stack, which C runs on, for the
 * goroutine's. */
#define SAMPLE_AT_CALLBACK  7
#define SAMPLE_AT_CROSSCALL 8 /* its rbp is no frame */
/* systemstack, and the clock's functions, which call the vDSO on the system stack. The caller's
 * frame may be on another stack, below. */
#define SAMPLE_AT_SWITCH 9

struct sample_special {
	uint32_t from, to; /* offsets from the text's start */
	uint32_t what;     /* SAMPLE_AT_* */
};
#define SAMPLE_SPECIALS 24

/* One Go binary. Link-time addresses, byte offsets inside runtime.g and m. */
struct sample_binary {
	uint64_t text, etext; /* the text of Go's own code */
	uint64_t start_code;  /* lowest address of an executable segment, like mm->start_code */
	int64_t tls_g;        /* bytes from the thread pointer to the slot that holds g */
	uint32_t slot;        /* slot of its rows in the map */
	uint32_t n_rows;
	uint32_t g_m, g_goid, g_sched_sp, g_sched_pc, g_sched_bp;
	uint32_t m_g0, m_gsignal, m_curg;
	int32_t g_labels;     /* -1 when not known */
	uint32_t labels_list; /* 1 when labels are a slice, from Go 1.24 on; else they are a map */
	uint32_t n_specials;
	uint32_t specials_from, specials_to; /* range that contains all of them */
	uint32_t g_status;
	int32_t g_startpc, pad; /* -1 when not known */
	uint64_t allgs;         /* address of the slice of all goroutines, 0 when not known */
	struct sample_special special[SAMPLE_SPECIALS];
};

/* At addresses from `off` on, up to the next row, the return address is `delta` bytes above rsp.
 * `off` counts from the text's start. delta is -1 when not known. */
struct sample_row {
	uint32_t off;
	int32_t delta;
};
#define SAMPLE_BINARIES 64
/* The most executables that are recognized, Go's among them. */
#define SAMPLE_EXECUTABLES 4096

/*
 * Code that is not Go's has rows made from .eh_frame (struct ehframe_row, core/binary/ehframe.h),
 * at link-time addresses. Their `delta` is 16 bits CFA, 8 bits rbp, 8 bits rule. Their slots are
 * behind those of Go binaries.
 */
#define SAMPLE_NATIVES 512
#define NATIVE_RSP     1
#define NATIVE_RBP     2
#define NATIVE_END     3
#define NATIVE_PLT     4
#define NATIVE_SIGNAL  5

/* A part of a process's memory that has rows. */
struct sample_native {
	uint64_t start, end;
	uint32_t link; /* link-time address of the byte mapped at start */
	uint32_t slot, n_rows, pad;
};
#define SAMPLE_IMAGES 64
struct sample_images {
	uint32_t n, pad;
	struct sample_native at[SAMPLE_IMAGES];
};

/* Higher values are addresses of the kernel, or no addresses. */
#define SAMPLE_USER_BITS 47

/* Stands in the place of a frame where frames are missing up to the next one (STACK_MISSING_PC). */
#define SAMPLE_MISSING_PC 1
/* Only in records of deaths: the next frame is the caller if rbp was a frame pointer. */
#define SAMPLE_GUESS_PC 2

/* The callers of a Go function that C has called and that has panicked since. */
#define SAMPLE_CALLERS 128
struct sample_goroutine {
	uint64_t g;
	uint32_t tgid, pad;
};
struct sample_callers {
	uint64_t sp; /* start of their part of the goroutine's stack */
	uint32_t n, flags;
	uint32_t signal, pad; /* last fault of the thread that the function ran in then */
	uint64_t pcs[SAMPLE_CALLERS];
};

/*
 * Python. The interpreter keeps a chain of frames for each thread, the innermost first. One call of
 * its evaluator executes a run of them. Each run has a mark in the stack frame of the evaluator
 * that executes it: the run's entry frame, or before Python 3.12 its _PyCFrame. So the stack of C
 * and the chain can be put together by addresses.
 */
#define SAMPLE_PYTHON_FRAMES   512 /* the most frames that are kept of a chain */
#define SAMPLE_PYTHON_RUNS     64
#define SAMPLE_PYTHON_NAME     256 /* the most bytes of a function's name, and of its file's */
#define SAMPLE_PYTHON_FILE     512
#define SAMPLE_PYTHON_ON_STACK 3 /* owner of an entry frame, from 3.12 on */

/* Where a process's interpreter has its data: two addresses, and offsets in its structs. */
struct sample_python {
	uint64_t interpreters; /* address of the pointer to the first interpreter */
	uint64_t code_type;    /* address of PyCode_Type */
	/* Names are kept by this number and the address of the code. No two processes share it. */
	uint32_t serial;
	uint32_t by_cframe; /* the thread has a _PyCFrame, which has the innermost frame */
	/* Before 3.12: a run ends where the next _PyCFrame's innermost frame begins. is_entry says
	 * so, too, but an evaluator that begins sets it late. */
	uint32_t no_entry_frame;
	uint32_t interpreter_next, interpreter_threads;
	uint32_t thread_next, thread_id, thread_frame;
	uint32_t cframe_frame, cframe_previous;
	uint32_t frame_previous, frame_code, frame_owner;
	uint32_t object_type;
	uint32_t code_file, code_name, code_line;
	uint32_t text_length, text_state; /* a str object has these */
	/* where its characters are: with ASCII alone, and else */
	uint32_t text_ascii, text_compact;
};

/* Flags of a record. The first ones are those of core/trace/samples.h. */
#define SAMPLE_CUT        1
#define SAMPLE_UNREADABLE 2
#define SAMPLE_SYSTEM     4
#define SAMPLE_SIGNAL     8
#define SAMPLE_CURG       16
#define SAMPLE_IN_KERNEL  256  /* the thread was interrupted in the kernel */
#define SAMPLE_NO_BINARY  512  /* the executable was not known yet */
#define SAMPLE_LABELLED   1024 /* a label record with the same time and thread precedes it */
#define SAMPLE_NO_IMAGES  2048 /* the process's code that is not Go's was not known */
#define SAMPLE_PYTHON     4096 /* a record of Python frames precedes it, as a label record does */

#define SAMPLE_RECORD_STACK  1
#define SAMPLE_RECORD_LABELS 2
#define SAMPLE_RECORD_DEATH  3 /* has the form of a stack; `period` is DEATH_OF */
#define SAMPLE_RECORD_PYTHON 4
#define SAMPLE_RECORD_CODE   5

/* Kinds are those of core/trace/samples.h. */
#define SAMPLE_DEATH_THREAD    0
#define SAMPLE_DEATH_SIGNAL    1
#define SAMPLE_DEATH_PANIC     2
#define SAMPLE_DEATH_PARKED    3 /* a goroutine that no thread executes; tid is 0 */
#define DEATH_OF(kind, signal) ((uint64_t)(kind) << 8 | (signal))

/* The beginning of all kinds of records. */
struct sample_head {
	uint32_t kind; /* SAMPLE_RECORD_* */
	uint32_t tid;
	uint64_t ts_ns; /* CLOCK_MONOTONIC */
};

struct sample_record {
	struct sample_head h;
	uint64_t goid;
	uint64_t period; /* period of the event in ns, or in occurrences of the event */
	uint32_t pid, flags;
	struct file_id exe;
	uint32_t n_kernel, n_user; /* numbers in pcs, whose kernel frames are first */
	/* User frames are as in struct sample_stack, kernel frames as bpf_get_stack gives them. */
	uint64_t pcs[SAMPLE_KERNEL_FRAMES + SAMPLE_FRAMES];
};
_Static_assert(__builtin_offsetof(struct sample_record, pcs) == 80, "wire layout");

#define SAMPLE_LABELS      8
#define SAMPLE_KEY_BYTES   64
#define SAMPLE_VALUE_BYTES 128
struct sample_label {
	/* lengths in the program; the arrays hold no more than their size */
	uint32_t key_bytes, value_bytes;
	char key[SAMPLE_KEY_BYTES], value[SAMPLE_VALUE_BYTES];
};
struct sample_label_record {
	struct sample_head h;
	uint32_t n, n_all; /* number of labels in here, and of the goroutine */
	struct sample_label label[SAMPLE_LABELS];
};

/* The Python frames of a sample. */
struct sample_python_record {
	struct sample_head h;
	uint32_t serial, pad;
	uint32_t n, n_runs;
	/* Index in the sample's pcs of the evaluator that executes each run. PYTHON_NOWHERE: the
	 * walk of the stack did not reach it. */
	uint32_t evaluator[SAMPLE_PYTHON_RUNS];
	/* Addresses of code objects, innermost first, with the run's number above bit
	 * PYTHON_RUN_BIT. PYTHON_MISSING: further frames of the run are missing. PYTHON_NAMELESS:
	 * a function whose names could not be read or sent. */
	uint64_t frames[SAMPLE_PYTHON_FRAMES];
};
#define PYTHON_NOWHERE  ~0u
#define PYTHON_MISSING  0 /* in place of the address of a code object */
#define PYTHON_NAMELESS 1
#define PYTHON_RUN_BIT  48
#define PYTHON_RUN(x)   ((uint32_t)((x) >> PYTHON_RUN_BIT))
#define PYTHON_CODE(x)  ((x) & ((1ull << PYTHON_RUN_BIT) - 1))

/* A str object of the program. */
struct sample_text {
	uint32_t length; /* in characters; the program may write anything into it */
	uint32_t width;  /* bytes of a character: 1, 2 or 4; 0: the text could not be read */
};
/* The names of a function, once for each code object of a process. */
struct sample_code_record {
	struct sample_head h;
	uint64_t code;
	uint32_t serial, line; /* line: the function's first */
	struct sample_text name, file;
	uint8_t name_bytes[SAMPLE_PYTHON_NAME];
	uint8_t file_bytes[SAMPLE_PYTHON_FILE];
};

/* Counters of one CPU. */
struct sample_counters {
	uint64_t samples;         /* times that the program ran */
	uint64_t lost;            /* samples without room in the ring */
	uint64_t lost_period;     /* sum of the lost samples' periods */
	uint64_t labels_lost;     /* lost label records, and labels that could not be read */
	uint64_t deaths_lost;     /* unreported threads and goroutines of dying processes */
	uint64_t python_lost;     /* samples whose Python frames had no room in the ring */
	uint64_t python_nameless; /* samples with Python frames whose names could not be given */
	uint64_t members_refused; /* processes for which there was no room (SAMPLE_MEMBERS) */
};

/*
 * Reports which of gotrace's perf events each thread of a process has. An event is recognized by
 * how it was opened (struct perf_event_attr), in the fields that the kernel does not change. When
 * the kernel replaces a clock, it changes type and config.
 */
#define THREAD_EVENTS 8
struct thread_event {
	uint64_t sample_type;
	uint64_t period; /* or the frequency */
};
struct threads_config {
	uint32_t n, pad;
	struct thread_event event[THREAD_EVENTS];
	struct thread_event side; /* the event that each CPU has of its own */
};
struct threads_state {
	uint32_t pid; /* process whose threads are reported, in gotrace's pid namespace */
	uint32_t pad;
};
/* The report on a thread. */
struct thread_has {
	uint32_t tid;
	uint32_t events; /* bit i is set when it has event[i] */
	uint32_t n_side; /* number of events like `side` */
	uint32_t tgid;   /* number of its process in the first PID namespace */
	uint64_t process_started_ns;
};

/* ---- threads that do not execute; an iterator reports each */

/* the most threads of a process that are looked at each time; see `every` */
#define WAITS_THREADS 256
struct waits_state {
	uint32_t pid; /* process whose threads are reported, in gotrace's pid namespace */
	/* One random thread of so many is looked at. */
	uint32_t every;
	/* in such a group: number of the next thread, and of the one to look at */
	uint32_t at, pick;
	/* Stacks that were reported at another generation are reported again. */
	uint32_t generation;
	uint32_t listed, drawn; /* number of threads, and of those that were looked at */
	uint32_t go;            /* number of those looked at that execute goroutines */
	int32_t tgid;           /* the kernel's own number of the process, once it is known */
};
/* Values of `state`. */
#define WAITS_RUNS  1 /* on a processor, or it would be but for gotrace */
#define WAITS_READY 2 /* it could run but has no processor */
#define WAITS_SLEEP 3
#define WAITS_BLOCK 4 /* asleep where signals do not wake it */
#define WAITS_STOP  5 /* stopped by a signal or a debugger */

/* Flags besides SAMPLE_CUT and SAMPLE_UNREADABLE. */
#define WAITS_SAME     256 /* it has not run since its stack was reported */
#define WAITS_CHANGING 512 /* it kept running while it was looked at */

/* The head of a report. The stack's n addresses follow, leaf first. */
struct waits_thread {
	uint32_t tid, state;
	int32_t call;    /* number of the system call that it is in, -1 for none */
	uint32_t compat; /* it executes 32-bit code, whose calls have other numbers */
	uint32_t flags;
	uint32_t n;
	/* Time since its start in which it could have run and had no processor. WAITS_NO_DELAY when
	 * the kernel keeps no account of that. */
	uint64_t delay_ns;
};
#define WAITS_NO_DELAY ~0ull

#endif
