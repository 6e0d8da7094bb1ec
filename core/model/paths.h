/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of call paths, grown as calls are met. A node is a function below a
 * node; a goroutine's outermost function hangs below the call that created it.
 */
#ifndef GOTRACE_PATHS_H
#define GOTRACE_PATHS_H

#include "base/hash_index.h"
#include "model/model.h"
#include "model/path_events.h"

#define PATHS_DEFAULT_MAX 1000000u

/*
 * What each call touches of its node, in one cache line: a tree of many paths
 * is all cache misses. paths_settle adds it to path_node.stats, which holds the
 * rest until then.
 */
struct path_hot {
	/* as in call_stats; min_ns: all ones before the first */
	uint64_t finished, sum_ns, min_ns, max_ns;
	uint64_t self_ns;
	uint32_t parent, func; /* as in path_node */
	uint32_t last_child;   /* asked for last below this node */
	uint32_t then;         /* its sibling that was asked for after it last time: a guess */
	bool outermost;        /* no node above on the same goroutine has its function */
	/* path_event_code of the first event that began, or ended, a call; 0: none yet */
	uint8_t usual[2];
	/* of a model_view: VIEW_* of it and of all above; VIEW_MUTED: it does not count */
	uint8_t view;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct path_hot) == 64, "a cache line");

#define VIEW_MUTED 4

/* What only a new node needs. */
struct path_aux {
	/* nearest node above, on the same goroutine, that is `outermost`; 0: none */
	uint32_t outer;
	uint32_t same;       /* the `outermost` one of its function that was made before; 0: none */
	uint32_t level;      /* below the root, which has 0 */
	uint32_t jump;       /* a node far above: on_chain */
	uint32_t go_up;      /* nearest node at or above that a go statement reaches; 0: none */
	uint64_t sample;     /* model_sample: ordinal of the last that counts here */
	uint64_t unusual[2]; /* events that began, or ended, a call in another way than usual */
};

/* Where a go statement at pc in parent leads: to a node below it, or again to one above. */
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
	bool keep_selfs;          /* or `selfs` stays NULL */
	struct path_selfs *selfs; /* by node */
	size_t cap_selfs;
	struct hash_index calls; /* nodes that are called by their parent, by parent and func */
	struct path_go *gos;
	size_t n_gos, cap_gos;
	/* `calls` holds them, too, by from and func: their index plus PATHS_FOLD */
	struct path_fold *folds;
	size_t n_folds, cap_folds;
	uint32_t fold; /* that paths_find found last; PATHS_NO_FOLD: not remembered */
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

/* The function that a row is of. */
static inline uint32_t paths_plain(const struct paths *t, uint32_t func)
{
	return func >= t->n_plain && func < PATH_TIMER ? t->plain_of[func - t->n_plain] : func;
}

/* The slow half of paths_call. */
int paths_find(struct paths *t, uint32_t parent, uint32_t func, uint32_t *node);

/* The node of a call of func, which is not parent's function, below parent; one above it when that
 * closes a cycle (PATHS_CYCLE_MAX), `fold` says which then. 0 or -ENOMEM. */
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

/* The node of func called by `parent`, below it or above; 0: no call of it was seen. */
uint32_t paths_called(const struct paths *t, uint32_t parent, uint32_t func);

/*
 * The node of func as the outermost call of a goroutine that was created at
 * `pc` below parent. When the same statement and function are on parent's own chain already, that
 * node is used again: endless chains of goroutines that start their successor would otherwise grow
 * a tree without end.
 */
int paths_go(struct paths *t, uint32_t parent, uint32_t func, uint64_t pc, uint32_t *node);

/* Was the node that paths_call gave for a call below parent one above it? */
static inline bool paths_folded(const struct paths *t, uint32_t parent, uint32_t node)
{
	return t->hot[node].parent != parent && node != t->other;
}

/* ns that passed in a call folded from a path into `to` above it: not in the totals of those
 * between. */
void paths_pass_over(struct paths *t, uint32_t from, uint32_t to, uint64_t ns);

/* Completes all nodes' stats, once. */
void paths_settle(struct paths *t);

/* Forgets all numbers of all nodes. */
void paths_forget(struct paths *t);

/* The slow half of paths_event. */
int paths_unusual_event(struct paths *t, uint32_t node, int end, uint8_t code);

/* An event began (end 0) or ended (1) a call of the node. 0 or -ENOMEM. */
static inline int paths_event(struct paths *t, uint32_t node, int end, uint8_t code)
{
	return __builtin_expect(t->hot[node].usual[end] == code, 1)
		       ? 0
		       : paths_unusual_event(t, node, end, code);
}

/* The node as it was when another tree grew: func below parent, called by it or, with go_edge,
 * started at go_pc; found, or made. func may be PATH_OTHER or PATH_TIMER. 0 or -ENOMEM. */
int paths_again(struct paths *t, const struct path_node *as, uint32_t parent, uint32_t *node);

/* As another tree counted calls. 0 or -ENOMEM. */
int paths_fold_again(struct paths *t, const struct path_fold *as);

/* The parent node of goroutines that no goroutine created. */
int paths_timer(struct paths *t, uint32_t *node);

#endif
