/* SPDX-License-Identifier: BSD-2-Clause */
/* gotrace report: where the time of a recorded program went, for people and for programs. */
#ifndef GOTRACE_REPORT_H
#define GOTRACE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/trace_load.h"

/* BY_REASON: a row for each function and reason for which goroutines waited in its calls. BY_LABEL
 * and what is behind it: of samples only. */
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
/* SORT_DEFAULT: self; siblings in a tree of paths by share; calls as they began. BY_CALL knows
 * SORT_SELF and SORT_TOTAL only. */
enum report_sort {
	SORT_DEFAULT,
	SORT_SELF,
	SORT_TOTAL,
	SORT_CALLS,
	SORT_MORESTACK, /* up to here for goroutines, too, and those of states */
	SORT_COST,
	SORT_MEAN, /* of finished calls, as the next ones */
	SORT_MAX,  /* up to here for paths, too, and those of states */
	SORT_P50,
	SORT_P99,
	/* parts of self, or of a goroutine's life: in traces with states only */
	SORT_RUN,
	SORT_READY,
	SORT_WAIT,
	SORT_SYSCALL,
	SORT_OFF_CPU,
};

struct report_options {
	const struct trace_view *view; /* the part of the trace that counts; NULL: all */
	enum report_by by;
	enum report_sort sort;
	size_t limit; /* rows; 0: all */
	bool colour;
	unsigned width; /* of the terminal that text is for: names are cut to fit; 0: never */
	bool wide;      /* text: all columns and names whole, whatever the width */
	/* BY_FUNCTION and BY_PATH: names of columns between commas (columns.h); NULL: those
	 * that fit, of csv and json all */
	const char *columns;
	const char *file;           /* the trace's, of commands that lead on; NULL: the default */
	bool raw;                   /* times as measured, what probes cost included */
	enum correct_by correct_by; /* unless raw */
	/* BY_FUNCTION: instead of a row, how long the calls of functions that match took; NULL:
	 * rows */
	const char *hist;
	unsigned depth; /* BY_PATH: only paths of at most so many functions; 0: all */
	/* BY_PATH: only paths that have, with all below them, this share of the time */
	double min_share_pct;
	/* BY_PATH: instead of paths from the outermost call down, the callers of functions that
	 * match any of these globs, from them up */
	const char *const *callers;
	size_t n_callers;
	/* BY_GOROUTINE: a row for all of one creation site and first function */
	bool fold;
	/* BY_CALL: calls that begin in [from, to) since the trace's start; to 0: end */
	uint64_t from_ns, to_ns;
	uint64_t min_ns; /* BY_CALL: only calls at least this long */
	/* set by text and JSON: the answer (analysis/answer.h) stands before the rows */
	bool answer;
	/* set by text: the report has the answer. Functions that wait for their callers
	 * (analysis/calls/fold_waits.h) have rows only with `waits` */
	bool text;
	bool waits;
	/* BY_FUNCTION as text: writes what to select to see more; NULL: nothing is said */
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
