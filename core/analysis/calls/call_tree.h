/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of call paths that reports and exports show, made from the model's. The model keeps
 * paths apart that differ only in the go statement they run through, or in which instance of a
 * generic was called; how much of that a reader is shown is a choice.
 */
#ifndef GOTRACE_CALL_TREE_H
#define GOTRACE_CALL_TREE_H

#include "analysis/trace_load.h"

/* A function below what called it, or started it by a go statement. */
struct call_node {
	uint32_t parent;         /* index; 0: outermost */
	uint32_t func;           /* index into the trace's functions, or PATH_* */
	uint32_t level;          /* 1: outermost */
	uint32_t end;            /* index after the last node below this one */
	uint32_t recursion;      /* depth of direct recursion, 1: none */
	bool go;                 /* a go statement started it */
	uint64_t go_pc;          /* of that statement; 0: not known, or several */
	uint64_t subtree_ns;     /* self time, growth and preemption of it and of all below */
	struct call_stats stats; /* without the histogram */
};

enum call_tree_merge {
	MERGE_NOTHING, /* a node for each of the model's */
	/* What one function did below one parent is one node, called or started. */
	MERGE_FUNCTIONS,
	/* Functions of one name below one parent are one node if they were reached in the same way
	   (called, or started by a go statement); the node has the first one's index. So the
	   instances of a generic are one node, and a function both called and started below one
	   parent is two. An outermost node is never `go`. */
	MERGE_NAMES,
};

enum call_tree_order {
	/* Siblings by name, called before started; [other] and the timer by their names, too. */
	ORDER_NAMES,
	/* The same with [other] and the timer after all functions. */
	ORDER_NAMES_SPECIAL_LAST,
	ORDER_WEIGHT, /* siblings by subtree_ns, the heaviest first */
};

struct call_tree_options {
	enum call_tree_merge merge;
	enum call_tree_order order;
	bool cut_go; /* MERGE_NAMES: what a go statement started is outermost, not `go`
		      */
};

/* In preorder: a parent comes right before the nodes below it, siblings in order. nodes[0] is the
 * root, no function. */
struct call_tree {
	struct call_node *nodes;
	size_t n;
	uint32_t *node_of; /* node of each of the model's paths, by call.path */
	size_t n_paths;    /* how many those are */
};

/* Of a trace that was loaded. 0 or -ENOMEM (logged); call_tree_free in either case. */
int call_tree_build(struct call_tree *t, const struct loaded_trace *trace,
		    const struct call_tree_options *opt);

/* A tree and what its functions are called in `names` of call_tree_join. */
struct call_tree_side {
	const struct call_tree *tree;
	const uint32_t *name_of; /* of its functions */
};

/*
 * One tree of two traces: nodes with the same names above them are one; with MERGE_NAMES called and
 * started ones are two. Functions are those of `names`, each name once, in order. Counts and times
 * are B's (side[1]); addresses of go statements are not kept. (*node_of)[s] is the node of each of
 * side s's: to be freed. 0 or -ENOMEM (logged); call_tree_free in either case.
 */
int call_tree_join(struct call_tree *t, const struct call_tree_side side[2],
		   const struct trace_info *names, const struct call_tree_options *opt,
		   uint32_t *node_of[2]);
void call_tree_free(struct call_tree *t);

/* The nodes from the outermost down to `node`: nodes[node].level of them in *path (malloced anew or
 * grown to *cap). 0 or -ENOMEM (logged). */
int call_tree_path(const struct call_tree *t, uint32_t node, uint32_t **path, size_t *cap);

#endif
