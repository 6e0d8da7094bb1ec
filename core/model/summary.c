// SPDX-License-Identifier: BSD-2-Clause
#include "model/summary.h"

#include <errno.h>
#include <stdlib.h>

#include "model/summary_get.h"

/* What may be made of few bytes; as in model_allow. */
#define FREE_PATHS   50000u
#define FREE_BUCKETS (1u << 20)

static void get_totals(struct getting *g, struct model_totals *t, uint64_t *n_funcs)
{
	*t = (struct model_totals){ 0 };
	g->version = num(g, UINT64_MAX);
	if ((!g->version || g->version > SUMMARY_VERSION) && !g->fault)
		g->fault = "it is of a newer format: use the gotrace that wrote it, or a newer one";
	*n_funcs = num(g, UINT32_MAX);
	for (size_t i = 0; i < SUMMARY_TOTALS; i++)
		*summary_total(t, i) = num(g, SUMMARY_MOST);
	t->from_ns = t->first_ns;
}

const char *summary_totals(struct model_totals *t, const uint8_t *p, size_t n)
{
	struct getting g = { .at = p, .end = p + n };
	uint64_t n_funcs;

	get_totals(&g, t, &n_funcs);
	return g.fault;
}

static void get_stats(struct getting *g, struct call_stats *st, unsigned flags)
{
	st->calls = st->finished = num(g, SUMMARY_MOST);
	if (flags & SUMMARY_MIXED) {
		st->finished = num(g, st->calls);
		st->unfinished = num(g, st->calls);
		st->unwound = num(g, st->calls);
		st->suspect = num(g, st->calls);
		st->suspect_ns = num(g, SUMMARY_MOST);
		if (g->version > 4)
			st->begun_before = num(g, st->unfinished);
	}
	st->total_ns = num(g, SUMMARY_MOST);
	st->self_ns = num(g, SUMMARY_MOST);
	if (st->finished) {
		st->min_ns = num(g, SUMMARY_MOST);
		st->max_ns = st->min_ns + num(g, SUMMARY_MOST);
		st->sum_ns = st->total_ns + (uint64_t)unzigzag(num(g, UINT64_MAX));
	}
	if (flags & SUMMARY_STOPS) {
		st->morestack_ns = num(g, SUMMARY_MOST);
		st->morestack_count = num(g, SUMMARY_MOST);
		st->preempt_ns = num(g, SUMMARY_MOST);
		st->preempt_count = num(g, SUMMARY_MOST);
		st->declined_count = num(g, SUMMARY_MOST);
	}
	if (flags & SUMMARY_STATES) {
		summary_get_off(g, &st->off_self, st->self_ns);
		summary_get_off(g, &st->off_total, st->total_ns);
	}
}

/* ---- paths */

static uint32_t get_path_func(struct getting *g)
{
	uint64_t v = num(g, (uint64_t)SUMMARY_FUNC + UINT32_MAX);

	if (v == SUMMARY_OTHER)
		return PATH_OTHER;
	if (v == SUMMARY_TIMER)
		return PATH_TIMER;
	if (v - SUMMARY_FUNC >= g->m->n_funcs && !g->fault)
		g->fault = "a path of it names no function";
	return g->fault ? PATH_OTHER : (uint32_t)(v - SUMMARY_FUNC);
}

/* How an event came about, as an index of costs. */
static uint8_t get_code(struct getting *g, bool known)
{
	uint64_t v = num(g, path_event_code(ROLES - 1, HOW_MAX));

	if (v > NO_EVENT ? !path_event_of(0, (uint8_t)v).how : known)
		g->fault = g->fault ? g->fault : SUMMARY_WRONG;
	return (uint8_t)v;
}

static void get_path_head(struct getting *g, uint64_t i, struct path_node *n, unsigned *flags)
{
	uint64_t up = num(g, i);
	const struct path_node *parent;

	if (!up)
		g->fault = g->fault ? g->fault : "a path of it is below itself";
	n->parent = g->fault ? 0 : g->place[i - up];
	n->func = get_path_func(g);
	*flags = (unsigned)num(g, 2 * SUMMARY_STATES - 1);
	n->go_edge = *flags & SUMMARY_GO;
	n->go_pc = n->go_edge ? num(g, UINT64_MAX) : 0;
	n->max_recursion = 1;
	if (*flags & SUMMARY_RECURSIVE) {
		n->max_recursion = (uint32_t)num(g, UINT32_MAX);
		n->recursive = num(g, SUMMARY_MOST);
	}
	parent = &g->m->paths.nodes[n->parent];
	if (parent->func == PATH_OTHER || (n->parent && n->func >= PATH_TIMER))
		g->fault = g->fault ? g->fault : "a path of it is below no function";
}

static void get_path(struct getting *g, uint64_t i)
{
	struct paths *t = &g->m->paths;
	struct path_node n = { 0 };
	struct path_selfs selfs = { 0 };
	uint8_t usual[2];
	uint64_t unusual[2] = { 0, 0 };
	unsigned flags;
	uint32_t place;

	get_path_head(g, i, &n, &flags);
	get_stats(g, &n.stats, flags);
	if (n.stats.finished) {
		selfs.min_ns = num(g, SUMMARY_MOST);
		selfs.max_ns = selfs.min_ns + num(g, SUMMARY_MOST);
	}
	for (int e = 0; e < 2; e++)
		usual[e] = get_code(g, false);
	for (int e = 0; e < 2 && flags & SUMMARY_UNUSUAL; e++)
		unusual[e] = num(g, SUMMARY_MOST);
	if (g->fault)
		return;
	if (paths_again(t, &n, n.parent, &place)) {
		g->fault = SUMMARY_NO_MEMORY;
		return;
	}
	g->place[i] = place;
	t->nodes[place].max_recursion = n.max_recursion;
	t->nodes[place].recursive = n.recursive;
	t->nodes[place].stats = n.stats;
	if (t->selfs)
		t->selfs[place] = selfs;
	for (int e = 0; e < 2; e++) {
		t->hot[place].usual[e] = usual[e];
		t->aux[place].unusual[e] = unusual[e];
	}
}

static void get_path_events(struct getting *g)
{
	uint64_t n = num(g, SUMMARY_MOST);

	for (uint64_t i = 0; !g->fault && i < n; i++) {
		uint64_t path = num(g, g->n_paths);
		uint8_t code = get_code(g, true);
		uint64_t count = num(g, SUMMARY_MOST);

		if (!g->fault &&
		    path_events_add_many(&g->m->paths.events, g->place[path], code, count))
			g->fault = SUMMARY_NO_MEMORY;
	}
}

static void get_paths(struct getting *g, uint64_t stored_bytes)
{
	struct paths *t = &g->m->paths;
	uint64_t n = num(g, PATHS_DEFAULT_MAX + 3);

	if (!g->fault && n > FREE_PATHS + 2 * stored_bytes)
		g->fault = "it claims more paths than so many bytes can hold";
	if (g->fault)
		return;
	g->n_paths = n;
	g->place = calloc(n + 1, sizeof(*g->place));
	if (!g->place) {
		g->fault = SUMMARY_NO_MEMORY;
		return;
	}
	t->max = (uint32_t)(t->n + n); /* none of them is folded */
	for (uint64_t i = 1; !g->fault && i <= n; i++)
		get_path(g, i);
	get_path_events(g);
}

/* Is `to` above path `from`, at most a cycle away? */
static bool is_above(const struct paths *t, uint32_t from, uint32_t to)
{
	for (unsigned n = 1; from && n < PATHS_CYCLE_MAX; n++) {
		from = t->hot[from].parent;
		if (from == to)
			return to;
	}
	return false;
}

static void get_folds(struct getting *g)
{
	struct paths *t = &g->m->paths;
	uint64_t n = num(g, 2 * g->n_paths);

	for (uint64_t i = 0; !g->fault && i < n; i++) {
		uint64_t from = num(g, g->n_paths), to = num(g, g->n_paths);
		struct path_fold f = { .calls = num(g, SUMMARY_MOST) };

		if (g->fault)
			return;
		f.from = g->place[from];
		f.to = g->place[to];
		if (!is_above(t, f.from, f.to))
			g->fault = "calls of it count as a path that is not above them";
		else if (paths_fold_again(t, &f))
			g->fault = SUMMARY_NO_MEMORY;
	}
}

static void get_sampled(struct getting *g)
{
	struct model_sampled *t = &g->m->totals.sampled;

	t->n = num(g, SUMMARY_MOST);
	t->ns = num(g, SUMMARY_MOST);
	t->probe_ns = num(g, SUMMARY_MOST);
	t->outside_ns = num(g, SUMMARY_MOST);
	t->apart_ns = num(g, SUMMARY_MOST);
	uint64_t n = num(g, g->n_paths);

	for (uint64_t i = 0; !g->fault && i < n; i++) {
		struct path_sampled s = { .path = (uint32_t)num(g, g->n_paths) };

		s.n = num(g, SUMMARY_MOST);
		s.ns = num(g, SUMMARY_MOST);
		s.squares = num(g, SUMMARY_MOST);
		s.probe_n = num(g, SUMMARY_MOST);
		s.probe_ns = num(g, SUMMARY_MOST);
		s.probe_squares = num(g, SUMMARY_MOST);
		if (g->fault)
			return;
		s.path = g->place[s.path];
		if (sampled_add(&g->m->sampled, &s))
			g->fault = SUMMARY_NO_MEMORY;
	}
}

/* ---- functions */

static void get_hist(struct getting *g, struct hist *h)
{
	uint64_t used = num(g, HIST_BUCKETS), at = 0;

	g->buckets -= used < g->buckets ? used : g->buckets;
	if (!g->buckets && !g->fault)
		g->fault = "it claims more durations than so many bytes can hold";
	for (uint64_t i = 0; !g->fault && i < used; i++) {
		at += num(g, HIST_BUCKETS - 1);
		uint64_t n = num(g, SUMMARY_MOST);

		if (g->fault)
			return;
		if (at >= HIST_BUCKETS || h->count + n > SUMMARY_MOST)
			g->fault = SUMMARY_WRONG;
		else if (hist_add_bucket(h, (unsigned)at, n))
			g->fault = SUMMARY_NO_MEMORY;
	}
}

static void get_released(struct getting *g, size_t func)
{
	struct model *m = g->m;
	uint64_t ns = num(g, SUMMARY_MOST);

	if (!g->fault && pair_set_released(&m->pair, (uint32_t)func, ns))
		g->fault = SUMMARY_NO_MEMORY;
}

static void get_funcs(struct getting *g)
{
	struct model *m = g->m;
	uint64_t n = num(g, m->n_funcs), at = 0;

	for (uint64_t i = 0; !g->fault && i < n; i++) {
		at += num(g, UINT32_MAX);
		unsigned flags = (unsigned)num(g, 2 * SUMMARY_STATES - 1);

		if (at >= m->n_funcs && !g->fault)
			g->fault = "it has more functions than the trace";
		if (g->fault)
			return;
		get_stats(g, &m->funcs[at], flags);
		if (flags & SUMMARY_RELEASED)
			get_released(g, at);
		get_hist(g, &m->funcs[at].hist);
		at++;
	}
}

/* ---- all of it */

/* Forgets what events have said. */
static void forget(struct model *m)
{
	for (size_t i = 0; i < m->n_funcs; i++) {
		hist_free(&m->funcs[i].hist);
		m->funcs[i] = (struct call_stats){ 0 };
	}
	free(m->pair.released_ns);
	m->pair.released_ns = NULL;
	paths_forget(&m->paths);
	sampled_free(&m->sampled);
	waits_free(&m->waits);
	wakes_free(&m->wakes);
	holds_free(&m->holds);
}

const char *summary_restore(struct model *m, const uint8_t *p, size_t n, uint64_t stored_bytes)
{
	struct getting g = {
		.m = m, .at = p, .end = p + n, .buckets = FREE_BUCKETS + 8 * stored_bytes
	};
	const struct model_totals before = m->totals;
	uint64_t n_funcs;

	get_totals(&g, &m->totals, &n_funcs);
	/* These are of the events. */
	m->totals.hits = before.hits;
	m->totals.hit_ns = before.hit_ns;
	m->totals.hit_took_ns = before.hit_took_ns;
	m->totals.hit_goid = before.hit_goid;
	m->totals.hit_func = before.hit_func;
	if (!g.fault && n_funcs != m->n_funcs)
		g.fault = "it is of another trace's functions";
	if (!g.fault)
		forget(m);
	if (!g.fault)
		get_paths(&g, stored_bytes);
	if (!g.fault)
		get_funcs(&g);
	if (!g.fault && g.version > 1)
		get_folds(&g);
	if (!g.fault && g.version > 2)
		get_sampled(&g);
	if (!g.fault && g.version > 3)
		summary_get_states(&g);
	free(g.place);
	return g.fault;
}

void model_begins_at(struct model *m, uint64_t first_ns)
{
	m->totals.first_ns = m->totals.from_ns = first_ns;
	m->begun = true;
}

void model_is_up_to(struct model *m, uint64_t ns)
{
	m->totals.up_to_ns = ns;
}
