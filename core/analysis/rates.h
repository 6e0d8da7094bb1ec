/* SPDX-License-Identifier: BSD-2-Clause */
/* The changes between two looks at a running recording. */
#ifndef GOTRACE_RATES_H
#define GOTRACE_RATES_H

#include "analysis/trace_load.h"

/* A function in the time between two looks. */
struct rate {
	uint32_t func;
	uint64_t calls, before;  /* before: the calls between the previous two looks */
	uint64_t self_ns;        /* corrected, if the trace is */
	uint64_t p50_ns, p99_ns; /* percentiles of finished calls; 0 without calls */
	bool unsure;             /* its corrected self time is less than its uncertainty */
	bool doubtful;           /* that, or probes took too much of it (correction_doubtful) */
};

struct rates {
	struct rate *rows; /* functions with calls or self time, in no order */
	size_t n, cap;
	uint64_t span_ns, before_ns; /* the time between the looks, and between the previous two */
	uint64_t calls, self_ns, lost_events;
	bool compares; /* `before` is known */
};

/* The state at the last look. A zeroed struct has none. */
struct rates_base {
	uint64_t looks, up_to_ns, span_ns, lost_events;
	struct rates_func {
		uint64_t calls, self_ns,
			rate; /* self_ns: as measured; rate: calls between the last two looks */
		struct hist hist;
	} * funcs;
	size_t n;
};

/* Finds the differences of t to base, and then sets base to t. up_to_ns is the time of t. The first
 * look has no rows. 0 or -ENOMEM; rates_free in either case. */
int rates_find(struct rates *to, struct rates_base *base, const struct loaded_trace *t,
	       uint64_t up_to_ns);
/* The first one of sorted rows that is certain goes before those above it. */
void rates_sure_first(struct rates *r);
void rates_free(struct rates *r);
void rates_base_free(struct rates_base *b);

#endif
