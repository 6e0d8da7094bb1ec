/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of call paths that reports and exports show, made from the model's. The model keeps
 * paths apart that differ only in their go statement or in their instance of a generic. Options
 * choose how much of that a reader sees.
 */
#ifndef GOTRACE_CALL_TREE_H
#define GOTRACE_CALL_TREE_H

#include "analysis/trace_load.h"

/* A function below the function that called it, or started it by a go statement. */
struct call_node {
	uint32_t parent;     /* index; 0 for an outermost node */
	uint32_t func;       /* index into the trace's functions, or PATH_* */
	uint32_t level;      /* 1 for an outermost node */
	uint32_t end;        /* index after the last node below this one */
	uint32_t recursion;  /* depth of direct recursion, 1 without */
	bool go;             /* a go statement started it */
	uint64_t go_pc;      /* address of that statement; 0 when not known, or with several */
	uint64_t subtree_ns; /* self time, growth and preemption of the node and of all below it */
	/* without the histogram; of the tree's own, or of the model's */
	const struct call_stats *stats;
};

enum call_tree_merge {
	MERGE_NOTHING, /* a node for each node of the model */
	/* All calls and starts of one function below one parent are one node. */
	MERGE_FUNCTIONS,
	/* Functions of one name below one parent are one node if they were reached in the same way
	 * (called, or started by a go statement). The node has the first one's index. So the
	 * instances of a generic are one node, and a function both called and started below one
	 * parent is two. An outermost node is never `go`. */
	MERGE_NAMES,
};

enum call_tree_order {
	/* Siblings by name, called before started. [other] and the timer are in this order by their
	 * names, too. */
	ORDER_NAMES,
	/* Siblings by name, with [other] and the timer after all functions. */
	ORDER_NAMES_SPECIAL_LAST,
	ORDER_WEIGHT, /* siblings by subtree_ns, the heaviest first */
};

struct call_tree_options {
	enum call_tree_merge merge;
	enum call_tree_order order;
	/* MERGE_NAMES: functions that a go statement started are outermost, and not `go` */
	bool cut_go;
};

/* Nodes in preorder. A parent comes right before the nodes below it, siblings in order. nodes[0] is
 * the root, which has no function. */
struct call_tree {
	struct call_node *nodes;
	size_t n;
	/* by node; NULL where each node has the numbers of one of the model's paths */
	struct call_stats *own;
	uint32_t *node_of; /* node of each of the model's paths, by call.path */
	size_t n_paths;    /* the number of the model's paths */
};

/* Builds the tree of a loaded trace, which it may point into. 0 or -ENOMEM (logged); call_tree_free
 * in either case. */
int call_tree_build(struct call_tree *t, const struct loaded_trace *trace,
		    const struct call_tree_options *opt);

/* A tree and its functions' indices in `names` of call_tree_join. */
struct call_tree_side {
	const struct call_tree *tree;
	const uint32_t *name_of; /* by function of the tree */
};

/*
 * Joins the trees of two traces. Nodes with equal names on their paths are one node; with
 * MERGE_NAMES, called and started ones are two. Functions are those of `names`, which has each name
 * once, in order. Counts and times are B's (side[1]). Addresses of go statements are dropped.
 * node_of[s] gets the new node of each node of side s; the caller frees it. 0 or -ENOMEM (logged);
 * call_tree_free in either case.
 */
int call_tree_join(struct call_tree *t, const struct call_tree_side side[2],
		   const struct trace_info *names, const struct call_tree_options *opt,
		   uint32_t *node_of[2]);
void call_tree_free(struct call_tree *t);

/* Sets *path to the nodes[node].level nodes from the outermost down to `node` (allocated, or grown
 * to *cap). 0 or -ENOMEM (logged). */
int call_tree_path(const struct call_tree *t, uint32_t node, uint32_t **path, size_t *cap);

#endif
