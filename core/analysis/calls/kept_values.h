/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments and results of calls, and their goroutines' states, kept for later: on disk, so that
 * memory does not grow with them.
 */
#ifndef GOTRACE_KEPT_VALUES_H
#define GOTRACE_KEPT_VALUES_H

#include <stdio.h>

#include "model/model.h"

struct kept_values {
	FILE *file; /* an unlinked one in $TMPDIR; NULL: there are none yet */
	uint64_t end;
	bool reading;
	uint8_t *data; /* of those read last */
	size_t cap;
	struct trace_values sets[2];
	struct call_wait *waits; /* likewise */
	size_t cap_waits;
};

/* *c becomes a copy of `from` that may be stored: with `kept` in place of `values` and
 * `states`. 0 or -errno (logged). */
int kept_values_put(struct kept_values *k, const struct call *from, struct call *c);
/* When the goroutine of such a call did not run, and why it waited, the longest total first; valid
 * until the next are asked for; nothing may be put in after this. 0 or -errno (logged) */
int kept_states_get(struct kept_values *k, const struct call *c, struct call_states *s);
/* The values of such a call, valid until the next are asked for; nothing may be put in after this.
 * 0 or -errno (logged). */
int kept_values_get(struct kept_values *k, const struct call *c, struct call_values *v);
void kept_values_free(struct kept_values *k);

#endif
