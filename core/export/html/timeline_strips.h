/* SPDX-License-Identifier: BSD-2-Clause */
/* The amount of each kind of time in stretches of equal length, in bounded memory. */
#ifndef GOTRACE_TIMELINE_STRIPS_H
#define GOTRACE_TIMELINE_STRIPS_H

#include <stddef.h>
#include <stdint.h>

#define TIMELINE_BINS 1024

struct timeline_strip {
	uint32_t key;
	uint64_t bins[TIMELINE_BINS]; /* ns */
};

/* All fields are zero at the beginning. */
struct timeline_strips {
	struct timeline_strip *all;
	size_t n, cap;
	uint64_t bin_ns;   /* 0 before the first time; it doubles with time */
	uint64_t left_out; /* times in no strip, because there were too many keys */
};

/* Adds a time from from_ns to to_ns, both since the beginning. 0 or -ENOMEM */
int timeline_strips_add(struct timeline_strips *s, uint32_t key, uint64_t from_ns, uint64_t to_ns);
void timeline_strips_free(struct timeline_strips *s);

#endif
