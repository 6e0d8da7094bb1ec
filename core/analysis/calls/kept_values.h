/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps arguments and results of calls, and their goroutines' states, on disk, so that memory does
 * not grow with them.
 */
#ifndef GOTRACE_KEPT_VALUES_H
#define GOTRACE_KEPT_VALUES_H

#include <stdio.h>

#include "model/model.h"

struct kept_values {
	FILE *file; /* an unlinked file in $TMPDIR; NULL before the first call */
	uint64_t end;
	bool reading;
	uint8_t *data; /* data of the values read last */
	size_t cap;
	struct trace_values sets[2];
	struct call_wait *waits; /* the waits read last */
	size_t cap_waits;
};

/* Sets *c to a copy of `from` that may be stored. It has `kept` in place of `values` and `states`.
 * 0 or -errno (logged). */
int kept_values_put(struct kept_values *k, const struct call *from, struct call *c);
/* Sets *s to the times in which the call's goroutine did not run, and its waits, the longest total
 * first. They are valid until the next get. No call may be put in after this. 0 or -errno
 * (logged) */
int kept_states_get(struct kept_values *k, const struct call *c, struct call_states *s);
/* Sets *v to the values of a stored call, valid until the next get. No call may be put in after
 * this. 0 or -errno (logged). */
int kept_values_get(struct kept_values *k, const struct call *c, struct call_values *v);
void kept_values_free(struct kept_values *k);

#endif
