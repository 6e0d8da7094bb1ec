/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts the time stamp counter to CLOCK_MONOTONIC nanoseconds. Both are read together again and
 * again. Between two such pairs time is interpolated linearly. A counter between them gets a time
 * between theirs, and later counters get later times. Nothing here reads a clock.
 */
#ifndef GOTRACE_TSC_CLOCK_H
#define GOTRACE_TSC_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of segments between pairs that are kept. Earlier counters are still converted, with
 * the slope of the oldest segment. */
#define TSC_SEGMENTS 512

/* Both clocks at one moment. */
struct tsc_pair {
	uint64_t tsc, ns;
	uint32_t doubt_ns; /* the most by which ns may be wrong */
};

/* The time between two pairs. */
struct tsc_segment {
	uint64_t tsc, ns; /* values at its beginning */
	uint64_t ticks;   /* its length */
	uint64_t mult;    /* ns a tick, with 32 bits after the point */
};

struct tsc_clock {
	/* segment i, first <= i < end, is at i % TSC_SEGMENTS */
	struct tsc_segment segments[TSC_SEGMENTS];
	size_t first, end;
	size_t steady_from; /* segments from here on have no jump */
	struct tsc_pair last;
	bool begun;
	/* distances of pairs from the time predicted by the pairs before: */
	uint64_t n_residuals, worst_residual_ns, jumps;
	double residual_squares;
};

/*
 * Adds a pair, read after the one before. Returns whether the clocks jumped. They did when the pair
 * differs from the prediction by the pairs before by more than 10 us, its own uncertainty, and the
 * drift that time adjustment may cause. Times since the pair before are then between the two, but
 * not reliable. A virtual machine that moves to another host does this. It leaves out a pair with
 * the same counter as the last.
 */
bool tsc_clock_add(struct tsc_clock *c, const struct tsc_pair *pair);

/* Returns the segment that holds `tsc`. NULL when tsc is later than the last pair, or earlier than
 * all segments kept. */
const struct tsc_segment *tsc_clock_find(const struct tsc_clock *c, uint64_t tsc);

/* Returns the time of `tsc`, which must lie in the segment, or be its end. */
static inline uint64_t tsc_segment_ns(const struct tsc_segment *s, uint64_t tsc)
{
	return s->ns + (uint64_t)((unsigned __int128)(tsc - s->tsc) * s->mult >> 32);
}

/* Returns the time of any counter. A counter later than the last pair gets the pair's time. One
 * earlier than the oldest segment gets its time by that segment's slope. */
uint64_t tsc_clock_ns(const struct tsc_clock *c, uint64_t tsc);

/* The lead of another CPU's counter over this CPU's: `ticks`, give or take `doubt`. */
struct tsc_offset {
	int64_t ticks;
	uint64_t doubt; /* UINT64_MAX until it was asked */
};

/* Adds an answer. Its counter was `there` at some moment between `asked` and `got` here. The
 * fastest answer counts. */
void tsc_offset_add(struct tsc_offset *o, uint64_t asked, uint64_t there, uint64_t got);

/* Returns the certain part of the difference: the least by which the counters differ. Slow answers,
 * of CPUs that are busy with something else, prove nothing. When doubt is at most doubt_max, it
 * returns ticks. */
int64_t tsc_offset_sure(const struct tsc_offset *o, uint64_t doubt_max);

/* Returns the root mean square of the residuals, 0 when there are none. */
double tsc_clock_residual_ns(const struct tsc_clock *c);

#endif
