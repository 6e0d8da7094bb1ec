// SPDX-License-Identifier: BSD-2-Clause
#include "model/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static uint32_t call_hash(uint32_t parent, uint32_t func)
{
	return hash_u64_pair(parent, func);
}

static uint32_t go_hash(uint32_t parent, uint32_t func, uint64_t pc)
{
	return hash_u64_pair((uint64_t)parent << 32 | func, pc);
}

/* The node of func when parent calls it, 0 when there is none. */
static uint32_t find_call(const struct paths *t, uint32_t parent, uint32_t func)
{
	uint32_t hash = call_hash(parent, func);
	size_t at;

	for (uint32_t i = hash_index_first(&t->calls, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&t->calls, hash, &at))
		if (t->hot[i].parent == parent && t->hot[i].func == func)
			return i;
	return 0;
}

/* The node of func when the go statement at pc in parent starts it, 0 when there is none. */
static uint32_t find_go(const struct paths *t, uint32_t parent, uint32_t func, uint64_t pc)
{
	uint32_t hash = go_hash(parent, func, pc);
	size_t at;

	for (uint32_t i = hash_index_first(&t->gos_by_key, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&t->gos_by_key, hash, &at)) {
		const struct path_go *g = &t->gos[i];

		if (g->parent == parent && g->func == func && g->pc == pc)
			return g->node;
	}
	return 0;
}

static int remember_go(struct paths *t, uint32_t parent, uint32_t func, uint64_t pc, uint32_t node)
{
	int err = vec_reserve(&t->gos, &t->cap_gos, t->n_gos + 1);

	if (!err)
		err = hash_index_put(&t->gos_by_key, go_hash(parent, func, pc), (uint32_t)t->n_gos);
	if (!err)
		t->gos[t->n_gos++] = (struct path_go){ parent, func, node, pc };
	return err;
}

/* As vec_reserve, but each element is a whole cache line. */
static int hot_reserve(struct paths *t, size_t need)
{
	if (need <= t->cap_hot)
		return 0;
	size_t cap = t->cap_hot ? 2 * t->cap_hot : 64;
	struct path_hot *fresh = aligned_alloc(sizeof(*fresh), cap * sizeof(*fresh));

	if (!fresh)
		return -ENOMEM;
	if (t->hot)
		memcpy(fresh, t->hot, t->cap_hot * sizeof(*fresh));
	memset(fresh + t->cap_hot, 0, (cap - t->cap_hot) * sizeof(*fresh));
	free(t->hot);
	t->hot = fresh;
	t->cap_hot = cap;
	return 0;
}

/* VIEW_* of a node of func below parent. */
static uint8_t view_of(const struct paths *t, uint32_t parent, uint32_t func)
{
	const struct model_view *v = t->view;
	uint8_t view = v ? t->hot[parent].view & (VIEW_FOCUS | VIEW_IGNORE) : 0;

	if (!v || !v->funcs)
		return 0;
	if (func < PATH_TIMER)
		view |= v->funcs[func];
	/* what stands for any function is not known to be one of those */
	if (view & VIEW_IGNORE || func == PATH_OTHER || (v->focus && !(view & VIEW_FOCUS)))
		view |= VIEW_MUTED;
	return view;
}

static int node_new(struct paths *t, uint32_t parent, uint32_t func, uint32_t *node)
{
	int err = vec_reserve(&t->nodes, &t->cap, t->n + 1);

	if (!err)
		err = vec_reserve(&t->aux, &t->cap_aux, t->n + 1);
	if (!err)
		err = hot_reserve(t, t->n + 1);
	if (err)
		return err;
	uint32_t id = (uint32_t)t->n++;

	t->nodes[id].parent = parent;
	t->nodes[id].func = func;
	t->nodes[id].max_recursion = 1;
	t->hot[id].parent = parent;
	t->hot[id].func = func;
	t->hot[id].min_ns = UINT64_MAX;
	t->hot[id].view = view_of(t, parent, func);
	if (id != parent) {
		t->nodes[id].next_sibling = t->nodes[parent].first_child;
		t->nodes[parent].first_child = id;
	}
	*node = id;
	return 0;
}

int paths_init(struct paths *t, uint32_t max)
{
	uint32_t root;

	*t = (struct paths){ .max = max ? max : PATHS_DEFAULT_MAX };
	return node_new(t, 0, PATH_ROOT, &root);
}

void paths_free(struct paths *t)
{
	for (size_t i = 0; i < t->n; i++)
		hist_free(&t->nodes[i].stats.hist);
	free(t->nodes);
	free(t->aux);
	free(t->hot);
	free(t->gos);
	hash_index_free(&t->calls);
	hash_index_free(&t->gos_by_key);
	path_events_free(&t->events);
}

static int special(struct paths *t, uint32_t func, uint32_t *kept, uint32_t *node)
{
	int err = *kept ? 0 : node_new(t, 0, func, kept);

	*node = *kept;
	return err;
}

int paths_timer(struct paths *t, uint32_t *node)
{
	return special(t, PATH_TIMER, &t->timer, node);
}

/* Makes a node in *node, or gives PATH_OTHER's when the tree is full. */
static int grow(struct paths *t, uint32_t parent, uint32_t func, uint32_t *node)
{
	if (t->n - !!t->other - !!t->timer > t->max) {
		t->refused++;
		return special(t, PATH_OTHER, &t->other, node);
	}
	return node_new(t, parent, func, node);
}

static int grow_call(struct paths *t, uint32_t parent, uint32_t func, uint32_t *node)
{
	int err = grow(t, parent, func, node);

	if (!err && *node != t->other)
		err = hash_index_put(&t->calls, call_hash(parent, func), *node);
	if (err || *node == t->other)
		return err;
	struct path_aux *a = &t->aux[*node];
	bool outermost = true;

	a->go_up = t->aux[parent].go_up;
	a->outer = t->hot[parent].outermost ? parent : t->aux[parent].outer;
	/* Steps over first occurrences only: as many as the chain has distinct functions. */
	for (uint32_t up = a->outer; up && outermost; up = t->aux[up].outer)
		outermost = t->hot[up].func != func;
	t->hot[*node].outermost = outermost;
	return 0;
}

static int grow_go(struct paths *t, uint32_t parent, uint32_t func, uint64_t pc, uint32_t *node)
{
	int err = grow(t, parent, func, node);

	if (!err && *node != t->other)
		err = remember_go(t, parent, func, pc, *node);
	if (err || *node == t->other)
		return err;
	t->nodes[*node].go_edge = true;
	t->nodes[*node].go_pc = pc;
	t->aux[*node].go_up = *node;
	t->hot[*node].outermost = true;
	return 0;
}

int paths_find(struct paths *t, uint32_t parent, uint32_t func, uint32_t *node)
{
	if (parent && parent == t->other) {
		*node = parent;
		return 0;
	}
	*node = find_call(t, parent, func);
	if (!*node) {
		int err = grow_call(t, parent, func, node);

		if (err || *node == t->other)
			return err;
	}
	uint32_t last = t->hot[parent].last_child;

	if (last)
		t->hot[last].then = *node;
	t->hot[parent].last_child = *node;
	return 0;
}

int paths_go(struct paths *t, uint32_t parent, uint32_t func, uint64_t pc, uint32_t *node)
{
	if (parent && parent == t->other) {
		*node = parent;
		return 0;
	}
	*node = find_go(t, parent, func, pc);
	if (*node)
		return 0;
	for (uint32_t up = t->aux[parent].go_up; up; up = t->aux[t->nodes[up].parent].go_up)
		if (t->nodes[up].func == func && t->nodes[up].go_pc == pc) {
			*node = up;
			/* Once found, found at once; no more such notes than nodes. */
			return t->calls.n + t->n_gos < 2 * (size_t)t->max
				       ? remember_go(t, parent, func, pc, up)
				       : 0;
		}
	return grow_go(t, parent, func, pc, node);
}

int paths_unusual_event(struct paths *t, uint32_t node, int end, uint8_t code)
{
	uint8_t *usual = &t->hot[node].usual[end];

	if (!*usual) {
		*usual = code;
		return 0;
	}
	t->aux[node].unusual[end]++;
	return path_events_add(&t->events, node, code);
}

void paths_settle(struct paths *t)
{
	for (size_t i = 1; i < t->n; i++) {
		const struct path_hot *h = &t->hot[i];
		struct call_stats *st = &t->nodes[i].stats;

		st->calls += h->finished;
		st->finished += h->finished;
		st->total_ns += h->sum_ns;
		st->self_ns += h->self_ns;
		st->sum_ns += h->sum_ns;
		st->min_ns = h->finished ? h->min_ns : 0;
		st->max_ns = h->max_ns;
	}
}

void paths_forget(struct paths *t)
{
	path_events_free(&t->events);
	t->events = (struct path_event_table){ 0 };
	for (size_t i = 0; i < t->n; i++) {
		struct path_hot *h = &t->hot[i];

		h->finished = h->sum_ns = h->max_ns = h->self_ns = 0;
		h->min_ns = UINT64_MAX;
		h->usual[0] = h->usual[1] = 0;
		t->aux[i].unusual[0] = t->aux[i].unusual[1] = 0;
		t->nodes[i].stats = (struct call_stats){ 0 };
		t->nodes[i].recursive = 0;
		t->nodes[i].max_recursion = 1;
	}
}
