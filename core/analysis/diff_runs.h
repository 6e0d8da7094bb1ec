/* SPDX-License-Identifier: BSD-2-Clause */
/* Several runs of a program before and after: what each function had in each of them. */
#ifndef GOTRACE_DIFF_RUNS_H
#define GOTRACE_DIFF_RUNS_H

#include "analysis/diff.h"
#include "base/hash_index.h"

struct run_row {
	char *name;
	/* by metric and side, of each run: ns or calls; of samples, per cent of the run's weight. 0
	 * where it did not occur */
	double *value[METRICS][2];
	bool there[2];
};

struct diff_runs {
	size_t n_runs[2], n_added[2]; /* given; added so far */
	bool samples;                 /* values are shares */
	uint64_t longest_ns;          /* of all runs */
	double *wall_ns[2];           /* how long each run took: the program, or its events */
	struct run_row *rows;         /* in the order in which they were met */
	size_t n, cap;
	struct hash_index by_name;
};

/* 0 or -ENOMEM; diff_runs_free in either case. */
int diff_runs_init(struct diff_runs *d, const size_t n_runs[2]);
/* Reads one run to its end; r may be closed then. raw: times as measured. 0 or -errno (logged). */
int diff_runs_add(struct diff_runs *d, unsigned side, struct trace_reader *r, bool raw);
void diff_runs_free(struct diff_runs *d);

#endif
