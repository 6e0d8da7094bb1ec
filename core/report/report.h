/* SPDX-License-Identifier: BSD-2-Clause */
/* gotrace report shows the functions that took the time of a recorded program, for people and for
 * programs. */
#ifndef GOTRACE_REPORT_H
#define GOTRACE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/trace_load.h"

/* BY_REASON: a row for each function and reason for which goroutines waited in its calls. BY_LABEL
 * and later kinds are for samples only. */
enum report_by {
	BY_FUNCTION,
	BY_PATH,
	BY_GOROUTINE,
	BY_CALL,
	BY_REASON,
	BY_LABEL,
	BY_THREAD,
	BY_PROCESS,
	BY_PROGRAM,
	BY_LIBRARY,
	BY_KINDS
};
/* SORT_DEFAULT sorts by self, siblings in a tree of paths by share, and calls in the order in which
 * they began. BY_CALL has only SORT_SELF and SORT_TOTAL. */
enum report_sort {
	SORT_DEFAULT,
	SORT_SELF,
	SORT_TOTAL,
	SORT_CALLS,
	SORT_MORESTACK, /* goroutines have the orders up to here, and those of states */
	SORT_COST,
	SORT_MEAN, /* mean of finished calls; the next three are of finished calls, too */
	SORT_MAX,  /* paths have the orders up to here, and those of states */
	SORT_P50,
	SORT_P99,
	/* parts of self, or of a goroutine's life, in traces with states only */
	SORT_RUN,
	SORT_READY,
	SORT_WAIT,
	SORT_SYSCALL,
	SORT_OFF_CPU,
};

struct report_options {
	const struct trace_view *view; /* the part of the trace that counts; may be NULL */
	enum report_by by;
	enum report_sort sort;
	size_t limit; /* most rows; 0 for all */
	bool colour;
	unsigned width; /* the terminal's width, to which text cuts names; 0 for no cut */
	bool wide;      /* text: all columns and whole names at any width */
	/* BY_FUNCTION and BY_PATH: names of columns between commas (columns.h). NULL: those that
	 * fit, in csv and json all. */
	const char *columns;
	/* the trace's file for suggested commands; NULL for the default */
	const char *file;
	bool raw;                   /* times as measured, with the cost of probes */
	enum correct_by correct_by; /* unless raw */
	/* BY_FUNCTION: a glob of functions. The report has histograms of the durations of their
	 * calls instead of rows. NULL: rows. */
	const char *hist;
	unsigned depth; /* BY_PATH: only paths of at most so many functions; 0 for all */
	/* BY_PATH: only paths with at least this share of the time, including the paths below */
	double min_share_pct;
	/* BY_PATH: globs of functions. The report has trees of their callers instead of paths from
	 * the outermost call down. */
	const char *const *callers;
	size_t n_callers;
	/* BY_GOROUTINE: one row for all goroutines of one creation site and first function */
	bool fold;
	/* BY_CALL: calls that begin in [from_ns, to_ns) since the trace's start; to_ns 0 is its
	 * end */
	uint64_t from_ns, to_ns;
	uint64_t min_ns; /* BY_CALL: only calls at least this long */
	/* text and JSON set it; the answer (analysis/answer.h) comes before the rows */
	bool answer;
	/* The text format sets it, and its report has the answer. Functions that wait for their
	 * callers (analysis/calls/fold_waits.h) have rows only with `waits`. */
	bool text;
	bool waits;
	/* BY_FUNCTION as text: writes the options to select more functions; may be NULL */
	void (*open_up)(const struct loaded_trace *t, FILE *out);
};

struct report_format {
	const char *name; /* "text", "csv", "json" */
	/* Reads the trace to its end and writes the report. 0 or -errno (logged). */
	int (*write)(struct trace_reader *r, const struct report_options *opt, FILE *out);
};

/* Ends with an entry whose name is NULL. */
extern const struct report_format report_formats[];

#endif
