// SPDX-License-Identifier: BSD-2-Clause
/*
 * What single goroutines did, path by path: kept while they live, and of those
 * that ended for the heaviest few. Memory grows with what is alive at a time,
 * up to a limit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/correction.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "export/html/html.h"

#define MOST_VISITS  ((size_t)1 << 22) /* 160 MiB; with their tables half as much again */
#define SMALL_VISITS ((size_t)50000)   /* visits that a page always has room for; see choose() */
/*
 * Visits are allocated in blocks, since one array a goroutine would leave holes of all sizes in the
 * heap as it grows. The first block is searched one by one: most goroutines need no table.
 */
#define BLOCK_VISITS 16

/* A goroutine that is alive, or a system stack. */
struct live {
	uint64_t id; /* goid or thread id */
	bool system;
	bool partial; /* the limit was reached: some calls are missing */
	struct html_visit **blocks;
	size_t n_blocks, cap_blocks;
	size_t n;                  /* visits in the blocks */
	struct hash_index by_path; /* of visits, once they are more than a block */
};

struct html_live {
	struct live *all;
	size_t n, cap;
	struct hash_index index; /* of all */
	size_t visits;           /* of all together */
};

static uint32_t hash_of(uint64_t id, bool system)
{
	return hash_u64(id << 1 | system);
}

/* Its index, or HASH_NONE. */
static uint32_t find_live(const struct html_live *l, uint64_t id, bool system)
{
	uint32_t hash = hash_of(id, system), i;
	size_t at;

	for (i = hash_index_first(&l->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&l->index, hash, &at))
		if (l->all[i].id == id && l->all[i].system == system)
			break;
	return i;
}

/* NULL: no memory */
static struct live *live_of(struct html_live *l, uint64_t id, bool system)
{
	uint32_t i = find_live(l, id, system);

	if (i != HASH_NONE)
		return &l->all[i];
	if (vec_reserve(&l->all, &l->cap, l->n + 1) ||
	    hash_index_put(&l->index, hash_of(id, system), (uint32_t)l->n))
		return NULL;
	l->all[l->n] = (struct live){ .id = id, .system = system };
	return &l->all[l->n++];
}

static void live_free(struct live *k)
{
	for (size_t i = 0; i < k->n_blocks; i++)
		free(k->blocks[i]);
	free(k->blocks);
	hash_index_free(&k->by_path);
}

/* Frees the i-th; the last takes its place. */
static void remove_live(struct html_live *l, uint32_t i)
{
	struct live *gone = &l->all[i], *last = &l->all[--l->n];

	hash_index_remove(&l->index, hash_of(gone->id, gone->system), i);
	live_free(gone);
	if (gone != last) {
		hash_index_move(&l->index, hash_of(last->id, last->system), (uint32_t)l->n, i);
		*gone = *last;
	}
}

static struct html_visit *visit_at(const struct live *k, size_t i)
{
	return &k->blocks[i / BLOCK_VISITS][i % BLOCK_VISITS];
}

static struct html_visit *find_visit(const struct live *k, uint32_t path)
{
	uint32_t hash = hash_near(0, path);
	size_t at;

	if (!k->by_path.n) {
		for (size_t i = 0; i < k->n; i++)
			if (visit_at(k, i)->path == path)
				return visit_at(k, i);
		return NULL;
	}
	for (uint32_t i = hash_index_first(&k->by_path, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&k->by_path, hash, &at))
		if (visit_at(k, i)->path == path)
			return visit_at(k, i);
	return NULL;
}

static int add_block(struct live *k)
{
	if (vec_reserve(&k->blocks, &k->cap_blocks, k->n_blocks + 1))
		return -ENOMEM;
	struct html_visit *block = malloc(BLOCK_VISITS * sizeof(*block));

	if (!block)
		return -ENOMEM;
	k->blocks[k->n_blocks++] = block;
	return 0;
}

/* A visit that has nothing yet. NULL: no memory */
static struct html_visit *new_visit(struct live *k, uint32_t path)
{
	if (k->n == k->n_blocks * BLOCK_VISITS && add_block(k))
		return NULL;
	*visit_at(k, k->n++) = (struct html_visit){ .path = path };
	if (k->n > BLOCK_VISITS)
		for (size_t i = k->by_path.n; i < k->n; i++)
			if (hash_index_put(&k->by_path, hash_near(0, visit_at(k, i)->path),
					   (uint32_t)i))
				return NULL;
	return visit_at(k, k->n - 1);
}

static int add_visit(struct html_live *l, struct live *k, const struct html_visit *v)
{
	struct html_visit *sum = find_visit(k, v->path);

	if (!sum) {
		sum = new_visit(k, v->path);
		if (!sum)
			return -ENOMEM;
		l->visits++;
	}
	sum->calls += v->calls;
	sum->self_ns += v->self_ns;
	sum->morestack_ns += v->morestack_ns;
	sum->preempt_ns += v->preempt_ns;
	return 0;
}

static void visit(struct html_goroutines *g, uint64_t id, bool system, const struct html_visit *v)
{
	if (!g->live && !g->err) {
		g->live = calloc(1, sizeof(*g->live));
		g->err = g->live ? 0 : -ENOMEM;
	}
	if (g->err)
		return;
	struct live *k = live_of(g->live, id, system);

	if (!k)
		g->err = -ENOMEM;
	else if (g->live->visits < MOST_VISITS)
		g->err = add_visit(g->live, k, v);
	else
		k->partial = true;
}

void html_goroutines_call(struct html_goroutines *g, const struct call *c)
{
	visit(g, c->system ? c->tid : c->goid, c->system,
	      &(struct html_visit){ .path = c->path, .calls = 1, .self_ns = c->self_ns });
}

void html_goroutines_stop(struct html_goroutines *g, const struct prologue_stop_time *t)
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

/* Its visits as one array, the caller's. NULL: no memory */
static struct html_visit *copy_visits(const struct live *k)
{
	struct html_visit *all = malloc(k->n * sizeof(*all));

	for (size_t i = 0; all && i < k->n; i += BLOCK_VISITS) {
		size_t n = k->n - i < BLOCK_VISITS ? k->n - i : BLOCK_VISITS;

		memcpy(&all[i], visit_at(k, i), n * sizeof(*all));
	}
	return all;
}

/* Keeps what a goroutine did when it is among the heaviest. 0 or -ENOMEM */
static int keep(struct html_goroutines *g, const struct goroutine_info *info, const struct live *k)
{
	struct html_goroutine fresh = { .info = *info, .n_visits = k->n };
	size_t lightest = 0;

	if (g->n == HTML_GOROUTINES) {
		for (size_t i = 1; i < g->n; i++)
			if (by_weight(&g->kept[lightest], &g->kept[i]) < 0)
				lightest = i;
		if (by_weight(&fresh, &g->kept[lightest]) > 0)
			return 0;
	}
	fresh.visits = copy_visits(k);
	if (!fresh.visits)
		return -ENOMEM;
	if (g->n < HTML_GOROUTINES) {
		g->kept[g->n++] = fresh;
	} else {
		free(g->kept[lightest].visits);
		g->kept[lightest] = fresh;
	}
	return 0;
}

/* Paths stand behind those that they go on from. 0 or -ENOMEM */
static int find_roots(struct html_goroutines *g, const struct path_node *nodes, size_t n)
{
	if (vec_reserve(&g->started, &g->cap_started, n))
		return -ENOMEM;
	for (size_t i = g->n_started; i < n; i++)
		g->started[i] =
			(struct html_started){ .root = nodes[i].go_edge || !nodes[i].parent
							       ? (uint32_t)i
							       : g->started[nodes[i].parent].root };
	g->n_started = n > g->n_started ? n : g->n_started;
	return 0;
}

/* It counts once for each outermost function that it was in. 0 or -ENOMEM */
static int count_start(struct html_goroutines *g, const struct live *k, const struct model *m)
{
	size_t n;
	const struct path_node *nodes = model_paths(m, &n);
	bool unstarted = false;
	const uint64_t id = ++g->n_counted;

	if (find_roots(g, nodes, n))
		return -ENOMEM;
	for (size_t i = 0; i < k->n; i++) {
		struct html_started *s = &g->started[g->started[visit_at(k, i)->path].root];

		unstarted |= !nodes[s->root].go_edge;
		s->goroutines += nodes[s->root].go_edge && s->last != id;
		s->last = id;
	}
	g->unstarted += unstarted;
	return 0;
}

void html_goroutines_end(struct html_goroutines *g, const struct goroutine_info *info,
			 const struct model *m)
{
	if (g->err || !g->live)
		return;
	uint32_t i = find_live(g->live, info->goid, info->system);

	if (i == HASH_NONE)
		return;
	const struct live *k = &g->live->all[i];

	g->live->visits -= k->n;
	if (!info->system)
		g->err = count_start(g, k, m);
	if (g->err)
		return;
	if (k->partial)
		g->untracked++;
	else if (k->n)
		g->err = keep(g, info, k);
	remove_live(g->live, i);
}

static int by_path(const void *x, const void *y)
{
	const struct html_visit *a = x, *b = y;

	return (a->path > b->path) - (a->path < b->path);
}

/* Calls of these functions are there, but may have ended otherwise: paths without a visit. */
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

/* Takes out of the visits their part of what was taken out of their path. */
static void correct(struct html_goroutine *g, const struct path_node *nodes)
{
	for (size_t i = 0; i < g->n_visits; i++) {
		struct html_visit *v = &g->visits[i];
		uint64_t left_ns = correction_part(&nodes[v->path].stats, v->self_ns);

		g->info.total_ns -= v->self_ns - left_ns;
		v->self_ns = left_ns;
	}
}

int html_goroutines_finish(struct html_goroutines *g, const struct loaded_trace *trace,
			   const struct call_tree *t)
{
	size_t n;
	const struct path_node *nodes = model_paths(trace->model, &n);

	bool *has = calloc(t->n, sizeof(*has));
	int err = g->err ? g->err : has ? 0 : -ENOMEM;

	choose(g, t->n);
	for (size_t i = 0; !err && i < g->n; i++) {
		correct(&g->kept[i], nodes);
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
	for (size_t i = 0; g->live && i < g->live->n; i++)
		live_free(&g->live->all[i]);
	if (g->live) {
		free(g->live->all);
		hash_index_free(&g->live->index);
	}
	free(g->live);
	free(g->started);
	*g = (struct html_goroutines){ 0 };
}
