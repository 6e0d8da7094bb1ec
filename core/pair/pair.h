/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The facts that every client of pairing needs: the function of each site, and the released
 * functions. frames.h and rules.h have the rules, stacks.h finds stacks.
 */
#ifndef GOTRACE_PAIR_H
#define GOTRACE_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pair/func_ranges.h"
#include "trace/trace.h"

/* How a call ended. */
enum call_end {
	CALL_FINISHED, /* its exit was seen */
	CALL_UNWOUND,  /* a panic or Goexit removed its frame */
	/* still open at the end of the trace or image, or when its function was released (then up
	 * to the end of the last call that was open in it) */
	CALL_UNFINISHED,
	CALL_TAIL, /* ended by a jump to a function that is not probed; finished, and marked */
	/* Neither exit nor unwinding was seen, but a later event shows that it is over. It is
	 * always suspect and ends at that event. It is neither finished nor unwound nor
	 * unfinished. */
	CALL_INFERRED,
};

/* Flags of a frame. A client's own begin with PAIR_OWN. */
#define PAIR_STOPPED  1 /* its prologue called morestack (thesis), so its entry comes again */
#define PAIR_TAILED   2 /* it jumped to a probed function, whose exit ends it, too */
#define PAIR_RELEASED 4 /* its function was released, so it ends with the call open in it */
#define PAIR_SUSPECT  8 /* its times may be wrong, because an event of it is missing */
#define PAIR_OWN      16

/* The function of a stopped prologue, when it is none of the trace's. */
#define STOP_ANY      0xffffffffu /* not known */
#define STOP_UNPROBED 0xfffffffeu

/* The place in a table of stacks for the stack of that number, if it was looked for lately. */
#define PAIR_RECENT_MAX    64
#define PAIR_RECENT(t, id) (&(t)->recent[(id)*0x9e3779b97f4a7c15ull >> 58])

struct pair_site {
	uint32_t func, target; /* TRACE_NONE for a function that is not the trace's */
};

/* A zeroed one is for a trace without functions. */
struct pairing {
	struct pair_site *sites;
	size_t n_sites, n_funcs;
	struct func_ranges ranges;
	uint64_t *released_ns;  /* by function: time of its release, or 0; NULL without any */
	size_t n_released_open; /* frames that are PAIR_RELEASED */
};

/* Returns 0 or -ENOMEM. The caller calls pair_free in either case. */
int pair_init(struct pairing *p, const struct trace_info *info);
void pair_free(struct pairing *p);

/* Notes that no event of func is recorded from ts_ns on. Returns 0 or -ENOMEM. */
int pair_set_released(struct pairing *p, uint32_t func, uint64_t ts_ns);

static inline bool pair_is_released(const struct pairing *p, uint32_t func)
{
	return __builtin_expect(p->released_ns != NULL, 0) && func < p->n_funcs &&
	       p->released_ns[func];
}

/* Returns the functions of a site, by the number in an event. */
static inline struct pair_site pair_site(const struct pairing *p, uint32_t site)
{
	return site < p->n_sites ? p->sites[site] : (struct pair_site){ TRACE_NONE, TRACE_NONE };
}

/* Returns the function whose prologue was stopped, by EV_STOP's pc. It may be STOP_ANY or
 * STOP_UNPROBED. */
uint32_t pair_stop_func(const struct pairing *p, uint64_t pc);

#endif
