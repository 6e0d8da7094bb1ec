// SPDX-License-Identifier: BSD-2-Clause
#include "export/goroutine_calls.h"

#include <errno.h>
#include <stdlib.h>

#include "base/compare.h"

static int same_goroutine(const struct call *a, const struct call *b)
{
	int c = compare_u64(a->image, b->image);

	if (!c)
		c = compare_u64(a->system, b->system);
	return c ? c : compare_u64(a->system ? a->tid : a->goid, b->system ? b->tid : b->goid);
}

static int by_goroutine(const void *x, const void *y, void *ctx)
{
	const struct call *slots = ctx;
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
	int c = same_goroutine(&slots[a], &slots[b]);

	return c ? c : compare_u64(a, b);
}

int goroutine_calls_order(const void *x, const void *y)
{
	const struct goroutine_info *a = &((const struct goroutine_row *)x)->g,
				    *b = &((const struct goroutine_row *)y)->g;
	int c = compare_u64(a->image, b->image);

	if (!c)
		c = compare_u64(a->system, b->system);
	return c ? c : compare_u64(a->goid, b->goid);
}

/* Without states a goroutine is known to run for as long as its calls take. */
static uint64_t ran_ns(const struct goroutines *rows, const struct call *c, size_t *next)
{
	const struct goroutine_row want = { .g = { .goid = c->system ? c->tid : c->goid,
						   .image = c->image,
						   .system = c->system } };

	while (*next < rows->n && goroutine_calls_order(&rows->rows[*next], &want) < 0)
		++*next;
	if (*next == rows->n || goroutine_calls_order(&rows->rows[*next], &want))
		return 0;
	const struct goroutine_info *g = &rows->rows[*next].g;
	const uint64_t off_ns = off_times_sum(&g->off);

	return g->life_ns > off_ns ? g->life_ns - off_ns : g->life_ns ? 0 : g->total_ns;
}

int goroutine_calls_find(struct goroutine_calls *g, const struct call_spool *calls,
			 const struct goroutines *rows)
{
	size_t n = 0, next = 0;

	*g = (struct goroutine_calls){ 0 };
	g->order = malloc((calls->n + 1) * sizeof(*g->order));
	if (!g->order)
		return -ENOMEM;
	for (size_t i = 0; i < calls->n; i++)
		if (calls->slots[i].end_ns)
			g->order[n++] = i;
	qsort_r(g->order, n, sizeof(*g->order), by_goroutine, calls->slots);
	for (size_t i = 0; i < n; i++)
		g->n += !i ||
			same_goroutine(&calls->slots[g->order[i - 1]], &calls->slots[g->order[i]]);
	g->all = calloc(g->n + 1, sizeof(*g->all));
	if (!g->all)
		return -ENOMEM;
	for (size_t i = 0, k = 0; k < g->n; k++) {
		struct calls_of_one *one = &g->all[k];
		const struct call *first = &calls->slots[g->order[i]];

		one->at = i;
		while (i < n && !same_goroutine(first, &calls->slots[g->order[i]]))
			i++;
		one->n = i - one->at;
		one->ran_ns = ran_ns(rows, first, &next);
	}
	return 0;
}

void goroutine_calls_free(struct goroutine_calls *g)
{
	free(g->order);
	free(g->all);
	*g = (struct goroutine_calls){ 0 };
}

/* The first of those that are left and fit, the busiest; NULL: none. */
static struct calls_of_one *busiest(const struct goroutine_calls *g, size_t calls)
{
	struct calls_of_one *best = NULL;

	for (size_t i = 0; i < g->n; i++)
		if (!g->all[i].chosen && g->all[i].n <= calls &&
		    (!best || g->all[i].ran_ns > best->ran_ns))
			best = &g->all[i];
	return best;
}

size_t goroutine_calls_choose(struct goroutine_calls *g, size_t many, size_t most, size_t calls)
{
	struct calls_of_one *best;
	size_t sum = 0, n = 0;

	for (size_t i = 0; i < g->n; i++)
		sum += g->all[i].n;
	if (g->n <= many && sum <= calls) {
		for (; n < g->n; n++)
			g->all[n].chosen = true;
		return n;
	}
	for (; n < most && (best = busiest(g, calls)); n++) {
		best->chosen = true;
		calls -= best->n;
	}
	return n;
}
