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
	CALL_TAIL,     /* ended by a jump to a function that is not probed: finished, marked */
	CALL_INFERRED, /* neither exit nor unwinding was seen, a later event shows that it is over:
			  always suspect, ended at that event; neither finished nor unwound nor
			  unfinished */
};

/* Flags of a frame. A client's own begin with PAIR_OWN. */
#define PAIR_STOPPED  1 /* its prologue called morestack (thesis): its entry comes again */
#define PAIR_TAILED   2 /* jumped to a probed function, whose exit ends it too */
#define PAIR_RELEASED 4 /* its function was released; it ends with the call open in it */
#define PAIR_SUSPECT  8 /* its times may be wrong: an event of it is missing */
#define PAIR_OWN      16

/* The function of a stopped prologue, when it is none of the trace's. */
#define STOP_ANY      0xffffffffu /* not known */
#define STOP_UNPROBED 0xfffffffeu

/* Where a table of stacks has the one of that number, if it was looked for lately. */
#define PAIR_RECENT_MAX    64
#define PAIR_RECENT(t, id) (&(t)->recent[(id)*0x9e3779b97f4a7c15ull >> 58])

struct pair_site {
	uint32_t func, target; /* TRACE_NONE: none of the trace's */
};

/* Zeroed: of a trace without functions. */
struct pairing {
	struct pair_site *sites;
	size_t n_sites, n_funcs;
	struct func_ranges ranges;
	uint64_t *released_ns;  /* by function: time of its release, or 0; NULL without any */
	size_t n_released_open; /* frames that are PAIR_RELEASED */
};

/* 0 or -ENOMEM; pair_free in either case. */
int pair_init(struct pairing *p, const struct trace_info *info);
void pair_free(struct pairing *p);

/* Nothing is recorded of func from ts_ns on. 0 or -ENOMEM. */
int pair_set_released(struct pairing *p, uint32_t func, uint64_t ts_ns);

static inline bool pair_is_released(const struct pairing *p, uint32_t func)
{
	return __builtin_expect(p->released_ns != NULL, 0) && func < p->n_funcs &&
	       p->released_ns[func];
}

/* The functions of a site, by the number in an event. */
static inline struct pair_site pair_site(const struct pairing *p, uint32_t site)
{
	return site < p->n_sites ? p->sites[site] : (struct pair_site){ TRACE_NONE, TRACE_NONE };
}

/* Whose prologue was stopped, by EV_STOP's pc: a function, STOP_ANY or STOP_UNPROBED. */
uint32_t pair_stop_func(const struct pairing *p, uint64_t pc);

#endif
