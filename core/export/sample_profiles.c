// SPDX-License-Identifier: BSD-2-Clause
#include "export/sample_profiles.h"

#include <errno.h>
#include <stdlib.h>

#include "base/compare.h"

void sample_profiles_wanted(void *ctx, const struct loaded_trace *t)
{
	(void)ctx;
	(void)t;
}

static const struct sample_group *group_of(const struct loaded_samples *s, uint32_t single)
{
	return &s->groups[s->singles[single].group];
}

uint64_t sample_profile_id(const struct sample_group *g)
{
	return g->goid ? g->goid : g->tid;
}

static int same_profile(const struct sample_group *a, const struct sample_group *b)
{
	int c = compare_u64(a->process, b->process);

	if (!c)
		c = compare_u64(!a->goid, !b->goid);
	return c ? c : compare_u64(sample_profile_id(a), sample_profile_id(b));
}

static int by_profile(const void *x, const void *y, void *ctx)
{
	const struct loaded_samples *s = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = same_profile(group_of(s, a), group_of(s, b));

	if (!c)
		c = compare_u64(s->singles[a].ts_ns, s->singles[b].ts_ns);
	return c ? c : compare_u64(a, b);
}

int sample_profiles(const struct loaded_samples *s,
		    int (*each)(void *ctx, const uint32_t *singles, size_t n), void *ctx)
{
	uint32_t *order = calloc(s->n_singles + 1, sizeof(*order));
	size_t n = 0;
	int err = 0;

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n_singles; i++)
		if (!group_of(s, i)->left_out)
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), by_profile, (void *)(uintptr_t)s);
	for (size_t at = 0, next; at < n && !err; at = next) {
		for (next = at + 1; next < n; next++)
			if (same_profile(group_of(s, order[at]), group_of(s, order[next])))
				break;
		err = each(ctx, order + at, next - at);
	}
	free(order);
	return err;
}
