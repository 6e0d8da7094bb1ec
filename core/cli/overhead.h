/* SPDX-License-Identifier: BSD-2-Clause */
/* The output of gotrace overhead on runs of a command. */
#ifndef GOTRACE_OVERHEAD_H
#define GOTRACE_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/record_run.h"
#include "stats/rounds.h"

/* The variants of a round. */
enum { OVERHEAD_UNTRACED, OVERHEAD_AGAIN, OVERHEAD_TRACED, OVERHEAD_VARIANTS };

/* The measurements. The caller frees `rounds` with rounds_free. */
struct overhead {
	const char *command;   /* borrowed */
	struct rounds *rounds; /* groups "wall", "cpu", "besides" */
	uint64_t n;            /* complete rounds */
	uint64_t events, lost_events, lost_runs;
};

/* Adds a run of a round. whole_ns: duration of all work of gotrace for it. Returns 0 or -ENOMEM. */
int overhead_add(struct overhead *o, uint64_t round, int variant, const struct record_measured *m,
		 uint64_t whole_ns);

/* Prints the slowdown and its certainty. Returns 0 or -ENOMEM. */
int overhead_print(const struct overhead *o, FILE *out);

#endif
