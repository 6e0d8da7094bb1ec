// SPDX-License-Identifier: BSD-2-Clause
#include "stats/random.h"

/* FNV-1a, 64 bits */
static uint64_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ull;
	return h;
}

struct random_stream random_from(uint64_t seed, const char *stream)
{
	struct random_stream d = { seed };

	if (stream) {
		/* Two seeds whose difference is that of two streams must not meet. */
		d.state = random_next(&d) ^ hash(stream);
		d.state = random_next(&d);
	}
	return d;
}

uint64_t random_next(struct random_stream *d)
{
	uint64_t z = d->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

uint64_t random_below(struct random_stream *d, uint64_t n)
{
	/* 2^64 % n of the numbers would make some results likelier than others. */
	const uint64_t too_many = -n % n;
	uint64_t v;

	do
		v = random_next(d);
	while (v < too_many);
	return v % n;
}

void random_order(struct random_stream *d, size_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t j = random_below(d, i + 1);

		if (j != i)
			order[i] = order[j];
		order[j] = i;
	}
}
