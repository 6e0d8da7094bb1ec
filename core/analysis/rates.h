/* SPDX-License-Identifier: BSD-2-Clause */
/* What happened between two looks at a recording that goes on. */
#ifndef GOTRACE_RATES_H
#define GOTRACE_RATES_H

#include "analysis/trace_load.h"

/* A function in the time between two looks. */
struct rate {
	uint32_t func;
	uint64_t calls, before;  /* before: in the time between the two looks before */
	uint64_t self_ns;        /* corrected if the trace is */
	uint64_t p50_ns, p99_ns; /* of the calls that finished in it; 0: none */
	bool unsure;             /* its corrected self time is less than what that may be off */
	bool doubtful;           /* that, or probes took too much of it (correction_doubtful) */
};

struct rates {
	struct rate *rows; /* of functions that did anything, in no order */
	size_t n, cap;
	uint64_t span_ns, before_ns; /* the time between, and that between the two looks before */
	uint64_t calls, self_ns, lost_events;
	bool compares; /* `before` is known */
};

/* What was seen last. Zeroed: nothing yet. */
struct rates_base {
	uint64_t looks, up_to_ns, span_ns, lost_events;
	struct rates_func {
		uint64_t calls, self_ns,
			rate; /* self: as measured; rate: calls between the last two looks */
		struct hist hist;
	} * funcs;
	size_t n;
};

/* What is in t and was not in base, which is what t says then; up_to_ns: when it was so. Nothing at
 * the first look. 0 or -ENOMEM; rates_free in either case. */
int rates_find(struct rates *to, struct rates_base *base, const struct loaded_trace *t,
	       uint64_t up_to_ns);
/* The first one of sorted rows that is certain goes before those above it. */
void rates_sure_first(struct rates *r);
void rates_free(struct rates *r);
void rates_base_free(struct rates_base *b);

#endif
