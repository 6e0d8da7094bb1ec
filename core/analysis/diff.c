// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/correction.h"
#include "analysis/diff_shares.h"
#include "analysis/sample_load.h"
#include "analysis/stat_columns.h"
#include "base/log.h"

static void add(struct diff_row *row, unsigned side, const struct call_stats *st)
{
	row->value[METRIC_SELF][side] += st->self_ns;
	row->value[METRIC_TOTAL][side] += st->total_ns;
	row->value[METRIC_CALLS][side] += st->calls;
	row->there[side] |= stat_any(st);
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
		for (size_t f = 0; f < d->side[s].n_funcs; f++)
			add(&d->rows[d->names.name_of[s][f]], s, &d->side[s].funcs[f]);
	return err;
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
	if (!err)
		err = call_tree_join(&d->tree, side, &d->names.info, &opt, node_of);
	if (!err)
		err = make_rows(d, d->tree.n);
	for (unsigned s = 0; !err && s < 2; s++)
		for (size_t i = 1; i < tree[s].n; i++)
			add(&d->rows[node_of[s][i]], s, &tree[s].nodes[i].stats);
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

int diff_load(struct diff *d, struct trace_reader *const r[2], bool by_path, bool raw)
{
	int err = 0;

	*d = (struct diff){ .by_path = by_path };
	for (unsigned s = 0; !err && s < 2; s++)
		err = trace_load(&d->side[s], r[s], NULL, NULL);
	for (unsigned s = 0; !err && !raw && s < 2; s++)
		if (!d->side[s].samples)
			err = correction_apply(&d->side[s]);
	if (err)
		return err;
	d->shares = d->side[0].samples || d->side[1].samples;
	if (is_wall(&d->side[0]) != is_wall(&d->side[1])) {
		log_error(
			"a recording of waiting goroutines (sample --wall) can be compared with another one only: others have shares of what executed");
		return -ENOTSUP;
	}
	if (by_path && d->shares && !(d->side[0].samples && d->side[1].samples)) {
		log_error(
			"paths of calls and of samples cannot be compared: samples have functions that were not traced in between; compare --by=function");
		return -ENOTSUP;
	}
	err = diff_names_match(&d->names, &d->side[0], &d->side[1]);
	if (!err)
		err = by_path ? match_paths(d) : match_functions(d);
	if (err)
		log_no_memory("no memory to compare the traces");
	return err;
}

void diff_free(struct diff *d)
{
	call_tree_free(&d->tree);
	diff_names_free(&d->names);
	trace_unload(&d->side[0]);
	trace_unload(&d->side[1]);
	free(d->rows);
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

int64_t diff_change(const struct diff_row *row, enum diff_metric m)
{
	return (int64_t)(row->value[m][1] - row->value[m][0]);
}
