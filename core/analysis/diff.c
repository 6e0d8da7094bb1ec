// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

const struct diff_format diff_formats[] = {
	{ "text", diff_text },
	{ "csv", diff_csv },
	{ "json", diff_json },
	{ 0 },
};

/* ---- names: a function of one trace is the function of that name in the other */

struct name_ref {
	const char *name;
	unsigned side;
	uint32_t func;
};

static int by_name(const void *x, const void *y)
{
	return strcmp(((const struct name_ref *)x)->name, ((const struct name_ref *)y)->name);
}

/* Fills d->names and d->traced; map[side][func] is the place of a side's function there. */
static int match_names(struct diff *d, uint32_t *map[2])
{
	size_t n = 0, n_all = d->side[0].n_funcs + d->side[1].n_funcs;
	struct name_ref *refs = calloc(n_all + 1, sizeof(*refs));

	d->names.funcs = calloc(n_all + 1, sizeof(*d->names.funcs));
	for (unsigned s = 0; s < 2; s++) {
		map[s] = calloc(d->side[s].n_funcs + 1, sizeof(*map[s]));
		d->traced[s] = calloc(n_all + 1, sizeof(*d->traced[s]));
	}
	if (!refs || !d->names.funcs || !map[0] || !map[1] || !d->traced[0] || !d->traced[1]) {
		free(refs);
		return -ENOMEM;
	}
	for (unsigned s = 0; s < 2; s++)
		for (uint32_t f = 0; f < d->side[s].n_funcs; f++)
			refs[n++] = (struct name_ref){ report_name(&d->side[s], f), s, f };
	if (n)
		qsort(refs, n, sizeof(*refs), by_name);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(refs[i].name, refs[i - 1].name))
			d->names.funcs[d->names.n_funcs++].name = (char *)refs[i].name;
		map[refs[i].side][refs[i].func] = (uint32_t)d->names.n_funcs - 1;
		d->traced[refs[i].side][d->names.n_funcs - 1] = true;
	}
	free(refs);
	d->all.info = &d->names;
	return 0;
}

/* ---- rows */

static void add(struct diff_row *row, unsigned side, const struct call_stats *st)
{
	row->value[METRIC_SELF][side] += st->self_ns;
	row->value[METRIC_TOTAL][side] += st->total_ns;
	row->value[METRIC_CALLS][side] += st->calls;
	row->there[side] |= report_has_row(st);
}

static int match_functions(struct diff *d, uint32_t *const map[2])
{
	d->n_rows = d->names.n_funcs;
	d->rows = calloc(d->n_rows + 1, sizeof(*d->rows));
	if (!d->rows)
		return -ENOMEM;
	for (uint32_t f = 0; f < d->n_rows; f++)
		d->rows[f].key = f;
	for (unsigned s = 0; s < 2; s++)
		for (size_t f = 0; f < d->side[s].n_funcs; f++)
			add(&d->rows[map[s][f]], s, &d->side[s].funcs[f]);
	return 0;
}

/* Takes a side's tree into the tree of both; twin[node] is the node's place there. */
static int take_tree(struct diff *d, unsigned s, const uint32_t *map, uint32_t **twin)
{
	const struct paths *from = &d->side[s].tree;
	int err = 0;

	*twin = calloc(from->n, sizeof(**twin));
	if (!*twin)
		return -ENOMEM;
	for (size_t i = 1; !err && i < from->n; i++) { /* parents come before their children */
		uint32_t func = from->nodes[i].func;

		err = paths_call(&d->all.tree, (*twin)[from->nodes[i].parent],
				 func < d->side[s].n_funcs ? map[func] : func, &(*twin)[i]);
	}
	return err;
}

static int match_paths(struct diff *d, uint32_t *const map[2])
{
	uint32_t *twin[2] = { NULL, NULL };
	int err = paths_init(&d->all.tree, UINT32_MAX - 8);

	for (unsigned s = 0; !err && s < 2; s++)
		err = take_tree(d, s, map[s], &twin[s]);
	if (!err)
		err = report_number_tree(&d->all);
	if (!err) {
		d->n_rows = d->all.tree.n;
		d->rows = calloc(d->n_rows, sizeof(*d->rows));
		err = d->rows ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; !err && i < d->n_rows; i++)
		d->rows[i].key = i;
	for (unsigned s = 0; !err && s < 2; s++)
		for (size_t i = 1; i < d->side[s].tree.n; i++)
			add(&d->rows[twin[s][i]], s, &d->side[s].tree.nodes[i].stats);
	free(twin[0]);
	free(twin[1]);
	return err;
}

/* ---- what counts */

int64_t diff_change(const struct diff_row *row, enum diff_metric m)
{
	return (int64_t)(row->value[m][1] - row->value[m][0]);
}

static uint64_t size_of_change(const struct diff_row *row, enum diff_metric m)
{
	int64_t c = diff_change(row, m);

	return c < 0 ? -(uint64_t)c : (uint64_t)c;
}

static bool counts(const struct diff *d, const struct diff_row *row, enum diff_metric m)
{
	uint64_t size = size_of_change(row, m);

	return size && (m == METRIC_CALLS || size >= d->min_ns) &&
	       (double)size * 100 >= d->opt->threshold_pct * (double)row->value[m][0];
}

static bool equal(const struct diff_row *row)
{
	return row->there[0] == row->there[1] && !diff_change(row, METRIC_SELF) &&
	       !diff_change(row, METRIC_TOTAL) && !diff_change(row, METRIC_CALLS);
}

/* Leaves the rows that are to be shown. */
static void sift(struct diff *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_rows; i++) {
		const struct diff_row row = d->rows[i];

		if (!row.there[0] && !row.there[1])
			continue;
		if (equal(&row))
			d->n_equal++;
		else if (counts(d, &row, METRIC_SELF) || counts(d, &row, METRIC_TOTAL) ||
			 counts(d, &row, METRIC_CALLS))
			d->rows[n++] = row;
		else
			d->n_folded++;
	}
	d->n_rows = n;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_change(const void *x, const void *y, void *ctx)
{
	static const enum diff_metric metric[] = {
		[DIFF_SELF] = METRIC_SELF,
		[DIFF_TOTAL] = METRIC_TOTAL,
		[DIFF_CALLS] = METRIC_CALLS,
	};
	const struct diff *d = ctx;
	const struct diff_row *a = x, *b = y;
	int c = 0;

	if (d->opt->sort != DIFF_NAME) {
		enum diff_metric m = metric[d->opt->sort];

		c = compare(size_of_change(b, m), size_of_change(a, m));
	}
	if (c)
		return c;
	return d->all.place ? compare(d->all.place[a->key], d->all.place[b->key])
			    : compare(a->key, b->key);
}

static int match(struct diff *d)
{
	uint32_t *map[2] = { NULL, NULL };
	int err = match_names(d, map);

	if (!err)
		err = d->opt->by == BY_PATH ? match_paths(d, map) : match_functions(d, map);
	free(map[0]);
	free(map[1]);
	if (err)
		return err;
	d->min_ns = d->opt->min_ns;
	if (d->min_ns == DIFF_MIN_AUTO) {
		uint64_t a = report_span_ns(&d->side[0]), b = report_span_ns(&d->side[1]);

		d->min_ns = (a > b ? a : b) / 100;
	}
	sift(d);
	if (d->n_rows)
		qsort_r(d->rows, d->n_rows, sizeof(*d->rows), by_change, d);
	if (d->opt->limit && d->n_rows > d->opt->limit) {
		d->n_hidden = d->n_rows - d->opt->limit;
		d->n_rows = d->opt->limit;
	}
	return diff_find_notes(d);
}

int diff_load(struct diff *d, struct trace_reader *const r[2], const struct diff_options *opt)
{
	const struct report_options all = { .by = opt->by };
	int err = 0;

	*d = (struct diff){ .opt = opt,
			    .side = { { .file.fd = -1 }, { .file.fd = -1 } },
			    .all.file.fd = -1 };
	for (unsigned s = 0; !err && s < 2; s++) {
		err = report_load(&d->side[s], r[s], &all);
		d->side[s].opt = NULL; /* it does not outlive this function */
	}
	if (err)
		return err;
	err = match(d);
	if (err)
		log_error("no memory to compare the traces: %s", strerror(-err));
	return err;
}

void diff_free(struct diff *d)
{
	report_free(&d->side[0]);
	report_free(&d->side[1]);
	report_free(&d->all);
	free(d->names.funcs); /* the strings belong to the sides */
	free(d->traced[0]);
	free(d->traced[1]);
	free(d->rows);
	for (size_t i = 0; i < d->n_notes; i++)
		free(d->notes[i]);
	free(d->notes);
}

const char *diff_rows_name(const struct diff *d)
{
	return d->opt->by == BY_PATH ? "path" : "function";
}

const char *diff_row_kind(const struct diff_row *row)
{
	return !row->there[0] ? "new" : !row->there[1] ? "gone" : "changed";
}

int diff_row_untraced(const struct diff *d, const struct diff_row *row)
{
	int missing = !row->there[0] ? 0 : !row->there[1] ? 1 : -1;
	uint32_t func = d->opt->by == BY_PATH ? d->all.tree.nodes[row->key].func : row->key;

	return missing >= 0 && func < d->names.n_funcs && !d->traced[missing][func] ? missing : -1;
}
