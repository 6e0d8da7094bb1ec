// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff/diff_programs.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/samples/sample_load.h"

bool diff_programs_apart(const struct loaded_trace *a, const struct loaded_trace *b)
{
	return a->samples && b->samples && (a->samples->programs.n || b->samples->programs.n);
}

int diff_programs_root(struct call_tree *t, uint32_t func)
{
	struct call_node *nodes = calloc(t->n + 1, sizeof(*nodes)), *root = nodes + 1;
	struct call_stats *own = calloc(t->n + 1, sizeof(*own));

	if (!nodes || !own) {
		free(nodes);
		free(own);
		return -ENOMEM;
	}
	nodes[0] = t->nodes[0];
	own[0] = *t->nodes[0].stats;
	nodes[0].end = (uint32_t)t->n + 1;
	*root = (struct call_node){ .func = func,
				    .level = 1,
				    .end = (uint32_t)t->n + 1,
				    .recursion = 1,
				    .subtree_ns = t->nodes[0].subtree_ns };
	for (size_t i = 1; i < t->n; i++) {
		struct call_node *x = &nodes[i + 1];

		*x = t->nodes[i];
		own[i + 1] = *x->stats;
		if (x->level == 1) {
			own[1].samples += x->stats->samples;
			own[1].total_ns += x->stats->total_ns;
		}
		x->parent++;
		x->level++;
		x->end++;
	}
	free(t->nodes);
	free(t->own);
	t->nodes = nodes;
	t->own = own;
	t->n++;
	for (size_t i = 0; i < t->n; i++)
		nodes[i].stats = &own[i];
	for (size_t i = 0; i < t->n_paths; i++)
		t->node_of[i] += t->node_of[i] != 0;
	return 0;
}
