// SPDX-License-Identifier: BSD-2-Clause
#include "export/tree_load.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/calls/correction.h"
#include "analysis/parked.h"
#include "analysis/samples/sample_load.h"

int tree_load(struct loaded_trace *trace, struct call_tree *tree, struct trace_reader *r,
	      const struct trace_view *view, struct trace_watch *watch, bool cut_go, bool raw)
{
	const struct call_tree_options opt = { MERGE_NAMES, ORDER_NAMES_SPECIAL_LAST, cut_go };
	int err = trace_load(trace, r, view, watch);

	*tree = (struct call_tree){ 0 };
	if (!err && watch && watch->mark_parked)
		err = loaded_trace_leave_out_parked(trace);
	if (!err && !raw)
		err = correction_apply(trace);
	return err ? err : call_tree_build(tree, trace, &opt);
}

uint64_t *tree_parked(const struct loaded_trace *trace, const struct call_tree *tree, int *err)
{
	const struct loaded_samples *s = trace->samples;
	size_t n = 0;
	const struct parked_place *places = s ? NULL : parked_places(trace->parked, &n);
	uint64_t *ns = calloc(tree->n + 1, sizeof(*ns));
	bool any = false;

	*err = ns ? 0 : -ENOMEM;
	for (size_t i = 0; ns && i < n; i++) {
		ns[tree->node_of[places[i].path]] += places[i].ns;
		any = true;
	}
	for (size_t i = 0; ns && s && i < s->n_groups; i++) {
		const struct sample_group *g = &s->groups[i];

		if (!g->parked || g->left_out)
			continue;
		ns[tree->node_of[g->path]] += g->weight_ns;
		any = true;
	}
	if (any)
		return ns;
	free(ns);
	return NULL;
}
