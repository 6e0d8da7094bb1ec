/* SPDX-License-Identifier: BSD-2-Clause */
/* The answer of a running recording, above the tables of `gotrace top`. */
#ifndef GOTRACE_LIVE_ANSWER_H
#define GOTRACE_LIVE_ANSWER_H

#include <stdio.h>

#include "analysis/trace_load.h"

/* A zeroed struct has no answer. */
struct live_answer {
	char *text; /* owned; the lines of answer_say, or NULL or empty when there is no answer */
	uint64_t at_ns;   /* it has all events up to then, by their clock */
	uint64_t due_ns;  /* when the next one is due, CLOCK_MONOTONIC */
	uint64_t took_ns; /* the time to find it */
};

/* Finds the answer of t, which live_trace_look has read up to up_to_ns, if that is due. Afterwards
 * t has no waits of parked goroutines. looking_ns: since when t was read and worked on. No look
 * should take long, so the next answer is later where this one took half of the interval. 0 or
 * -errno (logged). */
int live_answer_find(struct live_answer *a, struct loaded_trace *t, uint64_t up_to_ns,
		     uint64_t looking_ns, uint64_t interval_ns);
/* Returns when the next answer is due: now_ns or later. */
uint64_t live_answer_due(uint64_t now_ns, uint64_t look_ns, uint64_t answer_ns,
			 uint64_t interval_ns);
/* Prints the answer and its age at up_to_ns. Returns the number of terminal lines; with width 0,
 * lines are not broken. */
size_t live_answer_print(const struct live_answer *a, uint64_t up_to_ns, bool colour,
			 unsigned width, FILE *out);
void live_answer_free(struct live_answer *a);

#endif
