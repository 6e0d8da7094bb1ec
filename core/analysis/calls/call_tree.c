// SPDX-License-Identifier: BSD-2-Clause
/*
 * In three steps. Keys: what makes a node, found or made for each node of the source, parents
 * before children. Order: siblings are sorted and the keys laid down as nodes. Filling: the
 * source's numbers are added to the nodes.
 */
#include "analysis/calls/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "base/compare.h"
#include "base/hash_index.h"
#include "base/log.h"
#include "base/vec.h"

struct key {
	uint32_t parent, func;
	bool go;        /* MERGE_FUNCTIONS: never */
	uint64_t go_pc; /* MERGE_NOTHING only */
	uint64_t subtree_ns;
};

struct building {
	const struct trace_info *info;
	const struct call_tree_options *opt;
	struct key *keys;
	size_t n;
	struct hash_index index; /* of keys */
	uint32_t *rank;          /* of functions, [other] and the timer: equal names have one */
	uint32_t *first;         /* of functions: the first that has its name */
};

/* ---- names */

/* Functions by index, then [other], then the timer. */
static size_t rank_slot(const struct trace_info *info, uint32_t func)
{
	return func < info->n_funcs ? func : info->n_funcs + (func == PATH_TIMER);
}

static const char *slot_name(const struct trace_info *info, uint32_t slot)
{
	return trace_name_func(info, slot < info->n_funcs    ? slot
				     : slot == info->n_funcs ? PATH_OTHER
							     : PATH_TIMER);
}

static int by_slot_name(const void *x, const void *y, void *ctx)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = strcmp(slot_name(ctx, a), slot_name(ctx, b));

	return c ? c : compare_u64(a, b);
}

static int rank_names(struct building *b)
{
	size_t n = b->info->n_funcs + 2;
	uint32_t *sorted = calloc(n, sizeof(*sorted)), rank = 0;

	b->rank = calloc(n, sizeof(*b->rank));
	b->first = calloc(n, sizeof(*b->first));
	if (!sorted || !b->rank || !b->first) {
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = (uint32_t)i;
	qsort_r(sorted, n, sizeof(*sorted), by_slot_name, (void *)(uintptr_t)b->info);
	for (size_t i = 0; i < n; i++) {
		bool same = i && !strcmp(slot_name(b->info, sorted[i - 1]),
					 slot_name(b->info, sorted[i]));

		rank += i && !same;
		b->rank[sorted[i]] = rank;
		b->first[sorted[i]] = same ? b->first[sorted[i - 1]] : sorted[i];
	}
	if (b->opt->order == ORDER_NAMES_SPECIAL_LAST) {
		b->rank[rank_slot(b->info, PATH_TIMER)] = UINT32_MAX - 1;
		b->rank[rank_slot(b->info, PATH_OTHER)] = UINT32_MAX;
	}
	free(sorted);
	return 0;
}

static uint32_t rank_of(const struct building *b, const struct key *k)
{
	return b->rank[rank_slot(b->info, k->func)];
}

/* ---- keys */

/* Room for the root and as many keys. 0 or -ENOMEM. */
static int begin(struct building *b, size_t most)
{
	b->keys = calloc(most + 1, sizeof(*b->keys));
	if (!b->keys)
		return -ENOMEM;
	b->keys[0].func = PATH_ROOT;
	b->n = 1;
	return rank_names(b);
}

/* Finds or makes the node of k, and adds k's time. 0 or -ENOMEM. */
static int take(struct building *b, const struct key *k, uint32_t *node)
{
	bool merge = b->opt->merge != MERGE_NOTHING;
	uint32_t hash = hash_u64_pair((uint64_t)k->parent << 1 | k->go, k->func), i = HASH_NONE;
	size_t at;

	if (merge)
		for (i = hash_index_first(&b->index, hash, &at); i != HASH_NONE;
		     i = hash_index_next(&b->index, hash, &at)) {
			const struct key *x = &b->keys[i];

			if (x->parent == k->parent && x->func == k->func && x->go == k->go)
				break;
		}
	if (i != HASH_NONE) {
		*node = i;
		b->keys[i].subtree_ns += k->subtree_ns;
		return 0;
	}
	*node = (uint32_t)b->n++;
	b->keys[*node] = *k;
	return merge ? hash_index_put(&b->index, hash, *node) : 0;
}

static uint64_t node_ns(const struct call_stats *st)
{
	return st->self_ns + st->morestack_ns + st->preempt_ns;
}

static bool is_go(const struct building *b, const struct path_node *x)
{
	if (b->opt->merge != MERGE_NAMES)
		return x->go_edge;
	return x->go_edge && x->parent && !b->opt->cut_go;
}

/* Which of the model's paths have anything, in them or below. To be freed; NULL: no memory. */
static bool *find_any(const struct path_node *from, size_t n)
{
	bool *any = calloc(n + 1, sizeof(*any));

	/* Nodes come after their parents. */
	for (size_t i = n; any && i-- > 1;) {
		any[i] |= stat_any(&from[i].stats);
		any[from[i].parent] |= any[i];
	}
	return any;
}

/* any: those that are taken; NULL: all. */
static int take_paths(struct building *b, const struct path_node *from, size_t n, const bool *any,
		      uint32_t *node_of)
{
	enum call_tree_merge merge = b->opt->merge;
	int err = 0;

	for (size_t i = 1; !err && i < n; i++) {
		if (any && !any[i])
			continue;
		const struct path_node *x = &from[i];
		bool named = merge == MERGE_NAMES && x->func < b->info->n_funcs;
		bool cut = merge == MERGE_NAMES && x->go_edge && b->opt->cut_go;
		const struct key k = {
			.parent = cut ? 0 : node_of[x->parent],
			.func = named ? b->first[x->func] : x->func,
			.go = merge != MERGE_FUNCTIONS && is_go(b, x),
			.go_pc = merge == MERGE_NOTHING ? x->go_pc : 0,
			.subtree_ns = node_ns(&x->stats),
		};

		err = take(b, &k, &node_of[i]);
	}
	return err;
}

static bool is_special(uint32_t func)
{
	return func == PATH_OTHER || func == PATH_TIMER;
}

static int take_side(struct building *b, const struct call_tree_side *side, bool weighs,
		     uint32_t *node_of)
{
	int err = 0;

	for (size_t i = 1; !err && i < side->tree->n; i++) {
		const struct call_node *x = &side->tree->nodes[i];
		const struct key k = {
			.parent = node_of[x->parent],
			.func = is_special(x->func) ? x->func : side->name_of[x->func],
			.go = b->opt->merge != MERGE_FUNCTIONS && x->go,
			.subtree_ns = weighs ? node_ns(x->stats) : 0,
		};

		err = take(b, &k, &node_of[i]);
	}
	return err;
}

/* ---- order */

static int by_name(const void *x, const void *y, void *ctx)
{
	const struct building *b = ctx;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct key *m = &b->keys[i], *n = &b->keys[k];
	uint32_t rm = rank_of(b, m), rn = rank_of(b, n);

	if (rm != rn)
		return compare_u64(rm, rn);
	return m->go != n->go ? m->go - n->go : compare_u64(i, k);
}

/* The heaviest first; equal ones by function, called before started. */
static int by_weight(const void *x, const void *y, void *ctx)
{
	const struct building *b = ctx;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct key *m = &b->keys[i], *n = &b->keys[k];

	if (m->subtree_ns != n->subtree_ns)
		return compare_u64(n->subtree_ns, m->subtree_ns);
	if (m->func != n->func)
		return compare_u64(m->func, n->func);
	return m->go_pc != n->go_pc ? compare_u64(m->go_pc, n->go_pc) : compare_u64(i, k);
}

/* Indices of the keys in `sorted`, siblings together and in order; those of parent p are
 * [first[p], first[p + 1]). first: b->n + 2 zeroes. */
static void sort_siblings(struct building *b, uint32_t *sorted, uint32_t *first)
{
	struct key *keys = b->keys;
	size_t n = b->n;

	for (size_t i = n; i-- > 1;) {
		keys[keys[i].parent].subtree_ns += keys[i].subtree_ns;
		first[keys[i].parent + 1]++;
	}
	for (size_t i = 0; i < n; i++)
		first[i + 1] += first[i];
	for (size_t i = 1; i < n; i++)
		sorted[first[keys[i].parent]++] = (uint32_t)i;
	for (size_t i = n; i > 0; i--)
		first[i] = first[i - 1];
	first[0] = 0;
	for (size_t i = 0; i < n; i++)
		if (first[i + 1] - first[i] > 1)
			qsort_r(sorted + first[i], first[i + 1] - first[i], sizeof(*sorted),
				b->opt->order == ORDER_WEIGHT ? by_weight : by_name, b);
}

static const struct call_stats nothing; /* of the root */

/* Makes the nodes in their order; node_of_key[i] is the node of the i-th key. The stack holds
 * siblings whose turn has not come. */
static void lay_down(const struct building *b, const uint32_t *sorted, const uint32_t *first,
		     uint32_t *stack, uint32_t *node_of_key, struct call_tree *to)
{
	size_t n_stack = 0;

	stack[n_stack++] = 0;
	while (n_stack) {
		uint32_t at = stack[--n_stack], now = (uint32_t)to->n++;
		const struct key *k = &b->keys[at];
		struct call_node *x = &to->nodes[now];

		node_of_key[at] = now;
		*x = (struct call_node){ .func = k->func,
					 .end = now + 1,
					 .recursion = 1,
					 .subtree_ns = k->subtree_ns,
					 .stats = &nothing };
		if (at) {
			x->parent = node_of_key[k->parent];
			x->level = to->nodes[x->parent].level + 1;
		}
		for (uint32_t c = first[at + 1]; c-- > first[at];)
			stack[n_stack++] = sorted[c];
	}
	for (size_t i = to->n; i-- > 1;) {
		struct call_node *up = &to->nodes[to->nodes[i].parent];

		if (to->nodes[i].end > up->end)
			up->end = to->nodes[i].end;
	}
}

/* Gives each node numbers of its own, all zero. 0 or -ENOMEM. */
static int own_stats(struct call_tree *t)
{
	t->own = calloc(t->n + 1, sizeof(*t->own));
	for (size_t i = 0; t->own && i < t->n; i++)
		t->nodes[i].stats = &t->own[i];
	return t->own ? 0 : -ENOMEM;
}

/* Leaves the node of each key in *node_of_key. 0 or -ENOMEM. */
static int order(struct building *b, struct call_tree *to, uint32_t **node_of_key)
{
	uint32_t *sorted = calloc(b->n, sizeof(*sorted)), *stack = calloc(b->n, sizeof(*stack));
	uint32_t *first = calloc(b->n + 2, sizeof(*first));
	int err = -ENOMEM;

	hash_index_free(&b->index);
	*node_of_key = calloc(b->n, sizeof(**node_of_key));
	to->nodes = calloc(b->n, sizeof(*to->nodes));
	if (sorted && stack && first && *node_of_key && to->nodes) {
		sort_siblings(b, sorted, first);
		lay_down(b, sorted, first, stack, *node_of_key, to);
		err = 0;
	}
	free(sorted);
	free(stack);
	free(first);
	return err;
}

/* ---- filling */

static void add_path(struct call_node *into, const struct path_node *x, bool go)
{
	if (go && !into->go)
		into->go_pc = x->go_pc;
	else if (go && into->go_pc != x->go_pc)
		into->go_pc = 0; /* several go statements */
	into->go |= go;
	if (x->max_recursion > into->recursion)
		into->recursion = x->max_recursion;
}

static void finish(struct building *b, int err)
{
	if (err)
		log_no_memory("no memory for the tree of paths");
	hash_index_free(&b->index);
	free(b->keys);
	free(b->rank);
	free(b->first);
}

int call_tree_build(struct call_tree *t, const struct loaded_trace *trace,
		    const struct call_tree_options *opt)
{
	struct building b = { .info = trace->info, .opt = opt };
	uint32_t *node_of_key = NULL;
	size_t n;
	const struct path_node *from = model_paths(trace->model, &n);
	const bool fewer = trace->view || trace->folded;
	bool *any = fewer ? find_any(from, n) : NULL; /* a part has fewer paths */
	int err = fewer && !any ? -ENOMEM : begin(&b, n);

	*t = (struct call_tree){ .node_of = calloc(n + 1, sizeof(*t->node_of)), .n_paths = n };
	if (!t->node_of)
		err = -ENOMEM;
	if (!err)
		err = take_paths(&b, from, n, any, t->node_of);
	if (!err)
		err = order(&b, t, &node_of_key);
	if (!err && opt->merge != MERGE_NOTHING)
		err = own_stats(t);
	for (size_t i = 1; !err && i < n; i++) {
		if (any && !any[i])
			continue;
		const uint32_t node = t->node_of[i] = node_of_key[t->node_of[i]];

		add_path(&t->nodes[node], &from[i], is_go(&b, &from[i]));
		if (t->own)
			call_stats_add(&t->own[node], &from[i].stats);
		else
			t->nodes[node].stats = &from[i].stats;
	}
	free(any);
	free(node_of_key);
	finish(&b, err);
	return err;
}

int call_tree_join(struct call_tree *t, const struct call_tree_side side[2],
		   const struct trace_info *names, const struct call_tree_options *opt,
		   uint32_t *node_of[2])
{
	struct building b = { .info = names, .opt = opt };
	uint32_t *node_of_key = NULL;
	int err = begin(&b, side[0].tree->n + side[1].tree->n);

	*t = (struct call_tree){ 0 };
	node_of[0] = node_of[1] = NULL;
	for (unsigned s = 0; !err && s < 2; s++) {
		node_of[s] = calloc(side[s].tree->n, sizeof(*node_of[s]));
		err = node_of[s] ? take_side(&b, &side[s], s, node_of[s]) : -ENOMEM;
	}
	if (!err)
		err = order(&b, t, &node_of_key);
	if (!err)
		err = own_stats(t);
	for (unsigned s = 0; !err && s < 2; s++)
		for (size_t i = 1; i < side[s].tree->n; i++) {
			const struct call_node *x = &side[s].tree->nodes[i];
			uint32_t node = node_of[s][i] = node_of_key[node_of[s][i]];
			struct call_node *into = &t->nodes[node];

			into->go |= x->go;
			if (x->recursion > into->recursion)
				into->recursion = x->recursion;
			if (s)
				call_stats_add(&t->own[node], x->stats);
		}
	free(node_of_key);
	finish(&b, err);
	return err;
}

void call_tree_free(struct call_tree *t)
{
	free(t->nodes);
	free(t->own);
	free(t->node_of);
	*t = (struct call_tree){ 0 };
}

int call_tree_path(const struct call_tree *t, uint32_t node, uint32_t **path, size_t *cap)
{
	uint32_t n = t->nodes[node].level;
	int err = vec_reserve(path, cap, n);

	if (err)
		log_no_memory("no memory for a path of %u functions", n);
	for (uint32_t i = n; !err && i-- > 0; node = t->nodes[node].parent)
		(*path)[i] = node;
	return err;
}
