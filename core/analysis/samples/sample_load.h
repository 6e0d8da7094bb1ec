/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace of samples read to its end: those that are alike counted together, addresses made
 * functions. */
#ifndef GOTRACE_SAMPLE_LOAD_H
#define GOTRACE_SAMPLE_LOAD_H

#include "analysis/samples/look_errors.h"
#include "analysis/samples/sample_programs.h"
#include "analysis/trace_load.h"
#include "base/hash_index.h"
#include "trace/samples.h"

/* What no symbol names: part of a stack that is missing (sample_names.c), an address, a program. */
#define SAMPLE_MADE_UP 0xffffff00u

/* Samples of one stack, goroutine, thread and set of labels. */
struct sample_group {
	uint64_t goid, samples, weight_ns, first_ns, last_ns;
	uint64_t begun;    /* of those that did not execute: they were not so at the look before */
	double square_ns2; /* of the standard error of weight_ns, if each sample is independent */
	uint32_t stack, tid, labels, process;
	uint32_t path;         /* of the model */
	uint8_t state, reason; /* of struct sample */
	bool left_out;         /* by the view, or parked */
	bool parked, awaits;   /* sample_parked.h, and sample_requests.h, which is parked, too */
};

/* One of them by itself. */
struct sample_single {
	uint64_t ts_ns, weight_ns;
	uint32_t group;
};

/* What samples say of themselves. */
struct sample_counts {
	uint64_t samples, weight_ns;
	uint64_t cut, unreadable; /* STACK_CUT, STACK_UNREADABLE */
	uint64_t unresolved;      /* with an address that no symbol is known of */
	/* those that executed: the others are of snapshots (sample --wall) */
	uint64_t run_samples, run_ns;
};

struct loaded_samples {
	const struct sample_tables *tables; /* the reader's */
	struct sample_group *groups;
	size_t n_groups, cap_groups;
	struct hash_index by_key;
	struct sample_single *singles; /* in order of time as read, if they were asked for */
	size_t n_singles, cap_singles;
	/* The programs, if several have samples. */
	struct sample_programs programs;
	/* The trace's functions are symbols, and names made up here. Each program has its own. */
	struct sample_func {
		uint32_t symbol; /* or SAMPLE_MADE_UP and behind it */
		uint32_t program;
	} * funcs;
	uint32_t first_func; /* the first of them among the trace's */
	size_t n_funcs, cap_funcs;
	struct hash_index by_func, by_name; /* by_name has addresses */
	uint64_t names_left;                /* bytes that functions may still take */
	size_t n_symbols;
	struct {
		uint64_t pc;
		uint32_t process, func;
	} * strangers; /* addresses without a symbol, and the functions made up for them */
	size_t n_strangers, cap_strangers;
	struct hash_index by_stranger;
	struct sample_counts all, shown; /* of the whole trace, and of what the view leaves */
	uint64_t first_ns, last_ns;
	uint64_t frames_left; /* sample_frames_take */
	bool keep_singles;
	bool wall;                 /* there are samples of what did not execute */
	bool errors;               /* and how sure their weights are is known */
	struct look_errors *looks; /* of them; NULL: not known */
};

/* Reads all of r into t, whose info and view are set: its model, its totals. As trace_load.
 * leave_out_parked: without waits of parked goroutines (sample_parked.h). */
int sample_load(struct loaded_trace *t, struct trace_reader *r, bool leave_out_parked,
		struct trace_watch *w);
void sample_unload(struct loaded_samples *s);

/* Adds the weight of a sample to the part that its state is; nothing of one that executed. */
static inline void sample_off_add(struct off_times *off, uint8_t state, uint64_t weight_ns)
{
	off->runnable_ns += state == STATE_RUNNABLE ? weight_ns : 0;
	off->wait_ns += state == STATE_WAITING ? weight_ns : 0;
	off->syscall_ns += state == STATE_SYSCALL ? weight_ns : 0;
	off->unknown_ns += state == SAMPLE_STATE_UNKNOWN ? weight_ns : 0;
}

/* To be called for each stack that a format writes, of n functions: there may be far more stacks,
 * goroutine by goroutine, than a recording tells. 0 or -E2BIG (logged). */
int sample_frames_take(struct loaded_samples *s, size_t n);
/* The functions of a group's stack as the model has them, the outermost first: of *n, in *funcs
 * (grown to *cap). *unresolved: there is an address in it that no symbol is known of. 0, -ENOMEM,
 * or the error of sample_frames_take. */
int sample_stack_funcs(struct loaded_samples *s, struct trace_info *info, uint32_t stack,
		       uint32_t **funcs, size_t *cap, size_t *n, bool *unresolved);

#endif
