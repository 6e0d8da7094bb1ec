/* SPDX-License-Identifier: BSD-2-Clause */
/* Several runs of a program before and after: what each function had in each of them. */
#ifndef GOTRACE_DIFF_RUNS_H
#define GOTRACE_DIFF_RUNS_H

#include "analysis/diff/trace_diff.h"
#include "base/hash_index.h"

/* What is kept of each run, besides each enum diff_metric. */
enum run_value {
	RUN_SELF_OFF = METRICS, /* the parts of SELF and TOTAL without a processor */
	RUN_TOTAL_OFF,
	RUN_LOW,         /* a tenth of the calls ran no longer; NAN: not known */
	RUN_UNCERTAINTY, /* how far off RUN and SELF of calls may be, 0 if that is not known */
	RUN_COUNT,       /* calls; samples in which it is innermost */
	RUN_VALUES,
};

struct run_row {
	char *name;
	/* by enum diff_metric or run_value, and side, of each run: ns or calls. 0 where it did not
	 * occur. In recordings of samples, RUN is processor time; SELF and TOTAL are percentages.
	 */
	double *value[RUN_VALUES][2];
	bool there[2];
};

struct diff_runs {
	size_t n_runs[2], n_added[2]; /* given; added so far */
	bool samples;                 /* SELF and TOTAL are shares */
	bool states;                  /* all runs have some */
	size_t n_stateless;           /* runs without; of samples none is counted */
	bool by_second;               /* of samples: RUN is by second of the run */
	uint64_t longest_ns;          /* of all runs */
	double off_cpu;               /* the most of struct diff_stretch */
	double most_run_ns;           /* RUN of all functions, in the run with most of it */
	double *wall_ns[2];           /* how long each run took: the program, or its events */
	struct run_row *rows;         /* in the order in which they were met */
	size_t n, cap;
	struct hash_index by_name;
};

/* 0 or -ENOMEM (logged); diff_runs_free in either case. */
int diff_runs_init(struct diff_runs *d, const size_t n_runs[2]);
/* Reads one run to its end; r may be closed then. raw: times as measured. 0 or -errno (logged). */
int diff_runs_add(struct diff_runs *d, unsigned side, struct trace_reader *r, bool raw);
void diff_runs_free(struct diff_runs *d);

#endif
