/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time stamp counter as CLOCK_MONOTONIC nanoseconds. Both are read together again and again.
 * Between two such pairs time is interpolated linearly: a counter between them gets a time between
 * theirs, and later counters get later times. Nothing here reads a clock.
 */
#ifndef GOTRACE_TSC_CLOCK_H
#define GOTRACE_TSC_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many segments between pairs are kept; earlier counters are still converted, with the slope of
 * the oldest one. */
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
	/* distance of pairs from the time predicted by the pairs before: */
	uint64_t n_residuals, worst_residual_ns, jumps;
	double residual_squares;
};

/*
 * Adds a pair, read after the one before. Returns whether the clocks jumped: the pair differs from
 * the prediction of the pairs before by more than 10 us, its own uncertainty, and the drift that
 * time adjustment may cause. Times since the pair before are then between the two, but not
 * reliable. A virtual machine that moves to another host does this. A pair with the same counter as
 * the last is left out.
 */
bool tsc_clock_add(struct tsc_clock *c, const struct tsc_pair *pair);

/* The segment that holds `tsc`; NULL when it is later than the last pair or earlier than all
 * segments kept. */
const struct tsc_segment *tsc_clock_find(const struct tsc_clock *c, uint64_t tsc);

/* `tsc` must lie in the segment, or be its end. */
static inline uint64_t tsc_segment_ns(const struct tsc_segment *s, uint64_t tsc)
{
	return s->ns + (uint64_t)((unsigned __int128)(tsc - s->tsc) * s->mult >> 32);
}

/* Any counter's time: of one in no segment, the nearest that is known (the last pair's for a later
 * one; the slope of the oldest segment continued for an earlier one). */
uint64_t tsc_clock_ns(const struct tsc_clock *c, uint64_t tsc);

/* How far another CPU's counter is ahead of this one's: by `ticks`, give or take `doubt`. */
struct tsc_offset {
	int64_t ticks;
	uint64_t doubt; /* UINT64_MAX: not asked yet */
};

/* Takes in one answer: its counter was `there` at some moment between `asked` and `got` here. The
 * answer that came fastest counts. */
void tsc_offset_add(struct tsc_offset *o, uint64_t asked, uint64_t there, uint64_t got);

/* What is known for sure: as far as the counters differ at the least. Slow answers, of CPUs that
 * are busy with something else, prove nothing. Where doubt is at most doubt_max, ticks. */
int64_t tsc_offset_sure(const struct tsc_offset *o, uint64_t doubt_max);

/* Root mean square of the residuals, 0 when there are none. */
double tsc_clock_residual_ns(const struct tsc_clock *c);

#endif
