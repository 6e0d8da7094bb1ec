/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads a trace of samples up to its end. Equal samples are counted together, and addresses become
 * functions. */
#ifndef GOTRACE_SAMPLE_LOAD_H
#define GOTRACE_SAMPLE_LOAD_H

#include "analysis/samples/look_errors.h"
#include "analysis/samples/sample_programs.h"
#include "analysis/trace_load.h"
#include "base/compare.h"
#include "base/hash_index.h"
#include "trace/samples.h"

/* A name that is no symbol: a missing part of a stack (sample_names.c), an address, a program. */
#define SAMPLE_MADE_UP 0xffffff00u

/* Samples of one stack, goroutine, thread and set of labels. */
struct sample_group {
	uint64_t goid, samples, weight_ns, first_ns, last_ns;
	/* samples that did not execute, and were in another state at the look before */
	uint64_t begun;
	/* square of the standard error of weight_ns, if samples are independent */
	double square_ns2;
	uint32_t stack, tid, labels, process;
	uint32_t path;         /* a path of the model */
	uint8_t state, reason; /* those of struct sample */
	bool left_out;         /* the view leaves it out, or it is parked */
	/* parked: by sample_parked.h; awaits: by sample_requests.h, and then it is parked, too */
	bool parked, awaits;
};

/* A single sample of a group. */
struct sample_single {
	uint64_t ts_ns, weight_ns;
	uint32_t group;
};

/* Counts of samples. */
struct sample_counts {
	uint64_t samples, weight_ns;
	uint64_t cut, unreadable; /* STACK_CUT, STACK_UNREADABLE */
	uint64_t unresolved;      /* samples with an address without a symbol */
	/* samples that executed; the others are from snapshots (sample --wall) */
	uint64_t run_samples, run_ns;
};

struct loaded_samples {
	const struct sample_tables *tables; /* the reader's */
	struct sample_group *groups;
	size_t n_groups, cap_groups;
	struct hash_index by_key;
	struct sample_single *singles; /* in the order of reading, if wanted */
	size_t n_singles, cap_singles;
	/* the programs, if several have samples */
	struct sample_programs programs;
	/* The trace's functions are symbols and made-up names. Each program has its own
	 * functions. */
	struct sample_func {
		uint32_t symbol; /* or SAMPLE_MADE_UP and above */
		uint32_t program;
	} * funcs;
	uint32_t first_func; /* the index of the first one among the trace's */
	size_t n_funcs, cap_funcs;
	struct hash_index by_func, by_name; /* by_name has addresses */
	uint64_t names_left;                /* bytes that names may still take */
	size_t n_symbols;
	struct {
		uint64_t pc;
		uint32_t process, func;
	} * strangers; /* addresses without a symbol, and the functions made up for them */
	size_t n_strangers, cap_strangers;
	struct hash_index by_stranger;
	struct sample_counts all, shown; /* for the whole trace, and for the view */
	uint64_t first_ns, last_ns;
	uint64_t frames_left; /* for sample_frames_take */
	bool keep_singles;
	bool wall;                 /* some samples did not execute */
	bool only_parked;          /* sample_parked_find marked none, because no other remained */
	bool errors;               /* and the errors of their weights are known */
	struct look_errors *looks; /* their errors; NULL when not known */
};

/* Reads all of r into t, whose info and view are set, and makes its model and totals. Returns like
 * trace_load. leave_out_parked: leaves out waits of parked goroutines (sample_parked.h). */
int sample_load(struct loaded_trace *t, struct trace_reader *r, bool leave_out_parked,
		struct trace_watch *w);
void sample_unload(struct loaded_samples *s);

/* For qsort_r: compares numbers (uint32_t) of `groups` by process and goroutine. */
static inline int sample_by_goroutine(const void *x, const void *y, void *groups)
{
	const struct sample_group *all = groups, *a = &all[*(const uint32_t *)x],
				  *b = &all[*(const uint32_t *)y];
	int c = compare_u64(a->process, b->process);

	return c ? c : compare_u64(a->goid, b->goid);
}

/* Adds the weight of a sample to the time of its state; adds nothing for one that executed. */
static inline void sample_off_add(struct off_times *off, uint8_t state, uint64_t weight_ns)
{
	off->runnable_ns += state == STATE_RUNNABLE ? weight_ns : 0;
	off->wait_ns += state == STATE_WAITING ? weight_ns : 0;
	off->syscall_ns += state == STATE_SYSCALL ? weight_ns : 0;
	off->unknown_ns += state == SAMPLE_STATE_UNKNOWN ? weight_ns : 0;
}

/* To be called for each stack of n functions that a format writes. There may be far more stacks of
 * goroutines than the recording has. 0 or -E2BIG (logged). */
int sample_frames_take(struct loaded_samples *s, size_t n);
/* Sets *funcs (grown to *cap) to the *n functions of a stack as in the model, the outermost first.
 * *unresolved: it has an address without a symbol. 0, -ENOMEM, or the error of
 * sample_frames_take. */
int sample_stack_funcs(struct loaded_samples *s, struct trace_info *info, uint32_t stack,
		       uint32_t **funcs, size_t *cap, size_t *n, bool *unresolved);

#endif
