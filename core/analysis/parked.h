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
	/* the part of it that goroutines have which lived for less than half of the recording */
	uint64_t young, young_ns, young_n;
};

struct parked;

/* Borrows info. NULL and errno. */
struct parked *parked_new(const struct trace_info *info);
/* One that goes on by itself; before parked_leave_out. NULL: no memory. */
struct parked *parked_copy(const struct parked *p);
void parked_free(struct parked *p);

/* model_options.on_place, with a struct parked as its context. */
void parked_add(void *parked, const struct goroutine_place *place);

/*
 * After model_finish: decides who was parked, and takes their waits out of the model. span_ns: how
 * long was recorded. A goroutine is parked that waits to the end of the recording, and waited for
 * 95 % of its life in that path for that reason, in at most three waits; or in any number, if it
 * waits for the network and starts a goroutine for every second wait at least: it accepts
 * connections. It lived for half of the recording, or it is one of a leak that grows: as many
 * others are that old, and hardly any goroutine has left the path. Where next to nothing is left,
 * nothing is left out. 0 or -ENOMEM.
 */
int parked_leave_out(struct parked *p, struct model *m, uint64_t span_ns);

/* The n places that were left out, the longest first; NULL: nothing was. */
const struct parked_place *parked_places(const struct parked *p, size_t *n);

/* How much was left out, ns. */
uint64_t parked_ns(const struct parked *p);

/* Goroutines that began with one function and wait for one reason. */
struct parked_group {
	uint32_t first, reason;
	uint64_t goroutines;
};
/* The line of parked_say, of these groups, whose order changes. */
char *parked_groups_say(struct parked_group *g, size_t n, uint64_t ns,
			const struct trace_info *info);

/* "left out: 4.1h of 1002 parked goroutines (--parked shows it): 1000 of main.idle (chan receive),
 * ...", to be freed; NULL: nothing is left out, or no memory. */
char *parked_say(const struct parked *p, const struct model *m, const struct trace_info *info);

#endif
