// SPDX-License-Identifier: BSD-2-Clause
/*
 * What single goroutines did, path by path: kept while they live, and of those
 * that ended for the heaviest few. Memory grows with what is alive at a time,
 * up to a limit.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "export/html/html.h"

#define MOST_VISITS  ((size_t)1 << 22) /* 128 MiB with their tables */
#define DEAD         ((struct track *)1)
#define SMALL_VISITS ((size_t)50000) /* visits that a page always has room for; see choose() */

struct track {
	uint64_t id; /* goid or thread id */
	bool system;
	bool partial; /* the limit was reached: some calls are missing */
	struct html_visit *visits;
	size_t n, cap;
	/* hash table of visits by path, index + 1 */
	uint32_t *slots;
	size_t n_slots;
};

struct html_tracks {
	/* used: with the dead */
	struct track **slots;
	size_t n_slots, used;
	size_t visits; /* of all alive */
};

static size_t home(uint64_t id, bool system)
{
	uint64_t h = (id << 1 | system) * 0x9e3779b97f4a7c15u;

	return (size_t)(h ^ h >> 32);
}

/* Its slot, or an empty one. */
static struct track **slot_of(const struct html_tracks *t, uint64_t id, bool system)
{
	for (size_t at = home(id, system);; at++) {
		struct track **slot = &t->slots[at & (t->n_slots - 1)];

		if (!*slot || (*slot != DEAD && (*slot)->id == id && (*slot)->system == system))
			return slot;
	}
}

/* Doubles when it is full of the living; forgets the dead in either case. */
static int more_slots(struct html_tracks *t)
{
	struct track **old = t->slots;
	size_t n_old = t->n_slots, alive = 0;

	for (size_t i = 0; i < n_old; i++)
		alive += old[i] && old[i] != DEAD;
	t->n_slots = n_old && alive * 4 < n_old ? n_old : n_old ? 2 * n_old : 256;
	t->slots = calloc(t->n_slots, sizeof(*t->slots));
	if (!t->slots) {
		t->slots = old;
		t->n_slots = n_old;
		return -ENOMEM;
	}
	for (size_t i = 0; i < n_old; i++)
		if (old[i] && old[i] != DEAD)
			*slot_of(t, old[i]->id, old[i]->system) = old[i];
	t->used = alive;
	free(old);
	return 0;
}

static void track_free(struct track *k)
{
	free(k->visits);
	free(k->slots);
	free(k);
}

static struct track *track_of(struct html_tracks *t, uint64_t id, bool system)
{
	if (2 * (t->used + 1) > t->n_slots && more_slots(t))
		return NULL;
	struct track **slot = slot_of(t, id, system);

	if (!*slot) {
		*slot = calloc(1, sizeof(**slot));
		if (!*slot)
			return NULL;
		(*slot)->id = id;
		(*slot)->system = system;
		t->used++;
	}
	return *slot;
}

static uint32_t *visit_slot(const struct track *k, uint32_t path)
{
	for (size_t at = path * 0x9e3779b1u;; at++) {
		uint32_t *slot = &k->slots[at & (k->n_slots - 1)];

		if (!*slot || k->visits[*slot - 1].path == path)
			return slot;
	}
}

static int more_visit_slots(struct track *k)
{
	size_t n = k->n_slots ? 2 * k->n_slots : 8;
	uint32_t *fresh = calloc(n, sizeof(*fresh));

	if (!fresh)
		return -ENOMEM;
	free(k->slots);
	k->slots = fresh;
	k->n_slots = n;
	for (size_t i = 0; i < k->n; i++)
		*visit_slot(k, k->visits[i].path) = (uint32_t)i + 1;
	return 0;
}

static int add_visit(struct html_tracks *t, struct track *k, const struct html_visit *v)
{
	int err = 0;

	if (2 * (k->n + 1) > k->n_slots)
		err = more_visit_slots(k);
	if (err)
		return err;
	uint32_t *slot = visit_slot(k, v->path);

	if (!*slot) {
		err = vec_reserve(&k->visits, &k->cap, k->n + 1);
		if (err)
			return err;
		k->visits[k->n] = (struct html_visit){ .path = v->path };
		*slot = (uint32_t)++k->n;
		t->visits++;
	}
	struct html_visit *sum = &k->visits[*slot - 1];

	sum->calls += v->calls;
	sum->self_ns += v->self_ns;
	sum->morestack_ns += v->morestack_ns;
	sum->preempt_ns += v->preempt_ns;
	return 0;
}

static void visit(struct html_goroutines *g, uint64_t id, bool system, const struct html_visit *v)
{
	if (!g->tracks && !g->err) {
		g->tracks = calloc(1, sizeof(*g->tracks));
		g->err = g->tracks ? 0 : -ENOMEM;
	}
	if (g->err)
		return;
	struct track *k = track_of(g->tracks, id, system);

	if (!k)
		g->err = -ENOMEM;
	else if (g->tracks->visits < MOST_VISITS)
		g->err = add_visit(g->tracks, k, v);
	else
		k->partial = true;
}

void html_goroutines_call(struct html_goroutines *g, const struct call *c)
{
	visit(g, c->system ? c->tid : c->goid, c->system,
	      &(struct html_visit){ .path = c->path, .calls = 1, .self_ns = c->self_ns });
}

void html_goroutines_stop(struct html_goroutines *g, const struct stop_time *t)
{
	visit(g, t->goid, t->system,
	      &(struct html_visit){ .path = t->path,
				    .morestack_ns = t->morestack_ns,
				    .preempt_ns = t->preempt_ns });
}

static int by_weight(const void *x, const void *y)
{
	const struct goroutine_info *a = &((const struct html_goroutine *)x)->info;
	const struct goroutine_info *b = &((const struct html_goroutine *)y)->info;

	if (a->total_ns != b->total_ns)
		return (a->total_ns < b->total_ns) - (a->total_ns > b->total_ns);
	if (a->image != b->image)
		return (a->image > b->image) - (a->image < b->image);
	if (a->system != b->system)
		return a->system - b->system;
	return (a->goid > b->goid) - (a->goid < b->goid);
}

/* Takes over k's visits when it is among the heaviest. */
static void keep(struct html_goroutines *g, const struct goroutine_info *info, struct track *k)
{
	struct html_goroutine fresh = { *info, k->visits, k->n };
	size_t lightest = 0;

	if (g->n < HTML_GOROUTINES) {
		g->kept[g->n++] = fresh;
		k->visits = NULL;
		return;
	}
	for (size_t i = 1; i < g->n; i++)
		if (by_weight(&g->kept[lightest], &g->kept[i]) < 0)
			lightest = i;
	if (by_weight(&fresh, &g->kept[lightest]) > 0)
		return;
	free(g->kept[lightest].visits);
	g->kept[lightest] = fresh;
	k->visits = NULL;
}

void html_goroutines_end(struct html_goroutines *g, const struct goroutine_info *info)
{
	if (g->err || !g->tracks || !g->tracks->n_slots)
		return;
	struct track **slot = slot_of(g->tracks, info->goid, info->system), *k = *slot;

	if (!k)
		return;
	g->tracks->visits -= k->n;
	if (k->partial)
		g->untracked++;
	else if (k->n)
		keep(g, info, k);
	track_free(k);
	*slot = DEAD;
}

static int by_path(const void *x, const void *y)
{
	const struct html_visit *a = x, *b = y;

	return (a->path > b->path) - (a->path < b->path);
}

/* Calls of these functions are there, but may have ended otherwise: paths without a visit of their
 * own. */
static int complete(struct html_goroutine *g, const struct call_tree *t, bool *has)
{
	size_t cap = g->n_visits;
	int err = 0;

	for (size_t i = 0; i < g->n_visits; i++)
		has[g->visits[i].path] = true;
	for (size_t i = 0; !err && i < g->n_visits; i++) {
		const struct call_node *x = &t->nodes[g->visits[i].path];

		if (x->go || !x->parent || has[x->parent])
			continue;
		err = vec_reserve(&g->visits, &cap, g->n_visits + 1);
		if (!err)
			g->visits[g->n_visits++] = (struct html_visit){ .path = x->parent };
		has[x->parent] = true;
	}
	for (size_t i = 0; i < g->n_visits; i++)
		has[g->visits[i].path] = false;
	return err;
}

/* A page's goroutines take a quarter of what its tree does, at most: of those kept, what fits. */
static void choose(struct html_goroutines *g, size_t n_nodes)
{
	size_t room = n_nodes / 4 > SMALL_VISITS ? n_nodes / 4 : SMALL_VISITS, n = 0;

	if (g->n)
		qsort(g->kept, g->n, sizeof(*g->kept), by_weight);
	for (size_t i = 0; i < g->n; i++) {
		if (g->kept[i].n_visits <= room) {
			room -= g->kept[i].n_visits;
			g->kept[n++] = g->kept[i];
		} else {
			free(g->kept[i].visits);
			g->untracked++;
		}
	}
	g->n = n;
}

int html_goroutines_finish(struct html_goroutines *g, const struct call_tree *t)
{
	bool *has = calloc(t->n, sizeof(*has));
	int err = g->err ? g->err : has ? 0 : -ENOMEM;

	choose(g, t->n);
	for (size_t i = 0; !err && i < g->n; i++) {
		for (size_t v = 0; v < g->kept[i].n_visits; v++)
			g->kept[i].visits[v].path = t->node_of[g->kept[i].visits[v].path];
		err = complete(&g->kept[i], t, has);
		qsort(g->kept[i].visits, g->kept[i].n_visits, sizeof(*g->kept[i].visits), by_path);
	}
	free(has);
	return err;
}

void html_goroutines_free(struct html_goroutines *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->kept[i].visits);
	for (size_t i = 0; g->tracks && i < g->tracks->n_slots; i++)
		if (g->tracks->slots[i] && g->tracks->slots[i] != DEAD)
			track_free(g->tracks->slots[i]);
	if (g->tracks)
		free(g->tracks->slots);
	free(g->tracks);
	*g = (struct html_goroutines){ 0 };
}
