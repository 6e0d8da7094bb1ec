/* SPDX-License-Identifier: BSD-2-Clause */
/* Several runs of a program before and after a change, with the times of each function in each
 * run. */
#ifndef GOTRACE_DIFF_RUNS_H
#define GOTRACE_DIFF_RUNS_H

#include "analysis/diff/trace_diff.h"
#include "base/hash_index.h"

/* The values of each run that enum diff_metric does not have. */
enum run_value {
	RUN_SELF_OFF = METRICS, /* the parts of SELF and TOTAL without a processor */
	RUN_TOTAL_OFF,
	RUN_LOW,         /* a time that a tenth of the calls did not exceed; NAN when not known */
	RUN_UNCERTAINTY, /* uncertainty of RUN and SELF of calls, 0 if not known */
	RUN_COUNT,       /* calls, or samples that have it innermost */
	RUN_VALUES,
};

struct run_row {
	char *name;
	char *program; /* the program of its samples; "" for calls */
	/* By enum diff_metric or run_value, side and run: ns or calls. 0 where the function did not
	 * occur. In recordings of samples, RUN is processor time, and SELF and TOTAL are
	 * percentages. */
	double *value[RUN_VALUES][2];
	bool there[2];
};

struct diff_runs {
	size_t n_runs[2], n_added[2]; /* number of runs, number added so far */
	bool samples;                 /* SELF and TOTAL are shares */
	bool states;                  /* all runs have states */
	size_t n_stateless;           /* runs without states; runs of samples do not count */
	bool by_second;               /* with samples, RUN is by second of the run */
	uint64_t longest_ns;          /* the length of the longest run */
	double off_cpu;               /* the largest off_cpu of struct diff_stretch */
	double most_run_ns;           /* RUN of all functions, in the run with most of it */
	double *wall_ns[2];           /* length of each run, by the program or its events */
	struct run_row *rows;         /* in the order in which they were added */
	size_t n, cap;
	struct hash_index by_name;
	/* one of the runs has samples of several programs, and rows of each program are apart */
	bool programs;
};

/* 0 or -ENOMEM (logged); diff_runs_free in either case. */
int diff_runs_init(struct diff_runs *d, const size_t n_runs[2]);
/* Reads one run to its end. r may be closed afterwards. raw: uses times as measured. 0 or -errno
 * (logged). */
int diff_runs_add(struct diff_runs *d, unsigned side, struct trace_reader *r, bool raw);
/* To be called after the last run. Rows of one name become one row, unless a run has several
 * programs. */
void diff_runs_settle(struct diff_runs *d);
void diff_runs_free(struct diff_runs *d);

#endif
