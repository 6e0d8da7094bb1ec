/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and matches two traces. Each function or path that one of them has is a row. */
#ifndef GOTRACE_TRACE_DIFF_H
#define GOTRACE_TRACE_DIFF_H

#include "analysis/calls/call_series.h"
#include "analysis/calls/call_tree.h"
#include "analysis/diff/diff_names.h"

/* Where both sides have states, SELF and TOTAL exclude the time without a processor. RUN is 0
 * without states. With samples on both sides it is the weight of SELF. */
enum diff_metric { METRIC_SELF, METRIC_TOTAL, METRIC_CALLS, METRIC_RUN, METRICS };

/* A function or path in both traces, A first. */
struct diff_row {
	uint32_t key; /* function of diff.names, or node of diff.tree */
	uint64_t value[METRICS][2];
	bool there[2]; /* the side has calls or stopped prologues of it */
	bool by_call;  /* with states: see diff_row_per_call */
	/* How sure the values are. uncertainty_ns: the error of RUN and its share (2 standard
	 * errors, 0 when not known). chance_ns, bias_ns: as struct call_stats has them of RUN.
	 * probe_ns: the cost of probes taken out of RUN. func_calls: calls of its function, for a
	 * path on all paths. series: single calls of its function. NULL: there are none, or several
	 * functions have the name. */
	uint64_t uncertainty_ns[2], chance_ns[2], bias_ns[2], probe_ns[2], func_calls[2];
	const struct call_series *series[2];
	const struct call_stats *func[2]; /* statistics of its function; NULL as series */
	uint64_t total_run_ns[2];         /* the part of TOTAL in which it ran */
};

/* How busy the machine was. 1: all goroutines that were ready ran. */
struct diff_stretch {
	/* time in which goroutines ran or were ready, divided by time in which they ran */
	double all;
	/* this without the time of goroutines that waited for Go's scheduler */
	double off_cpu;
};

/* Returns the stretch; without states its fields are 1. */
struct diff_stretch diff_stretch_of(const struct model_totals *t);

struct diff {
	struct loaded_trace side[2];
	struct diff_names names;
	bool by_path;
	struct call_tree tree; /* with by_path, the paths of both; functions are those of `names` */
	/* At least one side has samples. Then shares are compared (analysis/diff/diff_shares.h),
	 * and METRIC_CALLS is samples there. */
	bool shares;
	bool states;                    /* both sides have states and calls */
	struct diff_stretch stretch[2]; /* with states */
	uint64_t all_run_ns[2];         /* RUN of all rows */
	/* Both sides have samples of executing code, and RUN is their weight. If a recording ended
	 * before its program, RUN is by second of the recording. Otherwise `seconds` is 1. */
	bool sampled;
	double seconds[2];
	struct calls_of_all calls[2];   /* single calls, where the traces have all of them */
	uint64_t all_ns[2], samples[2]; /* the whole of shares; samples that count */
	uint64_t outside[2];            /* samples in no function that the other side traced */
	struct diff_row *rows;          /* in the order of names; some are in neither trace */
	size_t n_rows;
};

/* Reads both traces to their ends. raw: uses times as measured, with the cost of probes. 0 or
 * -errno (logged), -ENOTSUP for paths of calls and of samples; diff_free in either case. */
int diff_load(struct diff *d, struct trace_reader *const r[2], bool by_path, bool raw);
void diff_free(struct diff *d);
/* Matches sides that were loaded before, which the caller owns. d has them, `by_path`, and `calls`,
 * which their watches filled. 0 or -errno (logged); diff_unmatch in either case. */
int diff_match(struct diff *d);
void diff_unmatch(struct diff *d);

/* Returns the row's function. */
uint32_t diff_row_func(const struct diff *d, const struct diff_row *row);
/* Returns "changed", "new" or "gone". */
const char *diff_row_kind(const struct diff_row *row);
/* Returns the side (0, 1) that had no probe on a new or gone row's function; -1 for neither. */
int diff_row_untraced(const struct diff *d, const struct diff_row *row);
/* Returns whether both sides have calls, but different numbers of them. With states, such times are
 * compared by call. */
bool diff_row_per_call(const struct diff_row *row);
/* Returns B − A. */
int64_t diff_change(const struct diff_row *row, enum diff_metric m);

#endif
