/* SPDX-License-Identifier: BSD-2-Clause */
/* Two traces read and matched: a row for each function or path that one of them has. */
#ifndef GOTRACE_DIFF_H
#define GOTRACE_DIFF_H

#include "analysis/call_tree.h"
#include "analysis/diff_names.h"

enum diff_metric { METRIC_SELF, METRIC_TOTAL, METRIC_CALLS, METRICS };

/* A function or path in both traces, A first. */
struct diff_row {
	uint32_t key; /* function of diff.names, or node of diff.tree */
	uint64_t value[METRICS][2];
	bool there[2]; /* it was called, or its prologue stopped */
};

struct diff {
	struct loaded_trace side[2];
	struct diff_names names;
	bool by_path;
	struct call_tree tree; /* by_path: paths of both; functions are those of `names` */
	/* One of them has samples at least: shares are compared (analysis/diff_shares.h), and
	 * METRIC_CALLS is samples there. */
	bool shares;
	uint64_t all_ns[2], samples[2]; /* what shares are of; samples that count */
	uint64_t outside[2];            /* samples in no function that the other side traced */
	struct diff_row *rows;          /* in the order of names; some are in neither trace */
	size_t n_rows;
};

/* Reads both traces to their ends. raw: times as measured, what probes cost included. 0 or -errno
 * (logged), -ENOTSUP: paths of calls and of samples; diff_free in either case. */
int diff_load(struct diff *d, struct trace_reader *const r[2], bool by_path, bool raw);
void diff_free(struct diff *d);

/* The row's function. */
uint32_t diff_row_func(const struct diff *d, const struct diff_row *row);
/* "changed", "new" or "gone". */
const char *diff_row_kind(const struct diff_row *row);
/* Which side (0, 1) a new or gone row's function could not have been seen in, for want of a probe;
 * -1: none. */
int diff_row_untraced(const struct diff *d, const struct diff_row *row);
/* B − A. */
int64_t diff_change(const struct diff_row *row, enum diff_metric m);

#endif
