// SPDX-License-Identifier: BSD-2-Clause
#include "report/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answer.h"
#include "analysis/calls/correction.h"
#include "analysis/calls/fold_waits.h"
#include "analysis/calls/inverted_tree.h"
#include "analysis/samples/sample_load.h"
#include "analysis/samples/sample_names.h"
#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "analysis/calls/whole_paths.h"
#include "base/compare.h"
#include "base/glob.h"
#include "base/log.h"
#include "base/text_format.h"
#include "report/sure_first.h"
#include "trace/keys.h"

const char *report_name(const struct report *rep, uint32_t func)
{
	return trace_name_func(rep->trace.info, func);
}

const char *report_program(const struct report *rep, uint32_t func)
{
	const struct loaded_samples *s = rep->trace.samples;

	return s && s->programs.n ? sample_program_of_func(s, func) ?: "" : NULL;
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
	case SORT_RUN:
		return stat_run_ns(st);
	case SORT_READY:
		return st->off_self.runnable_ns;
	case SORT_WAIT:
		return st->off_self.wait_ns;
	case SORT_SYSCALL:
		return st->off_self.syscall_ns;
	case SORT_OFF_CPU:
		return st->off_self.off_cpu_ns;
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
	case SORT_RUN:
		return goroutine_run_ns(g);
	case SORT_READY:
		return g->off.runnable_ns;
	case SORT_WAIT:
		return g->off.wait_ns;
	case SORT_SYSCALL:
		return g->off.syscall_ns;
	case SORT_OFF_CPU:
		return g->off.off_cpu_ns;
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
	int c = compare_u64(report_weight(rep->tree.nodes[b].stats, rep->opt->sort),
			    report_weight(rep->tree.nodes[a].stats, rep->opt->sort));

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

static uint64_t wait_weight(const struct wait_row *w, enum report_sort sort)
{
	return sort == SORT_TOTAL ? w->total_ns : sort == SORT_CALLS ? w->n : w->self_ns;
}

static int by_wait(const void *x, const void *y, void *ctx)
{
	const struct report *rep = ctx;
	const struct wait_row *a = &rep->waits.all[*(const size_t *)x],
			      *b = &rep->waits.all[*(const size_t *)y];
	int c = compare_u64(wait_weight(b, rep->opt->sort), wait_weight(a, rep->opt->sort));

	if (!c)
		c = compare_u64(b->total_ns, a->total_ns);
	return c ? c : compare_u64(*(const size_t *)x, *(const size_t *)y);
}

struct report_release report_release(const struct report *rep, uint32_t node)
{
	const struct call_node *x = &rep->tree.nodes[node];

	if (!rep->opt->n_callers)
		return (struct report_release){ x->func, released_below_node(&rep->released,
									     &rep->tree, node) };
	if (x->level > 1) /* numbers are of the function that it called */
		return (struct report_release){ .func = PATH_ROOT };
	return (struct report_release){ x->func, released_below_func(&rep->released, x->func) };
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

static bool in_hist(const struct report *rep, uint32_t func)
{
	const char *glob = rep->opt->hist;

	return !glob || glob_match(glob, report_name(rep, func)) ||
	       glob_match(glob, report_name(rep, model_plain_func(rep->trace.model, func)));
}

/* A sample has all that called what waits. For people, these have a row where their totals are
 * asked for. */
static bool waits_itself(const struct report *rep, const struct wait_row *w)
{
	return !rep->trace.samples || !rep->opt->text || w->self_ns || w->n ||
	       rep->opt->sort == SORT_TOTAL;
}

static bool wanted(const struct report *rep, size_t i)
{
	switch (rep->opt->by) {
	case BY_FUNCTION:
		return stat_any(&rep->trace.funcs[i]) && in_hist(rep, (uint32_t)i);
	case BY_REASON:
		return waits_itself(rep, &rep->waits.all[i]);
	case BY_PATH:
		return i && stat_any(rep->tree.nodes[i].stats);
	default:
		return true;
	}
}

static int by_index(const void *x, const void *y, void *ctx)
{
	(void)ctx;
	return compare_u64(*(const size_t *)x, *(const size_t *)y);
}

/* Is it a time that the correction has made? */
static bool sorts_by_time(enum report_sort sort)
{
	return sort <= SORT_TOTAL || sort == SORT_RUN;
}

static int sort_rows(struct report *rep)
{
	static int (*const order[])(const void *x, const void *y, void *ctx) = {
		[BY_FUNCTION] = by_function,   [BY_PATH] = by_path,
		[BY_GOROUTINE] = by_goroutine, [BY_REASON] = by_wait,
		[BY_CALL] = by_goroutine,      [BY_LABEL] = by_index,
		[BY_THREAD] = by_index,        [BY_PROCESS] = by_index,
		[BY_PROGRAM] = by_index,       [BY_LIBRARY] = by_index,
	};
	bool indexed = rep->trace.samples && rep->opt->by != BY_FUNCTION &&
		       rep->opt->by != BY_PATH && rep->opt->by != BY_REASON;
	const size_t counts[] = { [BY_FUNCTION] = rep->trace.n_funcs, [BY_PATH] = rep->tree.n,
				  [BY_GOROUTINE] = rep->goroutines.n, [BY_CALL] = 0,
				  [BY_REASON] = rep->waits.n,         [BY_KINDS] = 0 };
	size_t n = indexed ? rep->sample_rows.n : counts[rep->opt->by];

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
		qsort_r(rep->rows, rep->n_rows, sizeof(*rep->rows),
			indexed ? by_index : order[rep->opt->by], rep);
	if (rep->opt->by == BY_FUNCTION && sorts_by_time(rep->opt->sort))
		rep->none_sure = !sure_first(rep->rows, rep->n_rows, rep->trace.funcs);
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

static int load_sample_rows(struct report *rep, struct trace_reader *r)
{
	static const enum sample_by kinds[BY_KINDS] = {
		[BY_GOROUTINE] = SAMPLES_BY_GOROUTINE, [BY_LABEL] = SAMPLES_BY_LABELS,
		[BY_THREAD] = SAMPLES_BY_THREAD,       [BY_PROCESS] = SAMPLES_BY_PROCESS,
		[BY_PROGRAM] = SAMPLES_BY_PROGRAM,     [BY_LIBRARY] = SAMPLES_BY_LIBRARY,
	};
	const enum sample_by by = kinds[rep->opt->by];

	if (!trace_is_samples(trace_reader_info(r))) {
		log_error(
			"--by=label, thread, process, program and library are for samples; record with 'gotrace sample'");
		return -ENOTSUP;
	}
	int err = trace_load(&rep->trace, r, rep->opt->view, NULL);

	return err ? err : sample_rows_build(&rep->sample_rows, &rep->trace, by);
}

static int load_goroutines(struct report *rep, struct trace_reader *r)
{
	struct reading_goroutines in = {
		.to = &rep->goroutines,
		.watch = { .calls = CALLS_ALL, .on_goroutine = on_goroutine, .ctx = &in }
	};
	int err;

	if (trace_is_samples(trace_reader_info(r)))
		return load_sample_rows(rep, r);
	err = trace_load(&rep->trace, r, rep->opt->view, &in.watch);
	if (!err)
		err = goroutines_measure(&rep->goroutines, &rep->trace);
	if (!err && rep->opt->fold)
		goroutines_fold(&rep->goroutines);
	return err;
}

static int correct(struct report *rep)
{
	rep->trace.correct_by = rep->opt->correct_by;
	if (rep->opt->correct_by == CORRECT_BY_SAMPLES && !rep->trace.all->sampled.n) {
		log_error("--correct-by=samples: the trace has no sample of the processor time");
		return -ENOTSUP;
	}
	return correction_apply(&rep->trace);
}

/* It needs to know which calls waited for others. */
static int say_answer(struct report *rep)
{
	struct answer a;
	int err = answer_find(&a, &rep->trace);

	rep->said = err ? NULL : answer_say(&a, rep->trace.info);
	return err || rep->said ? err : -ENOMEM;
}

static int load_functions(struct report *rep, struct trace_reader *r)
{
	const bool answer = rep->opt->answer, wakes = answer || rep->opt->by == BY_REASON;
	struct trace_watch watch = { .wakes = wakes, .holds = answer, .parked = answer };
	int err = trace_load(&rep->trace, r, rep->opt->view, &watch);

	if (!err && !rep->opt->raw)
		err = correct(rep);
	if (!err && answer && rep->opt->text)
		err = say_answer(rep);
	if (!err && rep->opt->text && !rep->opt->waits && rep->opt->by != BY_REASON &&
	    !rep->opt->hist && !rep->opt->n_callers)
		err = fold_waits(&rep->trace);
	return err;
}

static int load_tree(struct report *rep, struct trace_reader *r)
{
	static const struct call_tree_options opt = { MERGE_FUNCTIONS, ORDER_NAMES, false };
	int err = load_functions(rep, r);

	return err ? err : call_tree_build(&rep->tree, &rep->trace, &opt);
}

static int load_callers(struct report *rep, struct trace_reader *r)
{
	static const struct call_tree_options opt = { MERGE_NOTHING, ORDER_NAMES, false };
	const struct report_options *o = rep->opt;
	struct call_tree paths = { 0 };
	int err = load_functions(rep, r);
	uint8_t *funcs = err ? NULL : calloc(rep->trace.info->n_funcs + 1, 1);

	if (!err && !funcs)
		err = -ENOMEM;
	if (!err)
		err = loaded_trace_mark(&rep->trace, "--callers", o->callers, o->n_callers, funcs);
	if (!err)
		err = call_tree_build(&paths, &rep->trace, &opt);
	if (!err)
		err = inverted_tree_build(&rep->tree, &paths, rep->trace.info, funcs,
					  trace_reader_bytes(r));
	call_tree_free(&paths);
	free(funcs);
	return err;
}

static int load_calls(struct report *rep, struct trace_reader *r)
{
	int err = call_rows_begin(&rep->calls, rep->opt, &rep->trace);

	if (!err)
		err = trace_load(&rep->trace, r, rep->opt->view, &rep->calls.watch);
	return err ? err : call_rows_finish(&rep->calls);
}

/* Without states there is nothing to sort by, nor a reason. */
static int load_waits(struct report *rep)
{
	const struct report_options *o = rep->opt;
	bool wanted = o->by == BY_REASON || o->sort >= SORT_RUN;

	if (!rep->trace.totals->states && wanted) {
		log_error(
			rep->trace.summary
				? "a summary has no states of goroutines; record with --states, and without --summary and "
				  "--min-duration"
				: "this trace has no states of goroutines; record with --states");
		return -ENOTSUP;
	}
	if (!rep->trace.totals->states || o->n_callers || o->by == BY_CALL ||
	    o->by == BY_GOROUTINE || o->by >= BY_LABEL)
		return 0;
	int err = wait_rows_load(&rep->waits, &rep->trace, o->by == BY_PATH ? &rep->tree : NULL);

	return err || o->by != BY_REASON ? err : wake_rows_load(&rep->wakes, &rep->trace);
}

/* --hist: not of samples, which are no calls, and of some function. */
static int check_hist(const struct report *rep)
{
	if (!rep->opt->hist)
		return 0;
	if (rep->trace.samples) {
		log_error("--hist shows durations of calls, which samples do not have");
		return -ENOTSUP;
	}
	if (!rep->n_rows)
		log_error(
			"--hist: no function of this trace matches '%s'; 'gotrace report -n 0' lists those that ran",
			rep->opt->hist);
	return rep->n_rows ? 0 : -ENOENT;
}

static int load_all(struct report *rep, struct trace_reader *r, const struct report_options *opt,
		    bool whole_paths)
{
	static int (*const load[])(struct report * rep, struct trace_reader * r) = {
		[BY_FUNCTION] = load_functions,   [BY_PATH] = load_tree,
		[BY_GOROUTINE] = load_goroutines, [BY_CALL] = load_calls,
		[BY_REASON] = load_functions,     [BY_LABEL] = load_sample_rows,
		[BY_THREAD] = load_sample_rows,   [BY_PROCESS] = load_sample_rows,
		[BY_PROGRAM] = load_sample_rows,  [BY_LIBRARY] = load_sample_rows,
	};

	*rep = (struct report){ .opt = opt, .calls.spool.fd = -1 };
	int err = report_check_samples(trace_reader_info(r), opt);

	if (!err)
		err = opt->n_callers ? load_callers(rep, r) : load[opt->by](rep, r);
	if (!err && whole_paths && opt->by == BY_PATH)
		err = whole_paths_bound(&rep->tree, rep->trace.info, opt->depth,
					whole_paths_most(r));
	if (!err && (!rep->trace.samples || rep->trace.samples->wall))
		err = load_waits(rep);
	if (!err && !rep->trace.samples)
		err = released_find(&rep->released, &rep->trace);
	if (!err)
		err = sort_rows(rep);
	if (!err)
		err = check_hist(rep);
	if (err == -ENOMEM)
		log_no_memory("no memory for the report");
	return err;
}

int report_load(struct report *rep, struct trace_reader *r, const struct report_options *opt)
{
	return load_all(rep, r, opt, false);
}

int report_load_whole_paths(struct report *rep, struct trace_reader *r,
			    const struct report_options *opt)
{
	return load_all(rep, r, opt, true);
}

void report_free(struct report *rep)
{
	released_free(&rep->released);
	trace_unload(&rep->trace);
	goroutines_free(&rep->goroutines);
	call_tree_free(&rep->tree);
	call_rows_free(&rep->calls);
	sample_rows_free(&rep->sample_rows);
	wait_rows_free(&rep->waits);
	wake_rows_free(&rep->wakes);
	free(rep->rows);
	free(rep->said);
}
