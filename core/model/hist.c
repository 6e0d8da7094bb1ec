// SPDX-License-Identifier: BSD-2-Clause
#include "model/hist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SUB_BITS 6

static uint64_t *row(struct hist *h, unsigned octave)
{
	if (!h->octaves) {
		h->octaves = calloc(HIST_OCTAVES, sizeof(*h->octaves));
		if (!h->octaves)
			return NULL;
	}
	if (!h->octaves[octave])
		h->octaves[octave] = calloc(HIST_SUB, sizeof(**h->octaves));
	return h->octaves[octave];
}

int hist_add(struct hist *h, uint64_t ns)
{
	unsigned octave = 0, sub = (unsigned)ns;

	if (ns >= HIST_SUB) {
		unsigned top = 63 - (unsigned)__builtin_clzll(ns); /* position of the highest bit */

		octave = top - SUB_BITS + 1;
		sub = (unsigned)(ns >> (top - SUB_BITS)) & (HIST_SUB - 1);
	}
	uint64_t *r = h->octaves ? h->octaves[octave] : NULL;

	if (__builtin_expect(!r, 0)) {
		r = row(h, octave);
		if (!r)
			return -ENOMEM;
	}
	r[sub]++;
	h->count++;
	return 0;
}

int hist_merge(struct hist *into, const struct hist *from)
{
	for (unsigned o = 0; from->octaves && o < HIST_OCTAVES; o++) {
		if (!from->octaves[o])
			continue;
		uint64_t *r = row(into, o);

		if (!r)
			return -ENOMEM;
		for (unsigned s = 0; s < HIST_SUB; s++) {
			r[s] += from->octaves[o][s];
			into->count += from->octaves[o][s];
		}
	}
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
			seen += h->octaves[o][s];
			if (seen >= rank)
				return middle(o, s);
		}
	}
	return 0;
}

void hist_free(struct hist *h)
{
	for (unsigned o = 0; h->octaves && o < HIST_OCTAVES; o++)
		free(h->octaves[o]);
	free(h->octaves);
	*h = (struct hist){ 0 };
}
