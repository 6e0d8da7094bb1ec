// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff/trace_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/correction.h"
#include "analysis/diff/diff_programs.h"
#include "analysis/diff/diff_shares.h"
#include "analysis/samples/sample_load.h"
#include "analysis/stat_columns.h"
#include "base/log.h"

static void add(const struct diff *d, struct diff_row *row, unsigned side,
		const struct call_stats *st)
{
	const uint64_t self_off = d->states ? st->off_self.off_cpu_ns : 0,
		       total_off = d->states ? st->off_total.off_cpu_ns : 0;

	row->value[METRIC_SELF][side] += st->self_ns - self_off;
	row->value[METRIC_TOTAL][side] += st->total_ns > total_off ? st->total_ns - total_off : 0;
	row->value[METRIC_CALLS][side] += st->calls;
	row->value[METRIC_RUN][side] += d->states ? stat_run_ns(st) : 0;
	row->uncertainty_ns[side] += st->uncertainty_ns;
	row->chance_ns[side] += st->run_chance_ns;
	row->bias_ns[side] += st->run_bias_ns;
	row->probe_ns[side] += stat_run_probe_ns(st);
	row->total_run_ns[side] += d->states ? stat_total_run_ns(st) : 0;
	row->there[side] |= stat_any(st);
	row->by_call = d->states;
}

/* The only function of its name tells of single calls. */
static void add_series(const struct diff *d, struct diff_row *row, unsigned side, size_t func)
{
	const struct call_stats *st = &d->side[side].funcs[func];
	const bool first = !row->func_calls[side];

	if (!st->calls)
		return;
	row->series[side] = first ? calls_of_func(&d->calls[side], func) : NULL;
	row->func[side] = first ? st : NULL;
	row->func_calls[side] += st->calls;
}

static int make_rows(struct diff *d, size_t n)
{
	d->rows = calloc(n + 1, sizeof(*d->rows));
	if (!d->rows)
		return -ENOMEM;
	d->n_rows = n;
	for (uint32_t i = 0; i < n; i++)
		d->rows[i].key = i;
	return 0;
}

static int match_functions(struct diff *d)
{
	int err = make_rows(d, d->names.info.n_funcs);

	if (d->shares)
		return err ? err : diff_shares_functions(d);
	for (unsigned s = 0; !err && s < 2; s++)
		for (size_t f = 0; f < d->side[s].n_funcs; f++) {
			struct diff_row *row = &d->rows[d->names.name_of[s][f]];

			add(d, row, s, &d->side[s].funcs[f]);
			add_series(d, row, s, f);
		}
	return err;
}

/* Of each path those of its function. */
static int series_of_paths(struct diff *d)
{
	struct diff_row *of = calloc(d->names.info.n_funcs + 1, sizeof(*of));

	if (!of)
		return -ENOMEM;
	for (unsigned s = 0; s < 2; s++)
		for (size_t f = 0; f < d->side[s].n_funcs; f++)
			add_series(d, &of[d->names.name_of[s][f]], s, f);
	for (size_t i = 0; i < d->n_rows; i++) {
		struct diff_row *row = &d->rows[i];
		const uint32_t func = diff_row_func(d, row);

		if (func >= d->names.info.n_funcs)
			continue;
		memcpy(row->series, of[func].series, sizeof(row->series));
		memcpy(row->func, of[func].func, sizeof(row->func));
		memcpy(row->func_calls, of[func].func_calls, sizeof(row->func_calls));
	}
	free(of);
	return 0;
}

static int match_paths(struct diff *d)
{
	static const struct call_tree_options opt = { MERGE_FUNCTIONS, ORDER_NAMES, false };
	struct call_tree tree[2] = { 0 };
	const struct call_tree_side side[2] = { { &tree[0], d->names.name_of[0] },
						{ &tree[1], d->names.name_of[1] } };
	uint32_t *node_of[2] = { NULL, NULL };
	int err = call_tree_build(&tree[0], &d->side[0], &opt);

	if (!err)
		err = call_tree_build(&tree[1], &d->side[1], &opt);
	for (unsigned s = 0; !err && s < 2; s++)
		if (d->names.root[s] != TRACE_NONE)
			err = diff_programs_root(&tree[s], d->names.root[s]);
	if (!err)
		err = call_tree_join(&d->tree, side, &d->names.info, &opt, node_of);
	if (!err)
		err = make_rows(d, d->tree.n);
	for (unsigned s = 0; !err && s < 2; s++)
		for (size_t i = 1; i < tree[s].n; i++)
			add(d, &d->rows[node_of[s][i]], s, tree[s].nodes[i].stats);
	if (!err)
		err = series_of_paths(d);
	if (!err && d->shares)
		diff_shares_paths(d);
	for (unsigned s = 0; s < 2; s++) {
		call_tree_free(&tree[s]);
		free(node_of[s]);
	}
	return err;
}

static bool is_wall(const struct loaded_trace *t)
{
	return t->samples && t->samples->wall;
}

/* Goroutines without a call are mostly those of the runtime. */
struct diff_stretch diff_stretch_of(const struct model_totals *t)
{
	if (!t->states)
		return (struct diff_stretch){ 1, 1 };

	const uint64_t run_ns = t->life_ns - t->idle_life_ns -
				(off_times_sum(&t->off) - off_times_sum(&t->idle_off)),
		       ready_ns = t->off.runnable_ns - t->idle_off.runnable_ns,
		       off_ns = t->off.off_cpu_ns - t->idle_off.off_cpu_ns;
	const double run = run_ns ? (double)run_ns : 1;

	return (struct diff_stretch){ (run + (double)ready_ns + (double)off_ns) / run,
				      (run + (double)off_ns) / run };
}

/* What is compared: shares, processor time of samples, or times with or without states. 0 or
 * -ENOTSUP (logged) */
static int choose(struct diff *d)
{
	d->shares = d->side[0].samples || d->side[1].samples;
	d->sampled = d->side[0].samples && d->side[1].samples && !is_wall(&d->side[0]);
	for (unsigned s = 0; s < 2; s++)
		d->seconds[s] = d->sampled && (loaded_trace_is_part(&d->side[0]) ||
					       loaded_trace_is_part(&d->side[1]))
					? (double)loaded_trace_wall_ns(&d->side[s]) / 1e9
					: 1;
	d->states = !d->shares && d->side[0].totals->states && d->side[1].totals->states;
	for (unsigned s = 0; s < 2 && d->states; s++)
		d->stretch[s] = diff_stretch_of(d->side[s].totals);
	if (is_wall(&d->side[0]) != is_wall(&d->side[1])) {
		log_error(
			"a recording of waiting goroutines (sample --wall) can be compared with another such "
			"recording only; others have shares of execution");
		return -ENOTSUP;
	}
	if (d->by_path && d->shares && !(d->side[0].samples && d->side[1].samples)) {
		log_error(
			"paths of calls and of samples cannot be compared, because samples have functions that "
			"were not traced; compare --by=function");
		return -ENOTSUP;
	}
	return 0;
}

int diff_match(struct diff *d)
{
	int err = choose(d);

	if (err)
		return err;
	for (unsigned s = 0; s < 2; s++)
		calls_of_all_settle(&d->calls[s]);
	err = diff_names_match(&d->names, &d->side[0], &d->side[1]);
	if (!err)
		err = d->by_path ? match_paths(d) : match_functions(d);
	for (size_t i = 0; i < d->n_rows; i++)
		for (unsigned s = 0; s < 2; s++)
			d->all_run_ns[s] += d->rows[i].value[METRIC_RUN][s];
	if (err)
		log_no_memory("no memory to compare the traces");
	return err;
}

int diff_load(struct diff *d, struct trace_reader *const r[2], bool by_path, bool raw)
{
	int err = 0;

	*d = (struct diff){ .by_path = by_path };
	for (unsigned s = 0; s < 2; s++)
		calls_of_all_begin(&d->calls[s]);
	for (unsigned s = 0; !err && s < 2; s++)
		err = trace_load(&d->side[s], r[s], NULL, &d->calls[s].watch);
	for (unsigned s = 0; s < 2; s++)
		if (d->calls[s].watch.err) { /* the only one that is not logged yet */
			log_no_memory("no memory to compare the traces");
			err = d->calls[s].watch.err;
		}
	for (unsigned s = 0; !err && !raw && s < 2; s++)
		if (!d->side[s].samples)
			err = correction_apply(&d->side[s]);
	return err ? err : diff_match(d);
}

void diff_unmatch(struct diff *d)
{
	call_tree_free(&d->tree);
	diff_names_free(&d->names);
	calls_of_all_free(&d->calls[0]);
	calls_of_all_free(&d->calls[1]);
	free(d->rows);
}

void diff_free(struct diff *d)
{
	diff_unmatch(d);
	trace_unload(&d->side[0]);
	trace_unload(&d->side[1]);
}

uint32_t diff_row_func(const struct diff *d, const struct diff_row *row)
{
	return d->by_path ? d->tree.nodes[row->key].func : row->key;
}

const char *diff_row_kind(const struct diff_row *row)
{
	return !row->there[0] ? "new" : !row->there[1] ? "gone" : "changed";
}

int diff_row_untraced(const struct diff *d, const struct diff_row *row)
{
	int missing = !row->there[0] ? 0 : !row->there[1] ? 1 : -1;
	uint32_t func = diff_row_func(d, row);

	return missing >= 0 && func < d->names.info.n_funcs && !d->names.traced[missing][func]
		       ? missing
		       : -1;
}

bool diff_row_per_call(const struct diff_row *row)
{
	const uint64_t *calls = row->value[METRIC_CALLS];

	return calls[0] && calls[1] && calls[0] != calls[1];
}

int64_t diff_change(const struct diff_row *row, enum diff_metric m)
{
	return (int64_t)(row->value[m][1] - row->value[m][0]);
}
