// SPDX-License-Identifier: BSD-2-Clause
#include "sample/goroutine_groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"

static uint32_t hash_of(const struct snapshot_goroutine *g)
{
	return hash_u64_pair((uint64_t)g->state << 8 | g->reason,
			     hash_bytes(g->pcs, g->n * sizeof(*g->pcs)));
}

static int new_group(struct goroutine_groups *all, const struct snapshot_goroutine *g,
		     uint32_t hash, uint32_t *at)
{
	if (vec_reserve(&all->groups, &all->cap, all->n + 1) ||
	    vec_reserve(&all->pcs, &all->cap_pcs, all->n_pcs + g->n) ||
	    hash_index_put(&all->by_stack, hash, (uint32_t)all->n))
		return -ENOMEM;
	*at = (uint32_t)all->n;
	memcpy(all->pcs + all->n_pcs, g->pcs, g->n * sizeof(*g->pcs));
	all->groups[all->n++] = (struct goroutine_group){ .n = g->n,
							  .flags = g->flags,
							  .first = all->n_pcs,
							  .state = g->state,
							  .reason = g->reason };
	all->n_pcs += g->n;
	return 0;
}

static int group_of(struct goroutine_groups *all, const struct snapshot_goroutine *g, uint32_t *to)
{
	const uint32_t hash = hash_of(g);
	size_t at;

	for (uint32_t i = hash_index_first(&all->by_stack, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&all->by_stack, hash, &at)) {
		const struct goroutine_group *x = &all->groups[i];

		if (x->n == g->n && x->state == g->state && x->reason == g->reason &&
		    !memcmp(all->pcs + x->first, g->pcs, g->n * sizeof(*g->pcs))) {
			*to = i;
			return 0;
		}
	}
	return new_group(all, g, hash, to);
}

void goroutine_groups_add(void *ctx, const struct snapshot_goroutine *g)
{
	struct goroutine_groups *all = ctx;
	uint32_t at;

	if (!g->state) {
		all->torn++;
		return;
	}
	if (g->runtime) {
		all->of_runtime++;
		return;
	}
	if (group_of(all, g, &at)) {
		all->err = -ENOMEM;
		return;
	}
	struct goroutine_group *x = &all->groups[at];
	const uint64_t age = g->since_ns && g->since_ns < all->now_ns ? all->now_ns - g->since_ns
								      : 0;

	x->count++;
	all->count++;
	x->aged += age != 0;
	x->oldest_ns = age > x->oldest_ns ? age : x->oldest_ns;
}

void goroutine_groups_again(struct goroutine_groups *all, uint64_t now_ns)
{
	for (size_t i = 0; i < all->n; i++) {
		struct goroutine_group *x = &all->groups[i];

		x->before = x->count;
		x->count = x->aged = x->oldest_ns = 0;
	}
	all->before = all->count;
	all->count = all->torn = all->of_runtime = 0;
	all->now_ns = now_ns;
}

struct ordering {
	const uint64_t *pcs;
	bool by_growth;
};

static int by_size(const void *x, const void *y, void *ctx)
{
	const struct ordering *o = ctx;
	const struct goroutine_group *a = x, *b = y;
	const int64_t grew_a = goroutine_group_growth(a), grew_b = goroutine_group_growth(b);

	if (o->by_growth && grew_a != grew_b)
		return grew_a > grew_b ? -1 : 1;
	if (a->count != b->count)
		return compare_u64(b->count, a->count);
	for (uint32_t i = 0; i < a->n && i < b->n; i++) {
		int c = compare_u64(o->pcs[a->first + i], o->pcs[b->first + i]);

		if (c)
			return c;
	}
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return a->state != b->state ? a->state - b->state : a->reason - b->reason;
}

void goroutine_groups_sort(struct goroutine_groups *all, bool by_growth)
{
	struct ordering o = { all->pcs, by_growth };

	hash_index_free(&all->by_stack);
	if (all->n)
		qsort_r(all->groups, all->n, sizeof(*all->groups), by_size, &o);
}

void goroutine_groups_free(struct goroutine_groups *all)
{
	free(all->groups);
	free(all->pcs);
	hash_index_free(&all->by_stack);
	*all = (struct goroutine_groups){ 0 };
}
