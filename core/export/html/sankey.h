/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A picture of who called whom: functions as bars, calls between them as bands
 * as thick as what they weigh. Everything is computed in whole numbers, so that
 * the same calls give the same picture on every machine.
 *
 * Bars are in columns, callers left of callees. A call that would run
 * backwards (a cycle) is marked and does not push its function to the right;
 * what a function weighs when it calls itself directly stays inside its bar.
 * A go statement carries no weight: the goroutine's first function begins with
 * its own.
 */
#ifndef GOTRACE_SANKEY_H
#define GOTRACE_SANKEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"

/* What thickness shows: of a function's calls, by who called. */
enum sankey_by {
	SANKEY_TOTAL, /* total time, ns; recursion counts once */
	SANKEY_SELF,  /* self time, ns */
	SANKEY_CALLS,
	SANKEY_MORESTACK, /* growing the stack, ns */
	SANKEY_KINDS
};

#define SANKEY_NONE UINT32_MAX /* not a function: where no traced function is the caller */

/* ---- who called whom, added up ---- */

struct sankey_edge {
	uint32_t from, to; /* functions, of any numbering below SANKEY_NONE */
	bool go;           /* started by a go statement */
	uint64_t weight[SANKEY_KINDS];
	/* time of `to` and of all it called and started: with a heavy subtree a function is shown
	 * however light it is itself */
	uint64_t subtree_ns;
};

struct sankey_calls {
	struct sankey_edge *edges;
	size_t n, cap;
	struct hash_index index; /* of edges */
};

/* Adds e to the edge with the same ends and `go`, if there is one; e->from SANKEY_NONE: outermost.
 * 0 or -ENOMEM. */
int sankey_add(struct sankey_calls *c, const struct sankey_edge *e);
void sankey_calls_free(struct sankey_calls *c);

/* ---- the picture ---- */

/* Coordinates are in units of 1/8 pixel at the picture's natural size. */
#define SANKEY_UNIT 8

enum sankey_kind {
	SANKEY_FUNC,
	SANKEY_CALLEES, /* functions too light to be shown, called from the column on its left */
	SANKEY_CALLERS, /* functions too light to be shown that call into the column on its right */
	SANKEY_ROUTE,   /* not a bar: keeps room for a band that passes this column */
};

struct sankey_node {
	enum sankey_kind kind;
	uint32_t func;  /* of SANKEY_FUNC */
	uint32_t layer; /* column, 0 is leftmost */
	/* what the bands on either side weigh together; `in`: with `source` */
	uint64_t in, out;
	uint64_t subtree_ns; /* as of edges, together; SANKEY_FUNC only */
	/* part of `in` that no band brings: outermost calls, goroutines' first */
	uint64_t source;
	uint64_t recursive;       /* by direct recursion */
	uint64_t cut_in, cut_out; /* parts of `in` and `out` whose links were left out: max_links */
	int64_t y, h;
	uint32_t rank; /* in its column, 0 at the top */
};

struct sankey_link {
	uint32_t from, to; /* nodes */
	bool go, back;     /* back: runs against the columns */
	/* 0 for a go statement, and for total time already counted in an outer call */
	uint64_t weight;
	int64_t thick;        /* at least 1 */
	int64_t y_from, y_to; /* its upper edge at either end */
	/* nodes that it passes, one in each column between its ends */
	uint32_t first_route, n_routes;
};

struct sankey {
	/* routes come last */
	struct sankey_node *nodes;
	size_t n_nodes, cap_nodes;
	struct sankey_link *links;
	size_t n_links, cap_links;
	uint32_t n_layers;
	int64_t height;
	uint64_t whole; /* what all sources weigh: 100 % */
	/* functions that weigh something and are not shown, heaviest first */
	uint32_t *folded;
	uint32_t n_folded;
	uint64_t folded_most; /* what the heaviest of them weighs */
	uint32_t n_cut;       /* links left out */
	uint64_t cut_most;    /* the heaviest one's weight */
};

#define SANKEY_ALWAYS 5 /* so many functions with the most self time come before all others */

struct sankey_options {
	enum sankey_by by;
	uint32_t max_nodes; /* functions shown at most */
	uint32_t max_links; /* of the links between them, the heaviest; 0: all */
	uint32_t min_share; /* functions lighter than whole / min_share are folded; 0: none */
};

/* Fills *s, to be freed in either case. 0 or -ENOMEM. */
int sankey_layout(struct sankey *s, const struct sankey_calls *c, const struct sankey_options *opt);
void sankey_free(struct sankey *s);

/* The steps, in their order; private to the layout. 0 or -ENOMEM. */
/* nodes, links */
int sankey_fold(struct sankey *s, const struct sankey_calls *c, const struct sankey_options *opt);
int sankey_columns(struct sankey *s); /* cycles, columns, routes */
int sankey_order(struct sankey *s);   /* order within columns: few crossings */
int sankey_place(struct sankey *s);   /* heights and positions */

/* What the steps share: bands cut at columns, each piece from one column to the next. */
struct sankey_piece {
	uint32_t from, to; /* nodes */
	uint64_t weight;
};
/* Of all links that do not run backwards; *n of them, to be freed. NULL: no memory. */
struct sankey_piece *sankey_pieces(const struct sankey *s, size_t *n);
/* Node indices by column and rank in it; column l is [start[l], start[l + 1]). 0 or -ENOMEM. */
int sankey_by_column(const struct sankey *s, uint32_t **nodes, uint32_t **start);

#endif
