/* SPDX-License-Identifier: BSD-2-Clause */
/* Parked goroutines. Their waits are no reason why anything took long. */
#ifndef GOTRACE_PARKED_H
#define GOTRACE_PARKED_H

#include "model/places.h"

/* Waits of parked goroutines in one path, of one reason. */
struct parked_place {
	uint32_t path, func, reason; /* those of struct path_waits */
	uint64_t goroutines;
	uint64_t ns, n; /* the time that they waited there, and the number of waits */
	/* the part of goroutines that lived for less than half of the recording */
	uint64_t young, young_ns, young_n;
};

struct parked;

/* Borrows info. NULL and errno. */
struct parked *parked_new(const struct trace_info *info);
/* Returns an independent copy. To be called before parked_leave_out. NULL: no memory. */
struct parked *parked_copy(const struct parked *p);
void parked_free(struct parked *p);

/* model_options.on_place, with a struct parked as its context. */
void parked_add(void *parked, const struct goroutine_place *place);

/*
 * Finds parked goroutines, and takes their waits out of the model. To be called after model_finish,
 * of a model with model_options.wakes.
 * span_ns: the length of the recording.
 *
 * A parked goroutine waits to the end of the recording, and parked_rule holds for its waits in one
 * path for one reason. It does not wait in a callback (calls/callback.h), unless for the network. A
 * loop of its own is its outermost call, which waits there at least four times. A wait for a
 * condition (sync.Cond) is one in any call, if functions that its outermost call does not call end
 * half of these waits. Where a goroutine accepts connections, the number of waits does not count.
 * It waits for the network, and starts a goroutine for at least every second wait.
 *
 * A parked goroutine lived for half of the recording, or it belongs to a growing leak. In a leak as
 * many other goroutines are that old, and hardly any goroutine has left the path. Where next to
 * nothing would remain, nothing is left out. 0 or -ENOMEM.
 */
int parked_leave_out(struct parked *p, struct model *m, uint64_t span_ns);

/* Returns the n places that were left out, the longest first; NULL when there are none. */
const struct parked_place *parked_places(const struct parked *p, size_t *n);

/* Returns the time that was left out, ns. */
uint64_t parked_ns(const struct parked *p);

/* Goroutines that began with one function and wait for one reason. */
struct parked_group {
	uint32_t first, reason;
	uint64_t goroutines;
};
/* Returns the line of parked_say for these groups, and changes their order. */
char *parked_groups_say(struct parked_group *g, size_t n, uint64_t ns,
			const struct trace_info *info);

/* Returns "left out: 4.1h of 1002 parked goroutines (--parked shows it): 1000 of main.idle (chan
 * receive), ...". The caller frees it. NULL when nothing is left out, or without memory. */
char *parked_say(const struct parked *p, const struct model *m, const struct trace_info *info);

#endif
