/* SPDX-License-Identifier: BSD-2-Clause */
/* Goroutines that are parked: their waiting is no reason why anything took long. */
#ifndef GOTRACE_PARKED_H
#define GOTRACE_PARKED_H

#include "model/places.h"

/* Waits of parked goroutines in one path, of one reason. */
struct parked_place {
	uint32_t path, func, reason; /* as in struct path_waits */
	uint64_t goroutines;
	uint64_t ns, n; /* how long they waited there, in how many waits */
	uint64_t young; /* goroutines that lived for less than half of what was recorded */
	uint64_t young_ns, young_n;
};

struct parked;

/* NULL and errno. */
struct parked *parked_new(void);
void parked_free(struct parked *p);

/* model_options.on_place, with a struct parked as its context. */
void parked_add(void *parked, const struct goroutine_place *place);

/*
 * After model_finish: decides who was parked, and takes their waits out of the model. span_ns: how
 * long was recorded. A goroutine is parked that waited for 95 % of its life in one path for one
 * reason, in at most three waits, and
 * - lived for half of what was recorded, or
 * - waits in a path that hardly any goroutine has left: a leak that grows.
 * Main is not once it has ended: the program took as long as main. Where next to nothing is left,
 * nothing is left out. 0 or -ENOMEM.
 */
int parked_leave_out(struct parked *p, struct model *m, uint64_t span_ns);

/* What was left out: n places, the longest first; NULL: nothing. */
const struct parked_place *parked_places(const struct parked *p, size_t *n);

/* "left out: 4.1h of 1002 parked goroutines (--parked shows it): 1000 of main.idle (chan receive),
 * ...", to be freed; NULL: nothing is left out, or no memory. */
char *parked_say(const struct parked *p, const struct model *m, const struct trace_info *info);

#endif
