/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of a function, path or goroutine, once for every format that has columns. */
#ifndef GOTRACE_STAT_COLUMNS_H
#define GOTRACE_STAT_COLUMNS_H

#include "model/model.h"

/* Of functions and paths; ends with a NULL name. Times are nanoseconds. */
struct stat_column {
	const char *name;
	uint64_t (*get)(const struct call_stats *st);
	uint64_t (*shown)(const struct call_stats *st); /* corrected; NULL: `get` is */
	bool of_finished;   /* empty where no finished call has a duration */
	bool of_correction; /* empty when times are not corrected */
	bool of_hist;       /* not kept for paths */
	bool of_states;     /* only of traces with states */
	bool of_events;     /* samples do not tell it */
};
extern const struct stat_column stat_columns[];

/* Of a goroutine, or of all of one creation site; ends with a NULL name. */
struct goroutine_column {
	const char *name;
	uint64_t (*get)(const struct goroutine_info *g);
	bool of_states; /* a part of its life; only of traces with states */
};
extern const struct goroutine_column goroutine_columns[];

/* Is it not empty? */
bool stat_has(const struct stat_column *c, const struct call_stats *st);

/* Did anything happen in it: a call, or a prologue that was stopped and never went on? */
bool stat_any(const struct call_stats *st);
/* The part of self_ns, corrected, in which the goroutine ran: all of it without states. */
uint64_t stat_run_ns(const struct call_stats *st);
/* The correction took so much out of it. */
uint64_t stat_run_probe_ns(const struct call_stats *st);
/* The part of total_ns, corrected, in which the goroutine ran. */
uint64_t stat_total_run_ns(const struct call_stats *st);
/* Of a goroutine's life, with states. */
uint64_t goroutine_run_ns(const struct goroutine_info *g);
/* Share q (0 to 1) of finished calls took no longer, ns; within what was seen: a bucket's middle
 * may lie outside. */
uint64_t stat_quantile(const struct call_stats *st, double q);

const char *call_end_name(enum call_end end);

#endif
