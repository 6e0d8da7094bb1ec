/* SPDX-License-Identifier: BSD-2-Clause */
/* report --hist: how long the calls of functions took, as histograms. */
#ifndef GOTRACE_HIST_ROWS_H
#define GOTRACE_HIST_ROWS_H

#include "base/json.h"
#include "report/rows.h"

/* Bars of one histogram, at most. */
#define HIST_BARS 24

/* Calls that took from_ns or longer and less than to_ns. */
struct hist_bar {
	uint64_t from_ns, to_ns, calls;
};

/* Bars of equal shares of a power of two, as fine as HIST_BARS allows, from the first that has a
 * call to the last one. How many. */
size_t hist_bars(const struct hist *h, struct hist_bar bars[HIST_BARS]);

int hist_text(const struct report *rep, FILE *out);
int hist_csv(const struct report *rep, FILE *out);
int hist_json(const struct report *rep, struct json *j);

#endif
