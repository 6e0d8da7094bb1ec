/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of a function, path or goroutine, for all formats with columns. */
#ifndef GOTRACE_STAT_COLUMNS_H
#define GOTRACE_STAT_COLUMNS_H

#include "model/model.h"

/* A column of functions and paths. The list ends with a NULL name. Times are nanoseconds. */
struct stat_column {
	const char *name;
	uint64_t (*get)(const struct call_stats *st);
	uint64_t (*shown)(const struct call_stats *st); /* the corrected number; may be NULL */
	bool of_finished;   /* empty where no finished call has a duration */
	bool of_correction; /* empty when times are not corrected */
	bool of_hist;       /* paths do not have it */
	bool of_states;     /* only for traces with states */
	bool of_events;     /* samples do not have it */
};
extern const struct stat_column stat_columns[];

/* A column of a goroutine, or of all goroutines of one creation site. The list ends with a NULL
 * name. */
struct goroutine_column {
	const char *name;
	uint64_t (*get)(const struct goroutine_info *g);
	bool of_states; /* a part of its life; only for traces with states */
};
extern const struct goroutine_column goroutine_columns[];

/* Returns whether the column is not empty. */
bool stat_has(const struct stat_column *c, const struct call_stats *st);

/* Returns whether there was a call, or a prologue that was stopped and never went on. */
bool stat_any(const struct call_stats *st);
/* Returns the corrected part of self_ns in which the goroutine ran. Without states that is all of
 * it. */
static inline uint64_t stat_run_ns(const struct call_stats *st)
{
	return st->self_ns - off_times_sum(&st->off_self);
}
/* Returns the time that the correction took out of that. */
static inline uint64_t stat_run_probe_ns(const struct call_stats *st)
{
	return st->probe_ns - st->off_probe_ns - st->ready_probe_ns;
}
/* Returns the corrected part of total_ns in which the goroutine ran. */
uint64_t stat_total_run_ns(const struct call_stats *st);
/* Returns the part of a goroutine's life in which it ran, with states. */
uint64_t goroutine_run_ns(const struct goroutine_info *g);
/* Returns a time, ns; the share q (0 to 1) of finished calls took no longer. It is not outside of
 * the range seen, as a bucket's middle may be. */
uint64_t stat_quantile(const struct call_stats *st, double q);

const char *call_end_name(enum call_end end);

#endif
