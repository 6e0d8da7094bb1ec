// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/inverted_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/log.h"
#include "base/vec.h"

/* Callers' callers are as many as the square of the depth: as of paths (model_allow), only so many
 * are told apart. */
#define FREE_NODES 100000u

struct inverting {
	const struct call_tree *from;
	struct call_tree to; /* a node after its parent, in no other order; node_of is not used */
	size_t cap, cap_own;
	struct hash_index index; /* of its nodes, by parent and function */
	size_t most;             /* nodes; what callers are above those is [other] */
	uint64_t cut;            /* paths that went there */
};

/* The node of a function below a node; 0: there is none. */
static uint32_t find(const struct inverting *v, uint32_t parent, uint32_t func)
{
	uint32_t hash = hash_u64_pair(parent, func);
	size_t at;

	for (uint32_t i = hash_index_first(&v->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&v->index, hash, &at))
		if (v->to.nodes[i].parent == parent && v->to.nodes[i].func == func)
			return i;
	return 0;
}

/* Finds or makes it. 0: no memory. */
static uint32_t take(struct inverting *v, uint32_t parent, uint32_t func)
{
	uint32_t hash = hash_u64_pair(parent, func), found = find(v, parent, func);

	if (found)
		return found;
	if (v->to.n >= UINT32_MAX || vec_reserve(&v->to.nodes, &v->cap, v->to.n + 1) ||
	    vec_reserve(&v->to.own, &v->cap_own, v->to.n + 1) ||
	    hash_index_put(&v->index, hash, (uint32_t)v->to.n))
		return 0;
	v->to.nodes[v->to.n] = (struct call_node){ .parent = parent, .func = func, .recursion = 1 };
	return (uint32_t)v->to.n++;
}

/* Is the function of a node open already when it is called there? */
static bool is_nested(const struct call_tree *t, uint32_t node)
{
	for (uint32_t x = node; !t->nodes[x].go && t->nodes[x].parent;) {
		x = t->nodes[x].parent;
		if (t->nodes[x].func == t->nodes[node].func)
			return true;
	}
	return false;
}

static void started(struct call_node *caller, const struct call_node *callee)
{
	if (!callee->go)
		return;
	if (!caller->go)
		caller->go_pc = callee->go_pc;
	else if (caller->go_pc != callee->go_pc)
		caller->go_pc = 0; /* several go statements */
	caller->go = true;
}

/* Adds the calls of a node to its function, its caller, and so on to the outermost. 0 or -ENOMEM */
static int add_way(struct inverting *v, uint32_t node)
{
	const struct call_node *nodes = v->from->nodes;
	struct call_stats stats = *nodes[node].stats;
	uint32_t at = 0, below = 0;

	if (is_nested(v->from, node)) { /* the outermost call of the function has this time */
		stats.total_ns = stats.suspect_ns = 0;
		stats.inside_ns = 0;
	}
	for (uint32_t x = node; x; below = x, x = nodes[x].parent) {
		const bool full = v->to.n >= v->most && at && !find(v, at, nodes[x].func);

		v->cut += full;
		at = take(v, at, full ? PATH_OTHER : nodes[x].func);
		if (!at)
			return -ENOMEM;
		struct call_node *into = &v->to.nodes[at];

		call_stats_add(&v->to.own[at], &stats);
		if (below)
			started(into, &nodes[below]);
		if (nodes[x].recursion > into->recursion)
			into->recursion = nodes[x].recursion;
		if (full)
			break;
	}
	return 0;
}

/* Sorts siblings, and lays the nodes down in preorder. */
static int put_in_order(struct call_tree *t, const struct call_tree *unsorted,
			const struct trace_info *info)
{
	static const struct call_tree_options opt = { MERGE_FUNCTIONS, ORDER_NAMES, false };
	struct call_node root = { .func = PATH_ROOT };
	const struct call_tree nothing = { .nodes = &root, .n = 1 };
	uint32_t *node_of[2] = { NULL, NULL };
	uint32_t *same = calloc(info->n_funcs + 1, sizeof(*same));
	int err = same ? 0 : -ENOMEM;

	for (uint32_t i = 0; same && i < info->n_funcs; i++)
		same[i] = i;
	const struct call_tree_side side[2] = { { &nothing, same }, { unsorted, same } };

	*t = (struct call_tree){ 0 };
	if (!err)
		err = call_tree_join(t, side, info, &opt, node_of);
	for (size_t i = 1; !err && i < unsorted->n; i++)
		t->nodes[node_of[1][i]].go_pc = unsorted->nodes[i].go_pc;
	if (!err)
		t->nodes[0].subtree_ns = 0;
	for (size_t i = 1; !err && i < t->n; i++) {
		t->nodes[i].subtree_ns = t->nodes[i].stats->total_ns;
		if (!t->nodes[i].parent)
			t->nodes[0].subtree_ns += t->nodes[i].subtree_ns;
	}
	free(node_of[0]);
	free(node_of[1]);
	free(same);
	return err;
}

int inverted_tree_build(struct call_tree *t, const struct call_tree *from,
			const struct trace_info *info, const uint8_t *funcs, uint64_t stored_bytes)
{
	struct inverting v = { .from = from, .most = FREE_NODES + stored_bytes };
	int err = vec_reserve(&v.to.nodes, &v.cap, 1);

	if (!err)
		err = vec_reserve(&v.to.own, &v.cap_own, 1);
	if (!err)
		v.to.nodes[v.to.n++] = (struct call_node){ .func = PATH_ROOT };
	for (uint32_t i = 1; !err && i < from->n; i++)
		if (from->nodes[i].func < info->n_funcs && funcs[from->nodes[i].func])
			err = add_way(&v, i);
	*t = (struct call_tree){ 0 };
	if (v.cut)
		log_warn(
			"outer callers of %" PRIu64
			" paths count as [other], because a recording of this size separates %zu at most",
			v.cut, v.most);
	for (size_t i = 0; !err && i < v.to.n; i++)
		v.to.nodes[i].stats = &v.to.own[i];
	if (!err)
		err = put_in_order(t, &v.to, info);
	else
		log_no_memory("no memory for the callers");
	hash_index_free(&v.index);
	free(v.to.nodes);
	free(v.to.own);
	return err;
}
