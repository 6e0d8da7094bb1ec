/* SPDX-License-Identifier: BSD-2-Clause */
/* A report before it is written. It has a trace read to its end, and the rows to show in order. */
#ifndef GOTRACE_ROWS_H
#define GOTRACE_ROWS_H

#include "analysis/calls/call_tree.h"
#include "analysis/calls/goroutine_rows.h"
#include "analysis/calls/released.h"
#include "analysis/samples/sample_rows.h"
#include "analysis/calls/wait_rows.h"
#include "analysis/calls/wakers.h"
#include "report/call_rows.h"
#include "report/report.h"

struct report {
	const struct report_options *opt;
	struct loaded_trace trace;
	struct released released;
	struct goroutines goroutines; /* BY_GOROUTINE: all goroutines seen, folded with opt->fold */
	/* BY_PATH: a node for each function below its caller, called or started. Siblings are
	 * sorted by name. */
	struct call_tree tree;
	struct call_rows calls; /* BY_CALL */
	/* samples: for BY_GOROUTINE, BY_LABEL and later kinds */
	struct sample_rows sample_rows;
	/* With states, the waits of functions; BY_PATH those of the tree's nodes, without trees of
	 * callers. */
	struct wait_rows waits;
	struct wake_rows wakes; /* BY_REASON: the functions that ended waits */
	/* The rows to print, in order: indices of functions, tree nodes, goroutines or waits.
	 * BY_CALL has none. */
	size_t *rows, n_rows;
	size_t n_hidden; /* rows that the options or the limit leave out */
	bool none_sure;  /* BY_FUNCTION: no row that could stand first is certain */
	char *said;      /* the answer, with opt->text and opt->answer */
};

/* rows_check.c: checks that a trace of samples has the data that the options need. 0 or -ENOTSUP
 * (logged) */
int report_check_samples(const struct trace_info *info, const struct report_options *opt);
/* Reads r to its end. 0 or -errno (logged); report_free in either case. */
int report_load(struct report *rep, struct trace_reader *r, const struct report_options *opt);
/* Loads a report whose rows have all functions of a path, with a limit (whole_paths_bound). Returns
 * like report_load. */
int report_load_whole_paths(struct report *rep, struct trace_reader *r,
			    const struct report_options *opt);
void report_free(struct report *rep);

/* Returns the display name of a function's index or of PATH_*. */
const char *report_name(const struct report *rep, uint32_t func);
/* Returns the program of a function, "" if it has none. NULL if the trace does not have samples of
 * several programs. */
const char *report_program(const struct report *rep, uint32_t func);
/* For a tree's node, the function whose release is to be reported, and released functions whose
 * time its self time includes. */
struct report_release {
	uint32_t func;
	struct released_below below;
} report_release(const struct report *rep, uint32_t node);
/* Returns the value of the column to sort by. */
uint64_t report_weight(const struct call_stats *st, enum report_sort sort);
/* Returns whether the options want the path, apart from the limit of rows. */
bool report_wants_path(const struct report *rep, size_t node);

#endif
