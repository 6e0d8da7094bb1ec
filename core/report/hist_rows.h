/* SPDX-License-Identifier: BSD-2-Clause */
/* report --hist shows the durations of functions' calls as histograms. */
#ifndef GOTRACE_HIST_ROWS_H
#define GOTRACE_HIST_ROWS_H

#include "base/json.h"
#include "report/rows.h"

/* The most bars of one histogram. */
#define HIST_BARS 24

/* Calls that took from_ns or longer and less than to_ns. */
struct hist_bar {
	uint64_t from_ns, to_ns, calls;
};

/* Makes bars of equal shares of a power of two, as fine as HIST_BARS allows, from the first with a
 * call to the last. Returns their number. */
size_t hist_bars(const struct hist *h, struct hist_bar bars[HIST_BARS]);

int hist_text(const struct report *rep, FILE *out);
int hist_csv(const struct report *rep, FILE *out);
int hist_json(const struct report *rep, struct json *j);

#endif
