/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of call paths. It grows with the calls. A node is a function below a node. A goroutine's
 * outermost function hangs below the call that created the goroutine.
 */
#ifndef GOTRACE_PATHS_H
#define GOTRACE_PATHS_H

#include "base/hash_index.h"
#include "model/model.h"
#include "model/path_events.h"

#define PATHS_DEFAULT_MAX 1000000u

/*
 * The part of a node that each call touches, in one cache line, because each step in a tree of many
 * paths misses the cache. paths_settle adds it to path_node.stats, which holds the rest until then.
 */
struct path_hot {
	/* those of call_stats; min_ns: all ones before the first call */
	uint64_t finished, sum_ns, min_ns, max_ns;
	uint64_t self_ns;
	uint32_t parent, func; /* those of path_node */
	uint32_t last_child;   /* the child that was asked for last */
	/* a guess: the sibling that was asked for after this node last time */
	uint32_t then;
	bool outermost; /* no node above on the same goroutine has its function */
	/* path_event_code of the first event that began [0] or ended [1] a call; 0 before that
	 * event */
	uint8_t usual[2];
	/* With a model_view, VIEW_* of the node and of all above it. VIEW_MUTED: the node does not
	 * count. */
	uint8_t view;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct path_hot) == 64, "a cache line");

#define VIEW_MUTED 4

/* The part of a node that only a new node needs. */
struct path_aux {
	/* nearest node above, on the same goroutine, that is `outermost`; 0: none */
	uint32_t outer;
	uint32_t same;   /* the `outermost` node of its function made before this one; 0: none */
	uint32_t level;  /* the number of nodes above it; the root's is 0 */
	uint32_t jump;   /* a node far above, for on_chain */
	uint32_t go_up;  /* nearest node at or above that a go statement reaches; 0: none */
	uint64_t sample; /* model_sample: ordinal of the last sample that counts here */
	uint64_t unusual[2]; /* number of events that began or ended a call in an unusual way */
};

/* The node that a go statement at pc in parent leads to: below parent, or once more one above
 * it. */
struct path_go {
	uint32_t parent, func, node;
	uint32_t before; /* index + 1 of the last of this pc and func that made a node; 0: none */
	uint64_t pc;
};

struct paths {
	struct path_event_table events;
	struct path_node *nodes;
	size_t n, cap;
	struct path_aux *aux;
	size_t cap_aux;
	struct path_hot *hot;
	size_t cap_hot;
	bool keep_selfs;          /* false: `selfs` stays NULL */
	struct path_selfs *selfs; /* by node */
	size_t cap_selfs;
	struct hash_index calls; /* nodes that are called by their parent, by parent and func */
	struct path_go *gos;
	size_t n_gos, cap_gos;
	/* `calls` has the folds too, by from and func. Its number of a fold is the fold's index
	 * plus PATHS_FOLD. */
	struct path_fold *folds;
	size_t n_folds, cap_folds;
	uint32_t fold;                /* the fold that paths_find found last, or PATHS_NO_FOLD */
	struct hash_index gos_by_key; /* by parent, func and pc */
	struct hash_index go_lasts;   /* by func and pc: the last that made a node */
	uint32_t *last_of;            /* by function: its last node that is `outermost` */
	size_t cap_last_of;
	uint32_t max;                  /* most nodes, without the three special ones */
	uint32_t other, timer;         /* PATH_OTHER's and PATH_TIMER's node, 0 until needed */
	uint64_t refused;              /* nodes not made because of max */
	const struct model_view *view; /* NULL: all counts */
	/* model_options.group: functions from n_plain on are rows of plain_of[function - n_plain]
	 */
	uint32_t n_plain;
	uint32_t *plain_of;
	size_t cap_plain;
};

#define PATHS_FOLD    0x80000000u
#define PATHS_NO_FOLD UINT32_MAX

int paths_init(struct paths *t, uint32_t max, bool keep_selfs); /* 0 or -ENOMEM */
void paths_free(struct paths *t);

/* Returns the function of a row. */
static inline uint32_t paths_plain(const struct paths *t, uint32_t func)
{
	return func >= t->n_plain && func < PATH_TIMER ? t->plain_of[func - t->n_plain] : func;
}

/* The slow half of paths_call. */
int paths_find(struct paths *t, uint32_t parent, uint32_t func, uint32_t *node);

/* Finds or makes the node of a call of func, which is not parent's function, below parent. When the
 * call closes a cycle (PATHS_CYCLE_MAX), it is a node above, and `fold` says which fold. 0 or
 * -ENOMEM. */
static inline int paths_call(struct paths *t, uint32_t parent, uint32_t func, uint32_t *node)
{
	struct path_hot *h = t->hot;
	uint32_t last = h[parent].last_child, then = h[last].then;

	/* Node 0 has no function's index, so "none" never fits. */
	if (h[last].func == func) {
		*node = last;
		return 0;
	}
	if (h[then].func == func) {
		*node = h[parent].last_child = then;
		return 0;
	}
	return paths_find(t, parent, func, node);
}

/* Returns the node of func called by `parent`, below it or above it; 0 where no call of it was
 * seen. */
uint32_t paths_called(const struct paths *t, uint32_t parent, uint32_t func);

/*
 * The node of func as the outermost call of a goroutine that was created at `pc` below parent. When
 * the same statement and function are on parent's own chain already, that node is used again.
 * Otherwise endless chains of goroutines that start their successor would grow a tree without end.
 */
int paths_go(struct paths *t, uint32_t parent, uint32_t func, uint64_t pc, uint32_t *node);

/* Returns whether `node`, which paths_call gave for a call below parent, is not a child of
 * parent. */
static inline bool paths_folded(const struct paths *t, uint32_t parent, uint32_t node)
{
	return t->hot[node].parent != parent && node != t->other;
}

/* Takes ns, which passed in a call folded from `from` into `to` above it, out of the totals of the
 * nodes between. */
void paths_pass_over(struct paths *t, uint32_t from, uint32_t to, uint64_t ns);

/* Completes the stats of all nodes. To be called once. */
void paths_settle(struct paths *t);

/* Forgets all numbers of all nodes. */
void paths_forget(struct paths *t);

/* The slow half of paths_event. */
int paths_unusual_event(struct paths *t, uint32_t node, int end, uint8_t code);

/* Counts an event that began (end 0) or ended (end 1) a call of the node. 0 or -ENOMEM. */
static inline int paths_event(struct paths *t, uint32_t node, int end, uint8_t code)
{
	return __builtin_expect(t->hot[node].usual[end] == code, 1)
		       ? 0
		       : paths_unusual_event(t, node, end, code);
}

/* Finds or makes the node of func below parent, as another tree had it. Parent called it or, with
 * go_edge, started it at go_pc. func may be PATH_OTHER or PATH_TIMER. 0 or -ENOMEM. */
int paths_again(struct paths *t, const struct path_node *as, uint32_t parent, uint32_t *node);

/* Adds a fold with the calls that another tree counted for it. 0 or -ENOMEM. */
int paths_fold_again(struct paths *t, const struct path_fold *as);

/* The parent node of goroutines that no goroutine created. */
int paths_timer(struct paths *t, uint32_t *node);

#endif
