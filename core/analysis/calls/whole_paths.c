// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/whole_paths.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace_names.h"
#include "base/compare.h"
#include "base/log.h"
#include "base/text_format.h"

#define FREE_BYTES     (128ull << 20)
#define BYTES_PER_BYTE 500

uint64_t whole_paths_most(const struct trace_reader *r)
{
	return FREE_BYTES + BYTES_PER_BYTE * trace_reader_bytes(r);
}

static uint64_t name_bytes(const struct trace_info *info, uint32_t func)
{
	return strlen(trace_name_func(info, func)) + 1;
}

uint64_t whole_paths_row(const struct call_tree *t, const struct trace_info *info, uint32_t node)
{
	uint64_t sum = 0;

	for (; node; node = t->nodes[node].parent)
		sum += name_bytes(info, t->nodes[node].func);
	return sum;
}

#define NO_NODE UINT32_MAX

struct bounding {
	struct call_tree *t;
	uint64_t *bytes;    /* of each node's row */
	uint32_t *order;    /* nodes, heaviest first */
	uint32_t *new_of;   /* the node after; of what gives way, the [other] it goes into */
	uint32_t *other_of; /* of each node that stays: its [other]; NO_NODE: none */
	bool *stays;
	struct call_node *nodes; /* after */
	struct call_stats *own;  /* after */
	size_t n, n_folded;
	uint64_t folded_ns;
};

static int heavier(const void *x, const void *y, void *ctx)
{
	const struct call_node *nodes = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = compare_u64(nodes[b].subtree_ns, nodes[a].subtree_ns);

	return c ? c : compare_u64(a, b);
}

/* Bytes of all rows. */
static uint64_t measure(struct bounding *b, const struct trace_info *info, uint32_t depth)
{
	const struct call_node *nodes = b->t->nodes;
	uint64_t all = 0;

	for (size_t i = 1; i < b->t->n; i++) {
		b->bytes[i] = b->bytes[nodes[i].parent] + name_bytes(info, nodes[i].func);
		if (!depth || nodes[i].level <= depth)
			all += b->bytes[i];
	}
	return all;
}

/* Each node that stays may have an [other] below it. */
static void choose(struct bounding *b, const struct trace_info *info, uint64_t most)
{
	const struct call_node *nodes = b->t->nodes;
	const uint64_t other = name_bytes(info, PATH_OTHER);

	b->stays[0] = true;
	for (size_t i = 1; i < b->t->n; i++)
		b->order[i - 1] = (uint32_t)i;
	qsort_r(b->order, b->t->n - 1, sizeof(*b->order), heavier, b->t->nodes);
	for (size_t i = 0; i + 1 < b->t->n; i++) {
		const uint32_t node = b->order[i];
		const uint64_t both = 2 * b->bytes[node] + other;

		if (!b->stays[nodes[node].parent] || nodes[node].func == PATH_OTHER || both > most)
			continue;
		b->stays[node] = true;
		most -= both;
	}
}

static uint32_t put_node(struct bounding *b, uint32_t parent, const struct call_node *as)
{
	struct call_node *x = &b->nodes[b->n];

	*x = *as;
	if (as->stats)
		b->own[b->n] = *as->stats;
	x->stats = &b->own[b->n];
	x->parent = parent;
	x->end = (uint32_t)b->n + 1;
	return (uint32_t)b->n++;
}

/* Times that have those of nodes below in them count at the first that gives way. */
static void fold(struct bounding *b, const struct call_node *x, bool first)
{
	const uint32_t into = b->new_of[x - b->t->nodes];
	struct call_stats stats = *x->stats;

	if (first) {
		b->nodes[into].subtree_ns += x->subtree_ns;
	} else {
		stats.samples = stats.total_ns = stats.suspect_ns = stats.inside_ns = 0;
		stats.off_total = (struct off_times){ 0 };
	}
	call_stats_add(&b->own[into], &stats);
	b->n_folded++;
	b->folded_ns += x->stats->self_ns + x->stats->morestack_ns + x->stats->preempt_ns;
}

/* Nodes that stay, each with its [other] right behind it, if it needs one. */
static void lay_down(struct bounding *b)
{
	const struct call_node *nodes = b->t->nodes;

	for (size_t i = 0; i < b->t->n; i++)
		b->other_of[i] = NO_NODE;
	for (size_t i = 1; i < b->t->n; i++)
		if (!b->stays[i] && b->stays[nodes[i].parent])
			b->other_of[nodes[i].parent] = 0;
	for (size_t i = 0; i < b->t->n; i++) {
		const struct call_node other = { .func = PATH_OTHER,
						 .level = nodes[i].level + 1,
						 .recursion = 1 };

		if (b->stays[i])
			b->new_of[i] = put_node(b, b->new_of[nodes[i].parent], &nodes[i]);
		if (b->stays[i] && b->other_of[i] != NO_NODE)
			b->other_of[i] = put_node(b, b->new_of[i], &other);
		if (b->stays[i])
			continue;
		const bool first = b->stays[nodes[i].parent];

		b->new_of[i] = first ? b->other_of[nodes[i].parent] : b->new_of[nodes[i].parent];
		fold(b, &nodes[i], first);
	}
	for (size_t i = b->n; i-- > 1;) {
		struct call_node *up = &b->nodes[b->nodes[i].parent];

		if (b->nodes[i].end > up->end)
			up->end = b->nodes[i].end;
	}
}

static void put_in_place(struct bounding *b)
{
	for (size_t i = 0; b->t->node_of && i < b->t->n_paths; i++)
		b->t->node_of[i] = b->new_of[b->t->node_of[i]];
	free(b->t->nodes);
	free(b->t->own);
	b->t->nodes = b->nodes;
	b->t->own = b->own;
	b->t->n = b->n;
	b->nodes = NULL;
	b->own = NULL;
}

static int make_room(struct bounding *b)
{
	const size_t n = b->t->n;

	b->order = calloc(n, sizeof(*b->order));
	b->new_of = calloc(n, sizeof(*b->new_of));
	b->other_of = calloc(n, sizeof(*b->other_of));
	b->stays = calloc(n, sizeof(*b->stays));
	/* There are no more [other] than nodes that give way. */
	b->nodes = calloc(n + 1, sizeof(*b->nodes));
	b->own = calloc(n + 1, sizeof(*b->own));
	return b->order && b->new_of && b->other_of && b->stays && b->nodes && b->own ? 0 : -ENOMEM;
}

static void free_room(struct bounding *b)
{
	free(b->bytes);
	free(b->order);
	free(b->new_of);
	free(b->other_of);
	free(b->stays);
	free(b->nodes);
	free(b->own);
}

/* Makes one [other] of what does not stay below a node, and says so. */
static void fold_all(struct bounding *b, const char *why)
{
	char share[32] = "";

	lay_down(b);
	if (b->t->node_of) /* not of callers, each of which has the time of those it leads to */
		snprintf(share, sizeof(share), ", %.1f%% of the time,",
			 share_pct(b->folded_ns, b->t->nodes[0].subtree_ns));
	log_warn("%zu paths%s count as [other]: %s", b->n_folded, share, why);
	put_in_place(b);
}

static int bound(struct bounding *b, const struct trace_info *info, uint64_t most)
{
	char why[160];
	int err = make_room(b);

	if (err)
		return err;
	choose(b, info, most);
	snprintf(why, sizeof(why),
		 "rows with all functions of each path are too many bytes (more than %" PRIu64
		 " MB for a recording of this size)",
		 most >> 20);
	fold_all(b, why);
	return 0;
}

int whole_paths_bound(struct call_tree *t, const struct trace_info *info, uint32_t depth,
		      uint64_t most)
{
	struct bounding b = { .t = t, .bytes = calloc(t->n + 1, sizeof(*b.bytes)) };
	int err = b.bytes ? 0 : -ENOMEM;

	if (!err && measure(&b, info, depth) > most)
		err = bound(&b, info, most);
	if (err)
		log_no_memory("no memory for the rows of paths");
	free_room(&b);
	return err;
}

/* How many do not stay. */
static size_t choose_wanted(struct bounding *b, const struct path_cut *cut)
{
	const struct call_node *nodes = b->t->nodes;
	const double least = (double)nodes[0].subtree_ns * cut->min_share_pct / 100;
	size_t n = 0;

	b->stays[0] = true;
	for (size_t i = 1; i < b->t->n; i++) {
		b->stays[i] = b->stays[nodes[i].parent] &&
			      (nodes[i].func == PATH_OTHER ||
			       ((!cut->depth || nodes[i].level <= cut->depth) &&
				(double)nodes[i].subtree_ns >= least));
		n += !b->stays[i];
	}
	return n;
}

int whole_paths_cut(struct call_tree *t, const struct path_cut *cut)
{
	struct bounding b = { .t = t };
	int err = cut->depth || cut->min_share_pct > 0 ? make_room(&b) : 0;

	if (b.stays && !err && choose_wanted(&b, cut))
		fold_all(&b, "--min-share or --depth leaves them out");
	if (err)
		log_no_memory("no memory for the paths that stay");
	free_room(&b);
	return err;
}
