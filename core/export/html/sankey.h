/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A picture of callers and callees. Functions are bars, and calls between them are bands as thick
 * as their weight. All numbers are whole, so that equal calls give equal pictures on every machine.
 *
 * Bars are in columns, callers left of callees. A call that would run backwards (a cycle) is marked
 * and does not push its function to the right. The weight of direct recursion stays inside the
 * function's bar. A go statement carries no weight, because the goroutine's first function begins
 * with its own.
 */
#ifndef GOTRACE_SANKEY_H
#define GOTRACE_SANKEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"

/* The weight that thickness shows. It is a weight of a function's calls, by caller. */
enum sankey_by {
	SANKEY_TOTAL, /* total time, ns; recursion counts once */
	SANKEY_SELF,  /* self time, ns */
	SANKEY_CALLS,
	SANKEY_MORESTACK, /* growing the stack, ns */
	SANKEY_KINDS
};

#define SANKEY_NONE UINT32_MAX /* no function: no traced function is the caller */

/* ---- sums of calls by caller and callee ---- */

struct sankey_edge {
	uint32_t from, to; /* functions, of any numbering below SANKEY_NONE */
	bool go;           /* a go statement started it */
	uint64_t weight[SANKEY_KINDS];
	/* Time of `to` and of all that it called and started. A function with a heavy subtree is
	 * shown even when it is light itself. */
	uint64_t subtree_ns;
};

struct sankey_calls {
	struct sankey_edge *edges;
	size_t n, cap;
	struct hash_index index; /* finds edges */
};

/* Adds e to the edge with equal ends and `go`, or makes a new edge. e->from is SANKEY_NONE for
 * outermost calls. 0 or -ENOMEM. */
int sankey_add(struct sankey_calls *c, const struct sankey_edge *e);
void sankey_calls_free(struct sankey_calls *c);

/* ---- the picture ---- */

/* Coordinates are in units of 1/8 pixel at the picture's natural size. */
#define SANKEY_UNIT 8

enum sankey_kind {
	SANKEY_FUNC,
	SANKEY_CALLEES, /* functions too light to be shown, called from the column on its left */
	SANKEY_CALLERS, /* functions too light to be shown that call into the column on its right */
	SANKEY_ROUTE,   /* no bar; keeps room for a band that passes this column */
};

struct sankey_node {
	enum sankey_kind kind;
	uint32_t func;  /* for SANKEY_FUNC */
	uint32_t layer; /* column, 0 is leftmost */
	/* the sums of the bands' weights on either side; `in` includes `source` */
	uint64_t in, out;
	/* sum of the subtree_ns of its edges; SANKEY_FUNC only */
	uint64_t subtree_ns;
	/* part of `in` without a band: outermost calls, first calls of goroutines */
	uint64_t source;
	uint64_t recursive; /* weight of direct recursion */
	/* parts of `in` and `out` whose links were left out by max_links */
	uint64_t cut_in, cut_out;
	int64_t y, h;
	uint32_t rank; /* in its column, 0 at the top */
};

struct sankey_link {
	uint32_t from, to; /* nodes */
	bool go, back;     /* back: runs against the columns */
	/* 0 for a go statement, and for total time already counted in an outer call */
	uint64_t weight;
	int64_t thick;        /* at least 1 */
	int64_t y_from, y_to; /* upper edge of the band at either end */
	/* nodes that the band passes, one in each column between its ends */
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
	uint64_t whole; /* the weight of all sources, 100 % */
	/* functions with weight that are not shown, heaviest first */
	uint32_t *folded;
	uint32_t n_folded;
	uint64_t folded_most; /* the weight of the heaviest of them */
	uint32_t n_cut;       /* links left out */
	uint64_t cut_most;    /* the weight of the heaviest of them */
};

/* so many functions with the most self time are always shown first */
#define SANKEY_ALWAYS 5

struct sankey_options {
	enum sankey_by by;
	uint32_t max_nodes; /* most functions shown */
	uint32_t max_links; /* the most links between them, the heaviest; 0 for all */
	/* functions lighter than whole / min_share are folded; 0 for none */
	uint32_t min_share;
};

/* Fills *s. 0 or -ENOMEM; sankey_free in either case. */
int sankey_layout(struct sankey *s, const struct sankey_calls *c, const struct sankey_options *opt);
void sankey_free(struct sankey *s);

/* The steps in their order, private to the layout. 0 or -ENOMEM. */
int sankey_columns(struct sankey *s); /* cycles, columns, routes */
int sankey_order(struct sankey *s);   /* order within columns: few crossings */
int sankey_place(struct sankey *s);   /* heights and positions */

/* Shared by the steps: bands cut at columns. Each piece runs from one column to the next. */
struct sankey_piece {
	uint32_t from, to; /* nodes */
	uint64_t weight;
};
/* Returns the *n pieces of all links that do not run backwards, to be freed. NULL without
 * memory. */
struct sankey_piece *sankey_pieces(const struct sankey *s, size_t *n);
/* Sets *nodes to node indices by column and rank in it. Column l is [start[l], start[l + 1]). 0 or
 * -ENOMEM. */
int sankey_by_column(const struct sankey *s, uint32_t **nodes, uint32_t **start);

#endif
