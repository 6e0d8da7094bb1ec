// SPDX-License-Identifier: BSD-2-Clause
/* States of goroutines in a summary. */
#include "model/summary_get.h"

void summary_get_off(struct getting *g, struct off_times *t, uint64_t all_ns)
{
	for (size_t i = 0; i < SUMMARY_OFF_TIMES; i++) {
		uint64_t ns = num(g, all_ns);

		*summary_off_time(t, i) = ns;
		all_ns -= ns;
	}
}

static uint32_t get_func(struct getting *g)
{
	uint64_t func = num(g, UINT32_MAX);

	if (func >= g->m->n_funcs && !g->fault)
		g->fault = SUMMARY_WRONG;
	return g->fault ? 0 : (uint32_t)func;
}

static void get_waits(struct getting *g)
{
	uint64_t n = num(g, SUMMARY_MOST);

	for (uint64_t i = 0; !g->fault && i < n; i++) {
		uint64_t path = num(g, g->n_paths);
		struct path_waits w = { .func = get_func(g) };
		uint64_t reason = num(g, 2 * UINT16_MAX + 1);

		w.reason = (uint16_t)(reason >> 1);
		w.held = reason & 1;
		w.ns = num(g, SUMMARY_MOST);
		w.n = num(g, SUMMARY_MOST);
		if (g->fault)
			return;
		w.path = g->place[path];
		if (waits_add(&g->m->waits, &w))
			g->fault = SUMMARY_NO_MEMORY;
	}
}

static void get_wakes(struct getting *g)
{
	uint64_t n = num(g, SUMMARY_MOST);

	for (uint64_t i = 0; !g->fault && i < n; i++) {
		struct func_wakes w = { .func = get_func(g) };

		w.reason = (uint16_t)num(g, UINT16_MAX);
		w.by = (uint32_t)num(g, UINT32_MAX);
		w.ns = num(g, SUMMARY_MOST);
		w.n = num(g, SUMMARY_MOST);
		if (!g->fault && w.by >= g->m->n_funcs && w.by != WAKE_NO_CALL &&
		    w.by != WAKE_RUNTIME)
			g->fault = SUMMARY_WRONG;
		if (!g->fault && wakes_put(&g->m->wakes, &w))
			g->fault = SUMMARY_NO_MEMORY;
	}
}

void summary_get_states(struct getting *g)
{
	struct model_totals *t = &g->m->totals;

	t->states = num(g, 1);
	if (!t->states)
		return;
	t->life_ns = num(g, SUMMARY_MOST);
	summary_get_off(g, &t->off, t->life_ns);
	t->idlers = num(g, SUMMARY_MOST);
	t->idle_life_ns = num(g, t->life_ns);
	summary_get_off(g, &t->idle_off, t->idle_life_ns);
	get_waits(g);
	get_wakes(g);
	t->states = !g->m->opt.no_states;
}
