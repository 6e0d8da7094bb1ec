// SPDX-License-Identifier: BSD-2-Clause
#include "export/tree_load.h"

#include "analysis/correction.h"

int tree_load(struct loaded_trace *trace, struct call_tree *tree, struct trace_reader *r,
	      const struct trace_view *view, struct trace_watch *watch, bool cut_go, bool raw)
{
	const struct call_tree_options opt = { MERGE_NAMES, ORDER_NAMES_SPECIAL_LAST, cut_go };
	int err = trace_load(trace, r, view, watch);

	*tree = (struct call_tree){ 0 };
	if (!err && !raw)
		err = correction_apply(trace);
	return err ? err : call_tree_build(tree, trace, &opt);
}
