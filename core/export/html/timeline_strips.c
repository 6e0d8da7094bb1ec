// SPDX-License-Identifier: BSD-2-Clause
#include "export/html/timeline_strips.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define MOST_STRIPS 256

static void widen(struct timeline_strips *s)
{
	for (size_t i = 0; i < s->n; i++) {
		uint64_t *b = s->all[i].bins;

		for (size_t k = 0; k < TIMELINE_BINS / 2; k++)
			b[k] = b[2 * k] + b[2 * k + 1];
		memset(&b[TIMELINE_BINS / 2], 0, TIMELINE_BINS / 2 * sizeof(*b));
	}
	s->bin_ns *= 2;
}

/* NULL: there is none yet. */
static struct timeline_strip *find(struct timeline_strips *s, uint32_t key)
{
	for (size_t i = s->n; i-- > 0;)
		if (s->all[i].key == key)
			return &s->all[i];
	return NULL;
}

int timeline_strips_add(struct timeline_strips *s, uint32_t key, uint64_t from_ns, uint64_t to_ns)
{
	struct timeline_strip *of = find(s, key);

	if (!of && s->n == MOST_STRIPS) {
		s->left_out++;
		return 0;
	}
	if (!of) {
		if (vec_reserve(&s->all, &s->cap, s->n + 1))
			return -ENOMEM;
		of = &s->all[s->n++];
		*of = (struct timeline_strip){ .key = key };
	}
	s->bin_ns = s->bin_ns ? s->bin_ns : 1;
	while (to_ns / s->bin_ns >= TIMELINE_BINS)
		widen(s);
	for (uint64_t at = from_ns; at < to_ns;) {
		uint64_t left = s->bin_ns - at % s->bin_ns;

		left = left < to_ns - at ? left : to_ns - at;
		of->bins[at / s->bin_ns] += left;
		at += left;
	}
	return 0;
}

void timeline_strips_free(struct timeline_strips *s)
{
	free(s->all);
	*s = (struct timeline_strips){ 0 };
}
