/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times of single calls of each function, in the order in which they ended. Their spread gives the
 * error of the function's mean. At most CALL_SERIES_MOST calls are kept: if there are more, one
 * call in 2^k stays.
 */
#ifndef GOTRACE_CALL_SERIES_H
#define GOTRACE_CALL_SERIES_H

#include "analysis/trace_load.h"

#define CALL_SERIES_MOST      1024 /* drawn calls of a function */
#define CALL_SERIES_LEAST     20   /* calls that say how much calls differ */
#define CALL_SERIES_LOW_LEAST 40   /* likewise of call_series_low */

/* Without states CALL_RUN is all of a call's self time. SELF and TOTAL are less OFF-CPU. */
enum call_part { CALL_RUN, CALL_SELF, CALL_TOTAL, CALL_PARTS };

struct drawn_call {
	uint64_t number; /* among the function's */
	uint64_t ns[CALL_PARTS];
};

/* Figures of one part of the calls of a function; the functions below explain them. */
struct call_figures {
	double mean_ns, error, low_ns, floor_ns, low_error;
};

/* Finished calls of a function, without suspect ones. Times as measured, what probes cost
 * included. */
struct call_series {
	struct drawn_call *calls;
	size_t n, cap;
	unsigned one_in_bits;  /* one of 2^this was drawn */
	uint64_t finished;     /* all of them */
	uint64_t sum_total_ns; /* of all: CALL_TOTAL */
	struct hist total;     /* of all: CALL_TOTAL */
	bool settled;          /* `figures` are those of all calls */
	struct call_figures figures[CALL_PARTS];
};

struct calls_of_all {
	struct trace_watch watch; /* for trace_load */
	struct call_series *of;   /* by function; those above n have none */
	size_t n;
	uint64_t longest_off_ns; /* the most that one call by itself would have run, but did not */
};

/* Empty, to be filled by a trace_load with its watch: it must not be moved until then. */
void calls_of_all_begin(struct calls_of_all *all);
void calls_of_all_free(struct calls_of_all *all);
/* Once all calls were added: figures of a function, which many paths may ask for, are made once. */
void calls_of_all_settle(struct calls_of_all *all);
/* A function's; NULL: it has none. */
const struct call_series *calls_of_func(const struct calls_of_all *all, size_t func);

/* One more. 0 or -ENOMEM. */
int call_series_add(struct call_series *s, const uint64_t ns[CALL_PARTS]);
void call_series_free(struct call_series *s);

/* The mean of the drawn calls, ns; NAN: there are none. */
double call_series_mean(const struct call_series *s, enum call_part part);
/* The relative standard error of the mean: from the means of up to 32 stretches of the recording,
 * as calls beside each other have the same disturbance. NAN: too few calls, or they took no time.
 */
double call_series_error(const struct call_series *s, enum call_part part);
/* The same of a distribution, as if no call had to do with another. */
double call_series_error_of_hist(const struct hist *h);
/* A tenth of the calls took no longer, ns: what other programs disturbed least. And its relative
 * standard error, from up to 16 stretches. NAN: fewer than CALL_SERIES_LOW_LEAST were drawn, or
 * they took no time. */
double call_series_low(const struct call_series *s, enum call_part part);
/* A hundredth took no longer: the floor. Where that is far below call_series_low, so many calls are
 * disturbed, or so different, that the latter may be anywhere between. */
double call_series_floor(const struct call_series *s, enum call_part part);
double call_series_low_error(const struct call_series *s, enum call_part part);

#endif
