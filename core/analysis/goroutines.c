// SPDX-License-Identifier: BSD-2-Clause
/* How long goroutines lived, and those that one go statement started with one function made one
 * row. */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "analysis/report.h"

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* The main goroutine stays apart from others whose creation was not seen. */
static bool is_main(const struct goroutine_info *g)
{
	return g->goid == 1 && !g->start_pc;
}

/* 0: the same place. */
static int by_place(const struct goroutine_info *a, const struct goroutine_info *b)
{
	int c = a->system - b->system;

	if (!c)
		c = compare(a->start_pc, b->start_pc);
	if (!c)
		c = compare(a->create_pc, b->create_pc);
	return c || a->system ? c : is_main(b) - is_main(a);
}

static int by_place_and_age(const void *x, const void *y)
{
	const struct goroutine_info *a = &((const struct goroutine_row *)x)->g;
	const struct goroutine_info *b = &((const struct goroutine_row *)y)->g;
	int c = by_place(a, b);

	if (!c)
		c = compare(a->first_ns, b->first_ns);
	if (!c)
		c = compare(a->image, b->image);
	return c ? c : compare(a->goid, b->goid);
}

static void add(struct goroutine_row *into, const struct goroutine_row *r)
{
	into->n += r->n;
	into->n_ended += r->n_ended;
	into->life_ns += r->life_ns;
	if (r->max_life_ns > into->max_life_ns)
		into->max_life_ns = r->max_life_ns;
	into->g.calls += r->g.calls;
	into->g.total_ns += r->g.total_ns;
	into->g.self_ns += r->g.self_ns;
	into->g.morestack_ns += r->g.morestack_ns;
	into->g.preempt_ns += r->g.preempt_ns;
}

static void fold(struct report *rep)
{
	size_t n = 0;

	if (!rep->n_goroutines)
		return;
	qsort(rep->goroutines, rep->n_goroutines, sizeof(*rep->goroutines), by_place_and_age);
	for (size_t i = 1; i < rep->n_goroutines; i++)
		if (by_place(&rep->goroutines[n].g, &rep->goroutines[i].g))
			rep->goroutines[++n] = rep->goroutines[i];
		else
			add(&rep->goroutines[n], &rep->goroutines[i]);
	rep->n_goroutines = n + 1;
}

static bool ends_are_seen(const struct report *rep)
{
	for (size_t i = 0; i < rep->info->n_sites; i++)
		if (rep->info->sites[i].kind == EV_END)
			return true;
	return false;
}

/* A goroutine that did not end lived as long as its process image; where ends
 * cannot be seen, no longer than to its last event is known. */
static int measure_lives(struct report *rep)
{
	bool seen = ends_are_seen(rep);
	uint64_t *image_end_ns = NULL;
	size_t cap = 0;
	int err = vec_reserve(&image_end_ns, &cap, rep->totals->images + 1);

	for (size_t i = 0; !err && i < rep->n_goroutines; i++) {
		const struct goroutine_info *g = &rep->goroutines[i].g;

		if (g->last_ns > image_end_ns[g->image])
			image_end_ns[g->image] = g->last_ns;
	}
	for (size_t i = 0; !err && i < rep->n_goroutines; i++) {
		struct goroutine_row *r = &rep->goroutines[i];
		uint64_t end_ns = r->g.ended || r->g.system || !seen ? r->g.last_ns
								     : image_end_ns[r->g.image];

		r->life_ns = end_ns - r->g.first_ns;
		/* What is open lasts to the last event of all. */
		if (r->life_ns < r->g.total_ns)
			r->life_ns = r->g.total_ns;
		r->max_life_ns = r->life_ns;
	}
	free(image_end_ns);
	return err;
}

int report_goroutines(struct report *rep)
{
	int err = measure_lives(rep);

	if (!err && rep->opt->fold)
		fold(rep);
	return err;
}
