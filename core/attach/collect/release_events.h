/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that are released while the trace is recorded. When it happens is the collector's to
 * say: between two rounds it writes an EV_RELEASED, and no event of the function from there on. So
 * the trace is exact whenever its probes are detached, which is done afterwards.
 *
 * _ask, _all_done, _double and _single are for one thread, the rest is the collector's.
 */
#ifndef GOTRACE_RELEASE_EVENTS_H
#define GOTRACE_RELEASE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/event.h"
#include "plan/plan.h"

struct releases;

/* A function to be released, and why. */
struct release {
	uint32_t func; /* of the plan */
	uint64_t probe_ns, cpu_ns;
};

/* NULL: no memory. */
struct releases *releases_new(const struct plan *plan);
void releases_free(struct releases *r);

/* To be released with the next round; all that was asked for before must be done. */
void releases_ask(struct releases *r, const struct release *list, size_t n);
bool releases_all_done(const struct releases *r);
/* From now on links are attached whose records have EVF_WIRE_SECOND, or have it not when `first`:
 * hits may be recorded twice. */
void releases_double(struct releases *r, bool first);
/* The links they replace are gone as of now_ns. */
void releases_single(struct releases *r, uint64_t now_ns);
/* Hits of released functions so far, which are not recorded. */
uint64_t releases_hits(const struct releases *r);

/* Ends a round, of which everything older than now_ns has been written. 0, or the error of
 * `write`. */
int releases_write(struct releases *r, uint64_t now_ns,
		   int (*write)(void *ctx, const struct event_ext *ev), void *ctx);
/* Whether an event is not to be recorded: 1 yes, 0 no, -ENOMEM. */
int releases_drop(struct releases *r, const struct event *ev);
/* Hands on those of n events that are to be recorded, in runs. 0, or the error of `write`. */
int releases_sift(struct releases *r, const struct event *ev, size_t n,
		  int (*write)(void *ctx, const struct event *ev, size_t n), void *ctx);

#endif
