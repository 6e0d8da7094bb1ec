/* SPDX-License-Identifier: BSD-2-Clause */
/* Two traces read and matched: a row for each function or path that one of them has. */
#ifndef GOTRACE_TRACE_DIFF_H
#define GOTRACE_TRACE_DIFF_H

#include "analysis/calls/call_series.h"
#include "analysis/calls/call_tree.h"
#include "analysis/diff/diff_names.h"

/* Where both sides have states, SELF and TOTAL are less the time without a processor. RUN is 0
 * where they have none; of two sides with samples it is the weight of SELF. */
enum diff_metric { METRIC_SELF, METRIC_TOTAL, METRIC_CALLS, METRIC_RUN, METRICS };

/* A function or path in both traces, A first. */
struct diff_row {
	uint32_t key; /* function of diff.names, or node of diff.tree */
	uint64_t value[METRICS][2];
	bool there[2]; /* it was called, or its prologue stopped */
	bool by_call;  /* with states: see diff_row_per_call */
	/* What is known of how sure that is: how far off RUN may be (2 standard errors, 0: not
	 * known), what probes cost that was taken out of it, and single calls of its function (of a
	 * path: on all paths). NULL: none, or several functions have the name. */
	uint64_t uncertainty_ns[2], probe_ns[2], func_calls[2];
	const struct call_series *series[2];
	const struct call_stats *func[2]; /* of its function; NULL as series */
	uint64_t total_run_ns[2];         /* the part of TOTAL in which it ran */
};

/* How busy the machine was. 1: goroutines that would run did. */
struct diff_stretch {
	double all;     /* time of goroutines that ran or would have, by that in which they ran */
	double off_cpu; /* the same without those that waited for Go's scheduler */
};

/* Without states 1. */
struct diff_stretch diff_stretch_of(const struct model_totals *t);

struct diff {
	struct loaded_trace side[2];
	struct diff_names names;
	bool by_path;
	struct call_tree tree; /* by_path: paths of both; functions are those of `names` */
	/* One of them has samples at least: shares are compared (analysis/diff/diff_shares.h), and
	 * METRIC_CALLS is samples there. */
	bool shares;
	bool states;                    /* both have some, and calls */
	struct diff_stretch stretch[2]; /* with states */
	uint64_t all_run_ns[2];         /* RUN of all rows */
	/* Both have samples of what executed: RUN is their weight. By second of each recording, if
	 * one ended before its program; else 1. */
	bool sampled;
	double seconds[2];
	struct calls_of_all calls[2];   /* single calls, where there are all of them */
	uint64_t all_ns[2], samples[2]; /* what shares are of; samples that count */
	uint64_t outside[2];            /* samples in no function that the other side traced */
	struct diff_row *rows;          /* in the order of names; some are in neither trace */
	size_t n_rows;
};

/* Reads both traces to their ends. raw: times as measured, what probes cost included. 0 or -errno
 * (logged), -ENOTSUP: paths of calls and of samples; diff_free in either case. */
int diff_load(struct diff *d, struct trace_reader *const r[2], bool by_path, bool raw);
void diff_free(struct diff *d);
/* Matches sides that were loaded before and stay the caller's. d has them, `by_path`, and `calls`,
 * which their watches filled. 0 or -errno (logged); diff_unmatch in either case. */
int diff_match(struct diff *d);
void diff_unmatch(struct diff *d);

/* The row's function. */
uint32_t diff_row_func(const struct diff *d, const struct diff_row *row);
/* "changed", "new" or "gone". */
const char *diff_row_kind(const struct diff_row *row);
/* Which side (0, 1) a new or gone row's function could not have been seen in, for want of a probe;
 * -1: none. */
int diff_row_untraced(const struct diff *d, const struct diff_row *row);
/* Both sides have calls, and not as many: with states, times are compared by call. */
bool diff_row_per_call(const struct diff_row *row);
/* B − A. */
int64_t diff_change(const struct diff_row *row, enum diff_metric m);

#endif
