/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times of single calls of each function, in the order in which they ended. Their spread gives the
 * error of the function's mean. At most CALL_SERIES_MOST calls are kept. If there are more, one
 * call in 2^k stays.
 */
#ifndef GOTRACE_CALL_SERIES_H
#define GOTRACE_CALL_SERIES_H

#include "analysis/trace_load.h"

#define CALL_SERIES_MOST      1024 /* most drawn calls of a function */
#define CALL_SERIES_LEAST     20   /* fewest calls for the spread of calls */
#define CALL_SERIES_LOW_LEAST 40   /* fewest calls for call_series_low */

/* Without states CALL_RUN is all of a call's self time. CALL_SELF and CALL_TOTAL are without
 * off-CPU time. */
enum call_part { CALL_RUN, CALL_SELF, CALL_TOTAL, CALL_PARTS };

struct drawn_call {
	uint64_t number; /* ordinal among the function's calls */
	uint64_t ns[CALL_PARTS];
};

/* Figures of one part of the calls of a function; the functions below explain them. */
struct call_figures {
	double mean_ns, error, low_ns, floor_ns, low_error;
};

/* Finished calls of a function, without suspect ones. Times are as measured, with the cost of
 * probes. */
struct call_series {
	struct drawn_call *calls;
	size_t n, cap;
	unsigned one_in_bits;  /* one of 2^one_in_bits calls was drawn */
	uint64_t finished;     /* number of all calls */
	uint64_t sum_total_ns; /* CALL_TOTAL of all calls */
	struct hist total;     /* CALL_TOTAL of all calls */
	bool settled;          /* `figures` are those of all calls */
	struct call_figures figures[CALL_PARTS];
};

struct calls_of_all {
	struct trace_watch watch; /* for trace_load */
	struct call_series *of;   /* by function; functions above n have none */
	size_t n;
	/* the longest time that one call by itself would have run but had no processor */
	uint64_t longest_off_ns;
};

/* Makes it empty. A trace_load with its watch fills it, and it must not be moved until then. */
void calls_of_all_begin(struct calls_of_all *all);
void calls_of_all_free(struct calls_of_all *all);
/* Computes the figures of each function once, because many paths may ask for them. To be called
 * after all calls were added. */
void calls_of_all_settle(struct calls_of_all *all);
/* Returns the calls of a function; NULL when it has none. */
const struct call_series *calls_of_func(const struct calls_of_all *all, size_t func);

/* Adds a call. 0 or -ENOMEM. */
int call_series_add(struct call_series *s, const uint64_t ns[CALL_PARTS]);
void call_series_free(struct call_series *s);

/* Returns the mean of the drawn calls, ns; NAN without calls. */
double call_series_mean(const struct call_series *s, enum call_part part);
/* Returns the relative standard error of the mean. It comes from the means of up to 32 stretches of
 * the recording, because calls next to each other are disturbed alike. NAN: too few calls, or they
 * took no time. */
double call_series_error(const struct call_series *s, enum call_part part);
/* Returns that error for a distribution, as if calls were independent. */
double call_series_error_of_hist(const struct hist *h);
/* Returns the time, ns, that a tenth of the calls did not exceed. Other programs disturbed these
 * calls least. call_series_low_error returns its relative standard error, from up to 16 stretches.
 * NAN: fewer than CALL_SERIES_LOW_LEAST calls were drawn, or they took no time. */
double call_series_low(const struct call_series *s, enum call_part part);
/* Returns the floor, which a hundredth of the calls did not exceed. Where it is far below
 * call_series_low, many calls are disturbed, or calls differ much. Then call_series_low may be
 * anywhere between. */
double call_series_floor(const struct call_series *s, enum call_part part);
double call_series_low_error(const struct call_series *s, enum call_part part);

#endif
