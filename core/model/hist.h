/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A log-linear histogram of durations. It cuts each power of two into 64 equal buckets. So it knows
 * a value to within 1/128 (0.8 %), and exactly below 64 ns.
 */
#ifndef GOTRACE_HIST_H
#define GOTRACE_HIST_H

#include <stddef.h>
#include <stdint.h>

#define HIST_SUB     64u /* buckets a power of two */
#define HIST_OCTAVES 59u /* [0,64), [64,128), ... [2^63,2^64) */

/* Counts of one power of two. They are small, so that the counts of many functions stay in the
 * cache. A count over 16 bits carries into `carried`. */
struct hist_octave {
	uint16_t low[HIST_SUB];
	uint64_t *carried; /* HIST_SUB numbers to be added to `low`, made when first needed; NULL:
			      all zero */
};

struct hist {
	/* HIST_OCTAVES pointers. The table and each octave are allocated on first use, because a
	 * function's durations span few octaves. */
	struct hist_octave **octaves;
	uint64_t count;
};

int hist_add(struct hist *h, uint64_t ns); /* 0 or -ENOMEM */
int hist_merge(struct hist *into, const struct hist *from);
/* The value at or below which the share q (0..1) of all counted values lies. It is the middle of
 * its bucket; 0 when the histogram is empty. */
uint64_t hist_quantile(const struct hist *h, double q);
/* Buckets one by one, shortest durations first. */
#define HIST_BUCKETS (HIST_SUB * HIST_OCTAVES)
uint64_t hist_bucket(const struct hist *h, unsigned bucket);
/* Counts n more in a bucket. 0 or -ENOMEM. */
int hist_add_bucket(struct hist *h, unsigned bucket, uint64_t n);
void hist_free(struct hist *h);

#endif
