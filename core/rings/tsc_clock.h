/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time stamp counter as CLOCK_MONOTONIC nanoseconds. Both are read at one moment again and
 * again; between two such pairs time is a straight line, so that a counter between them has a time
 * between theirs, and later counters have later times. Nothing here reads a clock.
 */
#ifndef GOTRACE_TSC_CLOCK_H
#define GOTRACE_TSC_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many stretches between pairs are kept; counters from before them are still converted, by the
 * oldest one's slope. */
#define TSC_SEGMENTS 512

/* Both clocks at one moment. */
struct tsc_pair {
	uint64_t tsc, ns;
	uint32_t doubt_ns; /* ns may be wrong by so much */
};

/* Between two pairs. */
struct tsc_segment {
	uint64_t tsc, ns; /* at its beginning */
	uint64_t ticks;   /* its length, and */
	uint64_t mult;    /* ns a tick, with 32 bits after the point */
};

struct tsc_clock {
	struct tsc_segment segments[TSC_SEGMENTS]; /* segments[i % TSC_SEGMENTS] for [first, end) */
	size_t first, end;
	size_t steady_from; /* segments from here on have no jump */
	struct tsc_pair last;
	bool begun;
	/* of pairs from what the ones before foretold: */
	uint64_t n_residuals, worst_residual_ns, jumps;
	double residual_squares;
};

/*
 * Adds a pair, read after the one before. Returns whether the clocks jumped: it lies further off
 * what the pairs before foretell than 10 us, its doubt, and the drift that time adjustment may
 * cause. Times since the pair before are then between the two, but not to be relied on. A virtual
 * machine that moves to another host does this. A pair with the same counter as the last is left
 * out.
 */
bool tsc_clock_add(struct tsc_clock *c, const struct tsc_pair *pair);

/* The stretch that `tsc` lies in, else NULL: later than the last pair, or earlier than all kept. */
const struct tsc_segment *tsc_clock_find(const struct tsc_clock *c, uint64_t tsc);

/* `tsc` must lie in the segment, or be its end. */
static inline uint64_t tsc_segment_ns(const struct tsc_segment *s, uint64_t tsc)
{
	return s->ns + (uint64_t)((unsigned __int128)(tsc - s->tsc) * s->mult >> 32);
}

/* Any counter's time: of one in no segment, the nearest that is known (the last pair's for a later
 * one; the slope of the oldest segment continued for an earlier one). */
uint64_t tsc_clock_ns(const struct tsc_clock *c, uint64_t tsc);

/* Root mean square of the residuals, 0 when there are none. */
double tsc_clock_residual_ns(const struct tsc_clock *c);

#endif
