/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of one kind of time there was in stretches of the same length, in bounded memory. */
#ifndef GOTRACE_TIMELINE_STRIPS_H
#define GOTRACE_TIMELINE_STRIPS_H

#include <stddef.h>
#include <stdint.h>

#define TIMELINE_BINS 1024

struct timeline_strip {
	uint32_t key;
	uint64_t bins[TIMELINE_BINS]; /* ns */
};

/* All zero at the beginning. */
struct timeline_strips {
	struct timeline_strip *all;
	size_t n, cap;
	uint64_t bin_ns;   /* 0: there is none yet; doubled as time goes on */
	uint64_t left_out; /* times in no strip: there are too many keys */
};

/* From and to: since the beginning. 0 or -ENOMEM */
int timeline_strips_add(struct timeline_strips *s, uint32_t key, uint64_t from_ns, uint64_t to_ns);
void timeline_strips_free(struct timeline_strips *s);

#endif
