/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random numbers that are the same on every machine for the same seed: SplitMix64 (Steele, Lea,
 * Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). For orders and for
 * resampling, not for secrets.
 */
#ifndef GOTRACE_RANDOM_H
#define GOTRACE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random_stream {
	uint64_t state;
};

/* Numbers of `seed`; each stream of a seed has its own. NULL: the generator's as it was published.
 */
struct random_stream random_from(uint64_t seed, const char *stream);
uint64_t random_next(struct random_stream *d);
/* 0 to n - 1, each as likely as the others; n is at least 1. */
uint64_t random_below(struct random_stream *d, uint64_t n);
/* 0 to n - 1 in an order of which each is as likely as the others, to `order`. */
void random_order(struct random_stream *d, size_t *order, size_t n);

#endif
