// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any one event of any fixture may be missing. Then (design.md, section 3):
 * counts of every function stay exact but for the calls concerned; times of
 * calls that do not overlap the gap stay exact; a path may differ only below a
 * lost frame or a lost creation.
 *
 * Of long recordings not every event is tried, but some spread over all;
 * GOTRACE_DROP_ALL=1 tries every one.
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "base/vec.h"
#include "model/model.h"
#include "trace/evlist_fixture.h"

#define FED_EACH 300000 /* events fed for one file, about */

/* A call as the engine said it; `path` is what may differ on its own. */
struct said {
	uint64_t start_ns, end_ns, self_ns, goid;
	uint32_t func, tid, end;
	bool system, suspect;
	uint32_t node;
	uint64_t path;
};

struct answer {
	struct said *calls;
	size_t n, cap;
	uint64_t *counts; /* by function */
	uint64_t *paths;  /* by node: a hash of what leads there */
	bool *concerned;  /* by node: the function of the lost event is on it */
	uint64_t last_ns;
};

static void on_call(void *ctx, const struct call *c)
{
	struct answer *a = ctx;

	assert_int_equal(vec_reserve(&a->calls, &a->cap, a->n + 1), 0);
	a->calls[a->n++] = (struct said){ .start_ns = c->start_ns,
					  .end_ns = c->end_ns,
					  .self_ns = c->self_ns,
					  .goid = c->goid,
					  .func = c->func,
					  .tid = c->tid,
					  .end = c->end,
					  .system = c->system,
					  .node = c->path,
					  .suspect = c->suspect };
}

static int by_moment(const void *x, const void *y)
{
	const struct said *a = x, *b = y;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->goid != b->goid)
		return a->goid < b->goid ? -1 : 1;
	if (a->func != b->func)
		return a->func < b->func ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	if (a->self_ns != b->self_ns)
		return a->self_ns < b->self_ns ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

static void keep_paths(struct answer *a, const struct model *m, uint32_t func)
{
	size_t n;
	const struct path_node *nodes = model_paths(m, &n);

	a->paths = calloc(n, sizeof(*a->paths));
	a->concerned = calloc(n, sizeof(*a->concerned));
	assert_true(a->paths && a->concerned);
	for (size_t i = 1; i < n; i++) { /* parents come first */
		const struct path_node *p = &nodes[i];
		uint64_t h = a->paths[p->parent] * 0x9e3779b97f4a7c15ull + p->func;

		a->paths[i] = (h ^ h >> 31) * 0xd6e8feb86659fd93ull + p->go_edge + p->go_pc;
		a->concerned[i] = a->concerned[p->parent] || p->func == func;
	}
	for (size_t i = 0; i < a->n; i++)
		a->calls[i].path = a->paths[a->calls[i].node];
}

/* All events but l's `without`th. */
static struct answer ask(const struct evlist *l, size_t without, uint32_t func)
{
	struct answer a = { 0 };
	const struct model_options opt = { .on_call = on_call, .ctx = &a };
	struct model *m = model_new(&l->info, &opt);
	size_t n;

	assert_non_null(m);
	for (size_t i = 0; i < l->n; i++)
		if (i != without)
			assert_int_equal(model_feed(m, &l->events[i]), 0);
	assert_int_equal(model_finish(m), 0);
	const struct call_stats *st = model_funcs(m, &n);

	a.counts = calloc(n + 1, sizeof(*a.counts));
	assert_non_null(a.counts);
	for (size_t f = 0; f < n; f++)
		a.counts[f] = st[f].calls;
	a.last_ns = model_totals(m)->last_ns;
	keep_paths(&a, m, func);
	model_free(m);
	if (a.n)
		qsort(a.calls, a.n, sizeof(*a.calls), by_moment);
	return a;
}

static void forget(struct answer *a)
{
	free(a->calls);
	free(a->counts);
	free(a->paths);
	free(a->concerned);
}

/* What one lost event may touch. */
struct gap {
	const struct evlist *l;
	const struct event_ext *e;
	size_t at;
	uint32_t func; /* its function, TRACE_NONE: it names none */
	bool last;     /* the end of what is unfinished was taken from it */
	const char *file;
};

static bool same_stack(const struct event *e, const struct said *c)
{
	bool system = e->flags & EVF_SYSTEM;

	return system == c->system && (system ? e->tid == c->tid : e->goid == c->goid);
}

static bool overlaps(const struct gap *g, const struct said *c)
{
	const struct event *e = &g->e->h;
	bool concerned = same_stack(e, c) || e->kind == EV_IMAGE ||
			 (e->kind == EV_CREATE && !c->system && c->goid == g->e->arg[0]);

	/* Of a suspect call the fixture lacks another event: its times were not exact before. */
	if (c->suspect || (g->last && c->end == CALL_UNFINISHED))
		return true;
	return concerned && c->start_ns <= e->ts_ns &&
	       (c->end_ns >= e->ts_ns || c->end == CALL_UNFINISHED);
}

/* Does goroutine goid descend from `from`, by the creations in the list? */
static bool descends(const struct evlist *l, uint64_t goid, uint64_t from)
{
	for (size_t i = l->n; i-- > 0 && goid != from;)
		if (l->events[i].h.kind == EV_CREATE && l->events[i].arg[0] == goid)
			goid = l->events[i].h.goid;
	return goid == from;
}

static bool path_may_differ(const struct gap *g, const struct answer *whole, const struct said *a,
			    const struct answer *less, const struct said *b)
{
	const struct event *e = &g->e->h;

	if (e->kind == EV_IMAGE)
		return true;
	if (e->kind == EV_CREATE)
		return descends(g->l, a->goid, g->e->arg[0]);
	if (!same_stack(e, a) && (e->flags & EVF_SYSTEM || !descends(g->l, a->goid, e->goid)))
		return false;
	if (g->func == TRACE_NONE)
		return true; /* frames that should be gone, or a goroutine's end */
	return whole->concerned[a->node] || less->concerned[b->node];
}

static void check_counts(const struct gap *g, const struct answer *whole, const struct answer *less)
{
	for (size_t f = 0; f < g->l->info.n_funcs; f++) {
		uint64_t a = whole->counts[f], b = less->counts[f];

		if ((a > b ? a - b : b - a) > (f == g->func))
			fail_msg("%s: without event %zu %s has %d calls, not %d", g->file, g->at,
				 g->l->info.funcs[f].name, (int)b, (int)a);
	}
}

static void check_calls(const struct gap *g, const struct answer *whole, const struct answer *less)
{
	for (size_t i = 0; i < whole->n; i++) {
		const struct said *a = &whole->calls[i], *b;

		if (overlaps(g, a))
			continue;
		b = less->n ? bsearch(a, less->calls, less->n, sizeof(*a), by_moment) : NULL;
		if (!b)
			fail_msg("%s: without event %zu the call of %s at %llu is another", g->file,
				 g->at, g->l->info.funcs[a->func].name,
				 (unsigned long long)a->start_ns);
		else if (a->path != b->path && !path_may_differ(g, whole, a, less, b))
			fail_msg("%s: without event %zu the path of %s at %llu is another", g->file,
				 g->at, g->l->info.funcs[a->func].name,
				 (unsigned long long)a->start_ns);
	}
}

static uint32_t func_of(const struct evlist *l, const struct event *e)
{
	switch ((enum event_kind)e->kind) {
	case EV_ENTRY:
	case EV_EXIT:
	case EV_TAIL:
	case EV_ENTRY_EXIT:
	case EV_ENTRY_TAIL:
	case EV_MORESTACK:
		return e->site < l->info.n_sites ? l->info.sites[e->site].func : TRACE_NONE;
	case EV_STOP:
	case EV_RESUME:
	case EV_CREATE:
	case EV_END:
	case EV_UNWIND:
	case EV_LOSS:
	case EV_IMAGE:
	case EV_RELEASED:
	case EV_STATE:
	case EV_WAKE:
	case EV_WINDOW:
	case EV_SAMPLE:
		break;
	}
	return TRACE_NONE;
}

static void drop_each(const char *file, const struct evlist *l)
{
	size_t all = getenv("GOTRACE_DROP_ALL") ? l->n : l->n ? FED_EACH / l->n + 1 : 0;
	size_t tries = all < l->n ? all : l->n;

	for (size_t k = 0; k < tries; k++) {
		size_t at = k * l->n / tries;
		struct gap g = { .l = l,
				 .e = &l->events[at],
				 .at = at,
				 .func = func_of(l, &l->events[at].h),
				 .last = at + 1 == l->n || l->events[at + 1].h.kind == EV_IMAGE,
				 .file = file };

		if (g.e->h.kind == EV_RELEASED) /* no ring holds one: the recorder makes it */
			continue;
		struct answer whole = ask(l, SIZE_MAX, g.func), less = ask(l, at, g.func);

		g.last |= whole.last_ns != less.last_ns;
		check_counts(&g, &whole, &less);
		check_calls(&g, &whole, &less);
		forget(&whole);
		forget(&less);
	}
}

static void load_trace(struct evlist *l, const char *path)
{
	struct trace_reader *r = trace_reader_open(path);
	struct event_ext ev;
	int got;

	*l = (struct evlist){ 0 };
	assert_non_null(r);
	while ((got = trace_reader_next(r, &ev)) > 0) {
		assert_int_equal(vec_reserve(&l->events, &l->cap, l->n + 1), 0);
		l->events[l->n++] = ev;
	}
	assert_int_equal(got, 0);
	const struct trace_info *info = trace_reader_info(r);

	for (size_t i = 0; i < info->n_funcs; i++)
		assert_int_equal(trace_info_add_func(&l->info, &info->funcs[i]), 0);
	for (size_t i = 0; i < info->n_sites; i++)
		assert_int_equal(trace_info_add_site(&l->info, &info->sites[i]), 0);
	trace_reader_close(r);
}

TEST(test_cases)
{
	glob_t g;

	assert_int_equal(glob("fixtures/cases/*.events", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 40);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct evlist l;

		assert_int_equal(evlist_load(&l, g.gl_pathv[i]), 0);
		drop_each(g.gl_pathv[i], &l);
		evlist_free(&l);
	}
	globfree(&g);
}

TEST(test_recorded)
{
	glob_t g;

	assert_int_equal(glob("fixtures/traces/*.gotrace", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 20);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct evlist l;

		load_trace(&l, g.gl_pathv[i]);
		drop_each(g.gl_pathv[i], &l);
		evlist_free(&l);
	}
	globfree(&g);
}

TESTS(test_cases, test_recorded)
