// SPDX-License-Identifier: BSD-2-Clause
/*
 * Folded stacks: "root;...;leaf WEIGHT", a line a path. Readers split the
 * weight off at the last blank and the frames at ';', so that blanks in names
 * do no harm.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "analysis/calls/whole_paths.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/text_format.h"
#include "base/vec.h"
#include "export/export_formats.h"
#include "export/tree_load.h"

static uint64_t weight_of(const struct call_stats *st, enum export_weight weight)
{
	switch (weight) {
	case WEIGHT_TOTAL:
		return st->total_ns;
	case WEIGHT_CALLS:
		return st->calls;
	case WEIGHT_RUN:
		return stat_run_ns(st);
	case WEIGHT_READY:
		return st->off_self.runnable_ns;
	case WEIGHT_WAIT:
		return st->off_self.wait_ns;
	case WEIGHT_SYSCALL:
		return st->off_self.syscall_ns;
	case WEIGHT_OFF_CPU:
		return st->off_self.off_cpu_ns;
	default:
		return st->self_ns;
	}
}

/* The path down to its node at `level`, or with `leaf` in that node's place; PARKED_FRAME stands
 * below it. */
static void put_line(const struct trace_info *info, const struct call_tree *t, const uint32_t *path,
		     uint32_t level, const char *leaf, uint64_t weight, FILE *out)
{
	const bool below = leaf && !strcmp(leaf, PARKED_FRAME);

	for (uint32_t l = 1; l <= level; l++) {
		const char *name = trace_name_func(info, t->nodes[path[l]].func);

		/* What held up the prologue of a goroutine's first call is the goroutine's. */
		if (t->nodes[path[l]].go) {
			fputs(GO_FRAME, out);
			text_frame(out, name);
			fputc(';', out);
		}
		if (l == level && leaf && !below)
			fputs(leaf, out);
		else
			text_frame(out, name);
		if (l == level && below)
			fputs(";" PARKED_FRAME, out);
		fputc(l < level ? ';' : ' ', out);
	}
	fprintf(out, "%" PRIu64 "\n", weight);
}

/* parked: NULL, or waits by node. */
static int lines(const struct loaded_trace *trace, const struct call_tree *t,
		 const uint64_t *parked, enum export_weight weight, FILE *out)
{
	const struct trace_info *info = trace->info;
	uint32_t *path = NULL; /* the nodes from the outermost to the current one */
	size_t cap = 0;
	int err = 0;

	for (size_t i = 1; !err && i < t->n; i++) {
		const struct call_node *x = &t->nodes[i];
		const uint64_t parked_ns = parked ? parked[i] : 0;
		/* of samples a part of it */
		uint64_t w = weight_of(x->stats, weight) - (trace->samples ? parked_ns : 0);

		err = vec_reserve(&path, &cap, x->level + 1);
		if (err)
			break;
		path[x->level] = (uint32_t)i;
		if (w)
			put_line(info, t, path, x->level, NULL, w, out);
		if (parked_ns)
			put_line(info, t, path, x->level, PARKED_FRAME, parked_ns, out);
		if (weight == WEIGHT_SELF && x->stats->morestack_ns)
			put_line(info, t, path, x->level, GROWTH_FRAME, x->stats->morestack_ns,
				 out);
		if (weight == WEIGHT_SELF && x->stats->preempt_ns)
			put_line(info, t, path, x->level, PREEMPTED_FRAME, x->stats->preempt_ns,
				 out);
	}
	free(path);
	return err;
}

static const char *const weights[] = {
	[WEIGHT_SELF] = "self time, ns",
	[WEIGHT_TOTAL] = "total time, ns",
	[WEIGHT_CALLS] = "calls",
	[WEIGHT_RUN] = "self time, running, ns",
	[WEIGHT_READY] = "self time, runnable, ns",
	[WEIGHT_WAIT] = "self time, waiting, ns",
	[WEIGHT_SYSCALL] = "self time, in system calls, ns",
	[WEIGHT_OFF_CPU] = "self time, without a processor, ns",
};

int export_folded(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		  FILE *out)
{
	struct call_tree tree;
	struct loaded_trace trace;
	const bool apart = (opt->weight == WEIGHT_SELF || opt->weight == WEIGHT_WAIT) &&
			   !(opt->view && opt->view->parked);
	struct trace_watch watch = { .parked = apart, .mark_parked = apart };
	uint64_t *parked = NULL;
	int err = tree_load(&trace, &tree, r[0], opt->view, &watch, opt->no_go_edges, opt->raw);

	(void)n;
	if (!err)
		err = whole_paths_cut(&tree, &opt->cut);
	if (!err)
		err = whole_paths_bound(&tree, trace.info, 0, whole_paths_most(r[0]));
	if (!err && opt->weight >= WEIGHT_RUN && !trace.totals->states) {
		log_error("this trace has no states of goroutines; record with --states");
		err = -ENOTSUP;
	}
	if (!err && apart)
		parked = tree_parked(&trace, &tree, &err);
	if (!err && opt->header)
		fprintf(out, "# %s\n", weights[opt->weight]);
	if (!err)
		err = lines(&trace, &tree, parked, opt->weight, out);
	if (!err)
		err = outfile_check(out);
	free(parked);
	call_tree_free(&tree);
	trace_unload(&trace);
	return err;
}
