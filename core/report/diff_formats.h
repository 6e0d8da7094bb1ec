/* SPDX-License-Identifier: BSD-2-Clause */
/* Two traces compared: what changed in calls, total and self of each function or path. */
#ifndef GOTRACE_DIFF_FORMATS_H
#define GOTRACE_DIFF_FORMATS_H

#include "analysis/diff/diff_verdict.h"
#include "report/report.h"

/* By the size of the change, the largest first. DIFF_AUTO: of RUN where both sides have states,
 * else of SELF. */
enum diff_sort { DIFF_AUTO, DIFF_RUN, DIFF_SELF, DIFF_TOTAL, DIFF_CALLS, DIFF_NAME };

/* --fail-if: RUN of no function that matches may grow by more than pct for sure. */
struct diff_limit {
	const char *functions; /* a glob; NULL: of all */
	double pct;
	const char *as_given;
	size_t n_over; /* set by the comparison, which names each */
};

struct diff_options {
	enum report_by by; /* BY_FUNCTION or BY_PATH */
	enum diff_sort sort;
	size_t limit;         /* rows; 0: all */
	double threshold_pct; /* struct diff_bar; rows without a change are counted, not shown */
	uint64_t min_ns;
	bool colour;
	unsigned width;      /* of the terminal that text is for: names are cut to fit; 0: never */
	bool raw;            /* times as measured, what probes cost included */
	const char *file[2]; /* how the output calls A and B */
	struct diff_limit *limit_of_run; /* NULL: none */
};

struct diff_format {
	const char *name; /* "text", "csv", "json", "folded" */
	/* Reads both traces to their ends and writes what changed from the first to the second.
	 * 0 or -errno (logged). csv has no room for what was folded and for notes: they are logged.
	 */
	int (*write)(struct trace_reader *const r[2], const struct diff_options *opt, FILE *out);
};

/* Ends with an entry whose name is NULL. */
extern const struct diff_format diff_formats[];

#endif
