// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/goroutine_rows.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/vec.h"

int goroutines_add(struct goroutines *l, const struct goroutine_info *g)
{
	if (g->system && !g->calls)
		return 0;
	int err = vec_reserve(&l->rows, &l->cap, l->n + 1);

	if (!err)
		l->rows[l->n++] = (struct goroutine_row){ .g = *g, .n = 1, .n_ended = g->ended };
	return err;
}

/* The main goroutine stays apart from others whose creation was not seen. */
static bool is_main(const struct goroutine_info *g)
{
	return g->goid == 1 && !g->start_pc;
}

/* 0: the same creation site and function. */
static int by_site(const struct goroutine_info *a, const struct goroutine_info *b)
{
	int c = a->system - b->system;

	if (!c)
		c = compare_u64(a->start_pc, b->start_pc);
	if (!c)
		c = compare_u64(a->create_pc, b->create_pc);
	return c || a->system ? c : is_main(b) - is_main(a);
}

static int by_site_and_age(const void *x, const void *y)
{
	const struct goroutine_info *a = &((const struct goroutine_row *)x)->g;
	const struct goroutine_info *b = &((const struct goroutine_row *)y)->g;
	int c = by_site(a, b);

	if (!c)
		c = compare_u64(a->first_ns, b->first_ns);
	if (!c)
		c = compare_u64(a->image, b->image);
	return c ? c : compare_u64(a->goid, b->goid);
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
	into->g.life_ns += r->g.life_ns;
	off_times_add(&into->g.off, &r->g.off);
}

void goroutines_fold(struct goroutines *l)
{
	size_t n = 0;

	if (!l->n)
		return;
	qsort(l->rows, l->n, sizeof(*l->rows), by_site_and_age);
	for (size_t i = 1; i < l->n; i++)
		if (by_site(&l->rows[n].g, &l->rows[i].g))
			l->rows[++n] = l->rows[i];
		else
			add(&l->rows[n], &l->rows[i]);
	l->n = n + 1;
}

static bool ends_are_seen(const struct trace_info *info)
{
	for (size_t i = 0; i < info->n_sites; i++)
		if (info->sites[i].kind == EV_END)
			return true;
	return false;
}

int goroutines_measure(struct goroutines *l, const struct loaded_trace *t)
{
	bool seen = ends_are_seen(t->info);
	uint64_t *image_end_ns = NULL;
	size_t cap = 0;
	int err = vec_reserve(&image_end_ns, &cap, t->totals->images + 1);

	for (size_t i = 0; !err && i < l->n; i++) {
		const struct goroutine_info *g = &l->rows[i].g;

		if (g->last_ns > image_end_ns[g->image])
			image_end_ns[g->image] = g->last_ns;
	}
	for (size_t i = 0; !err && i < l->n; i++) {
		struct goroutine_row *r = &l->rows[i];
		uint64_t end_ns = r->g.ended || r->g.system || !seen ? r->g.last_ns
								     : image_end_ns[r->g.image];

		r->life_ns = end_ns - r->g.first_ns;
		/* What is open lasts to the last event of all. */
		if (r->life_ns < r->g.total_ns)
			r->life_ns = r->g.total_ns;
		if (t->totals->states && !r->g.system)
			r->life_ns = r->g.life_ns; /* what its states add up to */
		r->max_life_ns = r->life_ns;
	}
	free(image_end_ns);
	return err;
}

void goroutines_free(struct goroutines *l)
{
	free(l->rows);
	*l = (struct goroutines){ 0 };
}
