/* SPDX-License-Identifier: BSD-2-Clause */
/* The options by which record chooses the events that the trace gets. */
#ifndef GOTRACE_KEEP_OPTIONS_H
#define GOTRACE_KEEP_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

struct keep_options {
	bool summary;             /* --summary: counts and sums, no events */
	uint64_t min_duration_ns; /* --min-duration; 0: not given */
};

/* A child of record's parser; its input is a struct keep_options. */
extern const struct argp keep_argp;

#endif
