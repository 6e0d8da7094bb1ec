/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares two traces. It reports changes in calls, total and self of each function or path. */
#ifndef GOTRACE_DIFF_FORMATS_H
#define GOTRACE_DIFF_FORMATS_H

#include "analysis/diff/diff_verdict.h"
#include "report/report.h"

/* The order of rows: by the size of the change, the largest first. DIFF_AUTO sorts by RUN where
 * both sides have states, otherwise by SELF. */
enum diff_sort { DIFF_AUTO, DIFF_RUN, DIFF_SELF, DIFF_TOTAL, DIFF_CALLS, DIFF_NAME };

/* --fail-if: no function that matches may grow in RUN by more than pct for sure. */
struct diff_limit {
	const char *functions; /* a glob; NULL for all functions */
	double pct;
	const char *as_given;
	size_t n_over; /* set by the comparison, which reports each such function */
};

struct diff_options {
	enum report_by by; /* BY_FUNCTION or BY_PATH */
	enum diff_sort sort;
	size_t limit; /* most rows; 0 for all */
	/* that of struct diff_bar; rows without a change are counted, not shown */
	double threshold_pct;
	uint64_t min_ns;
	bool colour;
	unsigned width;      /* the terminal's width, to which text cuts names; 0 for no cut */
	bool raw;            /* times as measured, with the cost of probes */
	const char *file[2]; /* the names of A and B in the output */
	struct diff_limit *limit_of_run; /* may be NULL */
};

struct diff_format {
	const char *name; /* "text", "csv", "json", "folded" */
	/* Reads both traces to their ends and writes the changes from the first to the second. csv
	 * has no place for folded rows and notes, and logs them. 0 or -errno (logged). */
	int (*write)(struct trace_reader *const r[2], const struct diff_options *opt, FILE *out);
};

/* Ends with an entry whose name is NULL. */
extern const struct diff_format diff_formats[];

#endif
