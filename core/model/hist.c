// SPDX-License-Identifier: BSD-2-Clause
#include "model/hist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SUB_BITS 6

#define CARRY 65536u /* what a count of 16 bits overflows at */

static struct hist_octave *octave_of(struct hist *h, unsigned octave)
{
	if (!h->octaves) {
		h->octaves = calloc(HIST_OCTAVES, sizeof(*h->octaves));
		if (!h->octaves)
			return NULL;
	}
	if (!h->octaves[octave])
		h->octaves[octave] = calloc(1, sizeof(**h->octaves));
	return h->octaves[octave];
}

static int carry(struct hist_octave *o, unsigned sub, uint64_t n)
{
	if (!o->carried)
		o->carried = calloc(HIST_SUB, sizeof(*o->carried));
	if (!o->carried)
		return -ENOMEM;
	o->carried[sub] += n;
	return 0;
}

static uint64_t counted(const struct hist_octave *o, unsigned sub)
{
	return o->low[sub] + (o->carried ? o->carried[sub] : 0);
}

int hist_add(struct hist *h, uint64_t ns)
{
	unsigned octave = 0, sub = (unsigned)ns;

	if (ns >= HIST_SUB) {
		unsigned top = 63 - (unsigned)__builtin_clzll(ns); /* position of the highest bit */

		octave = top - SUB_BITS + 1;
		sub = (unsigned)(ns >> (top - SUB_BITS)) & (HIST_SUB - 1);
	}
	struct hist_octave *o = h->octaves ? h->octaves[octave] : NULL;

	if (__builtin_expect(!o, 0)) {
		o = octave_of(h, octave);
		if (!o)
			return -ENOMEM;
	}
	h->count++;
	return __builtin_expect(++o->low[sub] == 0, 0) ? carry(o, sub, CARRY) : 0;
}

static int add_to(struct hist_octave *o, unsigned sub, uint64_t n)
{
	uint64_t sum = o->low[sub] + n;

	o->low[sub] = (uint16_t)sum;
	return sum >= CARRY ? carry(o, sub, sum - sum % CARRY) : 0;
}

int hist_merge(struct hist *into, const struct hist *from)
{
	for (unsigned i = 0; from->octaves && i < HIST_OCTAVES; i++) {
		const struct hist_octave *f = from->octaves[i];
		struct hist_octave *o = f ? octave_of(into, i) : NULL;

		if (f && !o)
			return -ENOMEM;
		for (unsigned s = 0; f && s < HIST_SUB; s++) {
			uint64_t n = counted(f, s);

			if (add_to(o, s, n))
				return -ENOMEM;
			into->count += n;
		}
	}
	return 0;
}

uint64_t hist_bucket(const struct hist *h, unsigned bucket)
{
	const struct hist_octave *o = h->octaves ? h->octaves[bucket / HIST_SUB] : NULL;

	return o ? counted(o, bucket % HIST_SUB) : 0;
}

int hist_add_bucket(struct hist *h, unsigned bucket, uint64_t n)
{
	struct hist_octave *o = octave_of(h, bucket / HIST_SUB);

	if (!o || add_to(o, bucket % HIST_SUB, n))
		return -ENOMEM;
	h->count += n;
	return 0;
}

static uint64_t middle(unsigned octave, unsigned sub)
{
	if (!octave)
		return sub;
	unsigned shift = octave - 1;
	uint64_t width = 1ull << shift;

	return ((uint64_t)(HIST_SUB + sub) << shift) + width / 2;
}

uint64_t hist_quantile(const struct hist *h, double q)
{
	double want = ceil(q * (double)h->count);
	uint64_t rank = want < 1 ? 1 : want > (double)h->count ? h->count : (uint64_t)want;
	uint64_t seen = 0;

	for (unsigned o = 0; h->octaves && o < HIST_OCTAVES; o++) {
		if (!h->octaves[o])
			continue;
		for (unsigned s = 0; s < HIST_SUB; s++) {
			seen += counted(h->octaves[o], s);
			if (seen >= rank)
				return middle(o, s);
		}
	}
	return 0;
}

void hist_free(struct hist *h)
{
	for (unsigned o = 0; h->octaves && o < HIST_OCTAVES; o++) {
		if (h->octaves[o])
			free(h->octaves[o]->carried);
		free(h->octaves[o]);
	}
	free(h->octaves);
	*h = (struct hist){ 0 };
}
