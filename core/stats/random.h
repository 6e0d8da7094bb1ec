/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random numbers that depend only on the seed, on every machine: SplitMix64 (Steele, Lea, Flood:
 * Fast splittable pseudorandom number generators, OOPSLA 2014). They are for orders and for
 * resampling, not for secrets.
 */
#ifndef GOTRACE_RANDOM_H
#define GOTRACE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random_stream {
	uint64_t state;
};

/* Returns the numbers of `seed`. Each stream of a seed has its own. stream NULL: the numbers of the
 * published generator. */
struct random_stream random_from(uint64_t seed, const char *stream);
uint64_t random_next(struct random_stream *d);
/* Returns a number from 0 to n - 1, all equally likely; n is at least 1. */
uint64_t random_below(struct random_stream *d, uint64_t n);
/* Writes 0 to n - 1 to `order` in a random order, all equally likely. */
void random_order(struct random_stream *d, size_t *order, size_t n);

#endif
