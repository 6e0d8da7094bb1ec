/* SPDX-License-Identifier: BSD-2-Clause */
/* The answer of a recording that goes on, above the tables of `gotrace top`. */
#ifndef GOTRACE_LIVE_ANSWER_H
#define GOTRACE_LIVE_ANSWER_H

#include <stdio.h>

#include "analysis/trace_load.h"

/* Zeroed: nothing was found yet. */
struct live_answer {
	char *text;       /* owned; lines as of answer_say, NULL or empty: there is none */
	uint64_t at_ns;   /* all up to then is in it, by the clock of events */
	uint64_t due_ns;  /* CLOCK_MONOTONIC: not to be looked for before */
	uint64_t took_ns; /* to find it */
};

/* Looks for the answer of t, which live_trace_look has read up to up_to_ns, if that is due; t is
 * without the waits of parked goroutines then. looking_ns: since when t was read and worked on. So
 * that no look takes long, the next one is later where this one took half of the interval. 0 or
 * -errno (logged). */
int live_answer_find(struct live_answer *a, struct loaded_trace *t, uint64_t up_to_ns,
		     uint64_t looking_ns, uint64_t interval_ns);
/* When the next answer may be looked for: now, or after that. */
uint64_t live_answer_due(uint64_t now_ns, uint64_t look_ns, uint64_t answer_ns,
			 uint64_t interval_ns);
/* Prints it, and how old it is at up_to_ns. Returns how many lines of a terminal that takes; width
 * 0: they are not broken. */
size_t live_answer_print(const struct live_answer *a, uint64_t up_to_ns, bool colour,
			 unsigned width, FILE *out);
void live_answer_free(struct live_answer *a);

#endif
