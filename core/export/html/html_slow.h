/* SPDX-License-Identifier: BSD-2-Clause */
/* The slowest calls of each function, with their states, for the page. */
#ifndef GOTRACE_HTML_SLOW_H
#define GOTRACE_HTML_SLOW_H

#include "base/json.h"
#include "model/model.h"

#define HTML_SLOW  50 /* calls of a function; fewer where the trace has many functions */
#define HTML_PARTS 6  /* the longest parts of a call */

/* A call, with its longest states and waits, the longest first. Shorter ones are left out. */
struct html_slow_call {
	uint64_t start_ns, ns;
	uint64_t id; /* goid, or for a system stack the thread id */
	uint64_t order;
	uint32_t image, level;
	bool system;
	uint8_t n_parts;
	struct html_part {
		uint32_t what; /* STATE_DEPTH(state, reason) */
		uint64_t ns;
	} parts[HTML_PARTS];
};

/* By function: a heap, the fastest call on top. html_slow_finish sorts it, the slowest first. */
struct html_slow {
	struct html_slow_func {
		struct html_slow_call *calls;
		size_t n, cap;
		uint64_t all_ns; /* time of all its calls with a duration */
	} * funcs;
	size_t n_funcs, most;
	int err;
};

/* To be called when a call ends. The trace has n_funcs functions. */
void html_slow_call(struct html_slow *s, size_t n_funcs, const struct call *c);
/* Sorts each function's calls, the slowest last. That is a heap, too, so that calls can still be
 * added. */
void html_slow_sort(struct html_slow *s);
/* To be called after the last call. 0 or -ENOMEM */
int html_slow_finish(struct html_slow *s);
void html_slow_free(struct html_slow *s);

#endif
