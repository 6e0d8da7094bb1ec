// SPDX-License-Identifier: BSD-2-Clause
#include "model/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/path_chains.h"

static uint32_t call_hash(uint32_t parent, uint32_t func)
{
	return hash_u64_pair(parent, func);
}

static uint32_t go_hash(uint32_t parent, uint32_t func, uint64_t pc)
{
	return hash_u64_pair((uint64_t)parent << 32 | func, pc);
}

static bool is_call(const struct paths *t, uint32_t i, uint32_t parent, uint32_t func)
{
	if (i < PATHS_FOLD)
		return t->hot[i].parent == parent && t->hot[i].func == func;
	const struct path_fold *f = &t->folds[i - PATHS_FOLD];

	return f->from == parent && t->hot[f->to].func == func;
}

/* The node of func when parent calls it, or with `folds` PATHS_FOLD plus that fold; 0 when there is
 * none. */
static uint32_t find_call(const struct paths *t, uint32_t parent, uint32_t func, bool folds)
{
	uint32_t hash = call_hash(parent, func);
	size_t at;

	for (uint32_t i = hash_index_first(&t->calls, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&t->calls, hash, &at))
		if (is_call(t, i, parent, func) && (folds || i < PATHS_FOLD))
			return i;
	return 0;
}

uint32_t paths_called(const struct paths *t, uint32_t parent, uint32_t func)
{
	uint32_t i = find_call(t, parent, func, true);

	return i < PATHS_FOLD ? i : t->folds[i - PATHS_FOLD].to;
}

/* The node above on the same goroutine, 0: none. */
static uint32_t above(const struct paths *t, uint32_t node)
{
	return t->aux[node].go_up == node ? 0 : t->hot[node].parent;
}

/* Is what func makes of the path parent, from behind `first` on, what ends with `first`? */
static bool repeats(const struct paths *t, uint32_t parent, uint32_t first)
{
	uint32_t a = parent, b = above(t, first);

	for (; a != first; a = t->hot[a].parent, b = above(t, b))
		if (!b || t->hot[a].func != t->hot[b].func)
			return false;
	return true;
}

/* The node that func, called below parent, folds into; 0: into none. */
static uint32_t find_cycle(const struct paths *t, uint32_t parent, uint32_t func)
{
	uint32_t first = above(t, parent);

	for (unsigned n = 2; first && n <= PATHS_CYCLE_MAX; n++, first = above(t, first))
		if (t->hot[first].func == func && repeats(t, parent, first))
			return first;
	return 0;
}

/* Folds what parent calls into `to`, and remembers it if there is room. */
static int fold(struct paths *t, uint32_t parent, uint32_t to)
{
	uint32_t i = (uint32_t)t->n_folds;

	t->fold = PATHS_NO_FOLD;
	if (t->calls.n + t->n_gos >= 2 * (size_t)t->max)
		return 0;
	int err = vec_reserve(&t->folds, &t->cap_folds, t->n_folds + 1);

	if (!err)
		err = hash_index_put(&t->calls, call_hash(parent, t->hot[to].func), PATHS_FOLD + i);
	if (err)
		return err;
	t->folds[t->n_folds++] = (struct path_fold){ .from = parent, .to = to };
	t->fold = i;
	return 0;
}

void paths_pass_over(struct paths *t, uint32_t from, uint32_t to, uint64_t ns)
{
	/* What passes while their calls are open is added whole when these end. */
	for (; from != to; from = t->hot[from].parent)
		t->nodes[from].stats.total_ns -= ns;
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
		t->gos[t->n_gos++] = (struct path_go){ parent, func, node, 0, pc };
	return err;
}

/* Nodes, the special ones included, that there may be. */
static size_t most_nodes(const struct paths *t)
{
	return (size_t)t->max + 4;
}

/* As vec_reserve_most, but each element is a whole cache line. */
static int hot_reserve(struct paths *t, size_t need)
{
	if (need <= t->cap_hot)
		return 0;
	size_t cap = vec_room(t->cap_hot, need, most_nodes(t));
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
		view |= v->funcs[paths_plain(t, func)];
	if (func < PATH_TIMER && func >= t->n_plain && v->row)
		view |= v->row(v->row_ctx, func);
	/* what stands for any function is not known to be one of those */
	if (view & VIEW_IGNORE || func == PATH_OTHER || (v->focus && !(view & VIEW_FOCUS)))
		view |= VIEW_MUTED;
	return view;
}

static int node_new(struct paths *t, uint32_t parent, uint32_t func, uint32_t *node)
{
	int err = vec_reserve_most(&t->nodes, &t->cap, t->n + 1, most_nodes(t));

	if (!err)
		err = vec_reserve_most(&t->aux, &t->cap_aux, t->n + 1, most_nodes(t));
	if (!err)
		err = hot_reserve(t, t->n + 1);
	if (!err && t->keep_selfs)
		err = vec_reserve_most(&t->selfs, &t->cap_selfs, t->n + 1, most_nodes(t));
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
	path_chains_node(t, id, parent);
	if (id != parent) {
		t->nodes[id].next_sibling = t->nodes[parent].first_child;
		t->nodes[parent].first_child = id;
	}
	*node = id;
	return 0;
}

int paths_init(struct paths *t, uint32_t max, bool keep_selfs)
{
	uint32_t root;

	*t = (struct paths){ .n_plain = UINT32_MAX,
			     .max = max ? max : PATHS_DEFAULT_MAX,
			     .keep_selfs = keep_selfs };
	return node_new(t, 0, PATH_ROOT, &root);
}

void paths_free(struct paths *t)
{
	for (size_t i = 0; i < t->n; i++)
		hist_free(&t->nodes[i].stats.hist);
	free(t->nodes);
	free(t->aux);
	free(t->hot);
	free(t->selfs);
	free(t->gos);
	free(t->folds);
	hash_index_free(&t->calls);
	hash_index_free(&t->gos_by_key);
	hash_index_free(&t->go_lasts);
	free(t->last_of);
	free(t->plain_of);
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

	a->go_up = t->aux[parent].go_up;
	a->outer = t->hot[parent].outermost ? parent : t->aux[parent].outer;
	return path_chains_has(t, parent, func) ? 0 : path_chains_outermost(t, *node, func);
}

static int grow_go(struct paths *t, uint32_t parent, uint32_t func, uint64_t pc, uint32_t *node)
{
	int err = grow(t, parent, func, node);

	if (!err && *node != t->other)
		err = remember_go(t, parent, func, pc, *node);
	if (!err && *node != t->other)
		err = path_chains_go(t);
	if (err || *node == t->other)
		return err;
	t->nodes[*node].go_edge = true;
	t->nodes[*node].go_pc = pc;
	t->aux[*node].go_up = *node;
	return path_chains_outermost(t, *node, func);
}

int paths_find(struct paths *t, uint32_t parent, uint32_t func, uint32_t *node)
{
	if (parent && parent == t->other) {
		*node = parent;
		return 0;
	}
	uint32_t found = find_call(t, parent, func, true), to = 0;

	if (found >= PATHS_FOLD) {
		t->fold = found - PATHS_FOLD;
		*node = t->folds[t->fold].to;
		return 0;
	}
	*node = found ? found : (to = find_cycle(t, parent, func));
	if (to)
		return fold(t, parent, to);
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
	*node = path_chains_find_go(t, parent, func, pc);
	if (!*node)
		return grow_go(t, parent, func, pc, node);
	/* Once found, found at once; no more such notes than nodes. */
	return t->calls.n + t->n_gos < 2 * (size_t)t->max ? remember_go(t, parent, func, pc, *node)
							  : 0;
}

int paths_again(struct paths *t, const struct path_node *as, uint32_t parent, uint32_t *node)
{
	if (as->func == PATH_OTHER)
		return special(t, PATH_OTHER, &t->other, node);
	if (as->func == PATH_TIMER)
		return paths_timer(t, node);
	*node = as->go_edge ? find_go(t, parent, as->func, as->go_pc)
			    : find_call(t, parent, as->func, false);
	if (*node)
		return 0;
	return as->go_edge ? grow_go(t, parent, as->func, as->go_pc, node)
			   : grow_call(t, parent, as->func, node);
}

int paths_fold_again(struct paths *t, const struct path_fold *as)
{
	uint32_t found = find_call(t, as->from, t->hot[as->to].func, true);
	int err = 0;

	if (found >= PATHS_FOLD)
		t->fold = found - PATHS_FOLD;
	else
		err = fold(t, as->from, as->to);
	if (!err && t->fold != PATHS_NO_FOLD)
		t->folds[t->fold].calls = as->calls;
	return err;
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
	vec_trim(&t->nodes, &t->cap, t->n);
	vec_trim(&t->aux, &t->cap_aux, t->n);
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
		if (t->n_folds && st->suspect_ns > st->total_ns)
			st->suspect_ns = st->total_ns; /* a suspect call's total may be others' */
	}
}

void paths_forget(struct paths *t)
{
	path_events_free(&t->events);
	t->events = (struct path_event_table){ 0 };
	for (size_t i = 0; i < t->n_folds; i++)
		t->folds[i].calls = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct path_hot *h = &t->hot[i];

		h->finished = h->sum_ns = h->max_ns = h->self_ns = 0;
		h->min_ns = UINT64_MAX;
		h->usual[0] = h->usual[1] = 0;
		if (t->selfs)
			t->selfs[i] = (struct path_selfs){ 0 };
		t->aux[i].unusual[0] = t->aux[i].unusual[1] = 0;
		t->nodes[i].stats = (struct call_stats){ 0 };
		t->nodes[i].recursive = t->nodes[i].again = 0;
		t->nodes[i].max_recursion = 1;
	}
}
