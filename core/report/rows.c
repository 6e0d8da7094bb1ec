// SPDX-License-Identifier: BSD-2-Clause
#include "report/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/correction.h"
#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "base/compare.h"
#include "base/log.h"
#include "base/text_format.h"

const char *report_name(const struct report *rep, uint32_t func)
{
	return trace_name_func(rep->trace.info, func);
}

uint64_t report_weight(const struct call_stats *st, enum report_sort sort)
{
	switch (sort) {
	case SORT_TOTAL:
		return st->total_ns;
	case SORT_CALLS:
		return st->calls;
	case SORT_MORESTACK:
		return st->morestack_ns;
	case SORT_COST:
		return st->cost_ns;
	case SORT_MEAN:
		return st->finished ? st->sum_ns / st->finished : 0;
	case SORT_MAX:
		return st->finished ? st->max_ns : 0;
	case SORT_P50:
		return st->finished ? stat_quantile(st, 0.50) : 0;
	case SORT_P99:
		return st->finished ? stat_quantile(st, 0.99) : 0;
	default:
		return st->self_ns;
	}
}

static uint64_t goroutine_weight(const struct goroutine_info *g, enum report_sort sort)
{
	switch (sort) {
	case SORT_TOTAL:
		return g->total_ns;
	case SORT_CALLS:
		return g->calls;
	case SORT_MORESTACK:
		return g->morestack_ns;
	default:
		return g->self_ns;
	}
}

static int by_function(const void *x, const void *y, void *ctx)
{
	const struct report *rep = ctx;
	size_t a = *(const size_t *)x, b = *(const size_t *)y;
	int c = compare_u64(report_weight(&rep->trace.funcs[b], rep->opt->sort),
			    report_weight(&rep->trace.funcs[a], rep->opt->sort));

	if (!c)
		c = strcmp(report_name(rep, (uint32_t)a), report_name(rep, (uint32_t)b));
	return c ? c : compare_u64(a, b);
}

static int by_path(const void *x, const void *y, void *ctx)
{
	const struct report *rep = ctx;
	size_t a = *(const size_t *)x, b = *(const size_t *)y;
	int c = compare_u64(report_weight(&rep->tree.nodes[b].stats, rep->opt->sort),
			    report_weight(&rep->tree.nodes[a].stats, rep->opt->sort));

	return c ? c : compare_u64(a, b);
}

static int by_goroutine(const void *x, const void *y, void *ctx)
{
	const struct report *rep = ctx;
	const struct goroutine_info *a = &rep->goroutines.rows[*(const size_t *)x].g;
	const struct goroutine_info *b = &rep->goroutines.rows[*(const size_t *)y].g;
	int c = compare_u64(goroutine_weight(b, rep->opt->sort),
			    goroutine_weight(a, rep->opt->sort));

	if (!c)
		c = a->system - b->system;
	if (!c)
		c = compare_u64(a->image, b->image);
	return c ? c : compare_u64(a->goid, b->goid);
}

bool report_wants_path(const struct report *rep, size_t node)
{
	const struct report_options *o = rep->opt;
	const struct call_node *x = &rep->tree.nodes[node];

	/* Where nothing took any time, no path has a small share of it. */
	return (!o->depth || x->level <= o->depth) &&
	       (!rep->tree.nodes[0].subtree_ns ||
		share_pct(x->subtree_ns, rep->tree.nodes[0].subtree_ns) >= o->min_share_pct);
}

static bool wanted(const struct report *rep, size_t i)
{
	switch (rep->opt->by) {
	case BY_FUNCTION:
		return stat_any(&rep->trace.funcs[i]);
	case BY_PATH:
		return i && stat_any(&rep->tree.nodes[i].stats);
	default:
		return true;
	}
}

static int sort_rows(struct report *rep)
{
	static int (*const order[])(const void *x, const void *y, void *ctx) = {
		[BY_FUNCTION] = by_function,
		[BY_PATH] = by_path,
		[BY_GOROUTINE] = by_goroutine,
		[BY_CALL] = by_goroutine,
	};
	const size_t counts[] = { [BY_FUNCTION] = rep->trace.n_funcs,
				  [BY_PATH] = rep->tree.n,
				  [BY_GOROUTINE] = rep->goroutines.n,
				  [BY_CALL] = 0 };
	size_t n = counts[rep->opt->by];

	rep->rows = calloc(n + 1, sizeof(*rep->rows));
	if (!rep->rows)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (!wanted(rep, i))
			continue;
		if (rep->opt->by == BY_PATH && !report_wants_path(rep, i))
			rep->n_hidden++;
		else
			rep->rows[rep->n_rows++] = i;
	}
	if (rep->n_rows)
		qsort_r(rep->rows, rep->n_rows, sizeof(*rep->rows), order[rep->opt->by], rep);
	if (rep->opt->limit && rep->n_rows > rep->opt->limit) {
		rep->n_hidden += rep->n_rows - rep->opt->limit;
		rep->n_rows = rep->opt->limit;
	}
	return 0;
}

/* ---- reading */

struct reading_goroutines {
	struct goroutines *to;
	struct trace_watch watch;
};

static void on_goroutine(void *ctx, const struct goroutine_info *g)
{
	struct reading_goroutines *in = ctx;

	if (!in->watch.err)
		in->watch.err = goroutines_add(in->to, g);
}

static int load_goroutines(struct report *rep, struct trace_reader *r)
{
	struct reading_goroutines in = { .to = &rep->goroutines,
					 .watch = { .on_goroutine = on_goroutine, .ctx = &in } };
	int err = trace_load(&rep->trace, r, rep->opt->view, &in.watch);

	if (!err)
		err = goroutines_measure(&rep->goroutines, &rep->trace);
	if (!err && rep->opt->fold)
		goroutines_fold(&rep->goroutines);
	return err;
}

static int load_functions(struct report *rep, struct trace_reader *r)
{
	int err = trace_load(&rep->trace, r, rep->opt->view, NULL);

	return err || rep->opt->raw ? err : correction_apply(&rep->trace);
}

static int load_tree(struct report *rep, struct trace_reader *r)
{
	static const struct call_tree_options opt = { MERGE_FUNCTIONS, ORDER_NAMES, false };
	int err = load_functions(rep, r);

	return err ? err : call_tree_build(&rep->tree, &rep->trace, &opt);
}

static int load_calls(struct report *rep, struct trace_reader *r)
{
	int err = call_rows_begin(&rep->calls, rep->opt, &rep->trace);

	if (!err)
		err = trace_load(&rep->trace, r, rep->opt->view, &rep->calls.watch);
	return err ? err : call_rows_finish(&rep->calls);
}

int report_load(struct report *rep, struct trace_reader *r, const struct report_options *opt)
{
	static int (*const load[])(struct report * rep, struct trace_reader * r) = {
		[BY_FUNCTION] = load_functions,
		[BY_PATH] = load_tree,
		[BY_GOROUTINE] = load_goroutines,
		[BY_CALL] = load_calls,
	};

	*rep = (struct report){ .opt = opt, .calls.spool.fd = -1 };
	int err = load[opt->by](rep, r);

	if (!err)
		err = released_find(&rep->released, &rep->trace);
	if (!err)
		err = sort_rows(rep);
	if (err == -ENOMEM)
		log_error("no memory for the report");
	return err;
}

void report_free(struct report *rep)
{
	released_free(&rep->released);
	trace_unload(&rep->trace);
	goroutines_free(&rep->goroutines);
	call_tree_free(&rep->tree);
	call_rows_free(&rep->calls);
	free(rep->rows);
}
