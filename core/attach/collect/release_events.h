/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Releases functions while the trace is recorded. The collector decides the moment: between two
 * rounds it writes an EV_RELEASED, and no event of the function afterwards. So the trace is exact,
 * although probes are detached later.
 *
 * One thread uses _ask, _all_done, _double and _single. The collector uses the rest.
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
	uint32_t func; /* function of the plan */
	uint64_t probe_ns, cpu_ns;
};

/* Returns NULL without memory. */
struct releases *releases_new(const struct plan *plan);
void releases_free(struct releases *r);

/* Asks for a release with the next round. All earlier requests must be done. */
void releases_ask(struct releases *r, const struct release *list, size_t n);
bool releases_all_done(const struct releases *r);
/* Notes that links are attached whose records have EVF_WIRE_SECOND, or lack it if `first`. From now
 * on hits may be recorded twice. */
void releases_double(struct releases *r, bool first);
/* Notes that the replaced links are gone as of now_ns. */
void releases_single(struct releases *r, uint64_t now_ns);
/* Returns the number of hits of released functions so far. They are not recorded. */
uint64_t releases_hits(const struct releases *r);

/* Ends a round. Everything older than now_ns has been written. Returns 0, or the error of `write`.
 */
int releases_write(struct releases *r, uint64_t now_ns,
		   int (*write)(void *ctx, const struct event_ext *ev), void *ctx);
/* Returns 1 if an event must not be recorded, 0 if it must, or -ENOMEM. */
int releases_drop(struct releases *r, const struct event *ev);
/* Passes the events to record to `write`, in runs. Returns 0, or the error of `write`. */
int releases_sift(struct releases *r, const struct event *ev, size_t n,
		  int (*write)(void *ctx, const struct event *ev, size_t n), void *ctx);

#endif
