// SPDX-License-Identifier: BSD-2-Clause
/* Which rows a report has, in which order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/report.h"

static uint64_t weight(const struct call_stats *st, enum report_sort sort)
{
	switch (sort) {
	case SORT_TOTAL:
		return st->total_ns;
	case SORT_CALLS:
		return st->calls;
	case SORT_MORESTACK:
		return st->morestack_ns;
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

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_function(const void *x, const void *y, void *ctx)
{
	const struct report *rep = ctx;
	size_t a = *(const size_t *)x, b = *(const size_t *)y;
	int c = compare(weight(&rep->funcs[b], rep->opt->sort), weight(&rep->funcs[a], rep->opt->sort));

	if (!c)
		c = strcmp(report_name(rep, (uint32_t)a), report_name(rep, (uint32_t)b));
	return c ? c : compare(a, b);
}

static int by_path(const void *x, const void *y, void *ctx)
{
	const struct report *rep = ctx;
	size_t a = *(const size_t *)x, b = *(const size_t *)y;
	int c = compare(weight(&rep->tree.nodes[b].stats, rep->opt->sort),
			weight(&rep->tree.nodes[a].stats, rep->opt->sort));

	return c ? c : compare(rep->place[a], rep->place[b]);
}

static int by_goroutine(const void *x, const void *y, void *ctx)
{
	const struct report *rep = ctx;
	const struct goroutine_info *a = &rep->goroutines[*(const size_t *)x];
	const struct goroutine_info *b = &rep->goroutines[*(const size_t *)y];
	int c = compare(goroutine_weight(b, rep->opt->sort), goroutine_weight(a, rep->opt->sort));

	if (!c)
		c = a->system - b->system;
	if (!c)
		c = compare(a->image, b->image);
	return c ? c : compare(a->goid, b->goid);
}

/* Something happened in it: a call, or a prologue that stopped and never went on. */
static bool has_row(const struct call_stats *st)
{
	return st->calls || st->morestack_ns || st->preempt_ns;
}

int report_sort_rows(struct report *rep)
{
	size_t n = rep->opt->by == BY_FUNCTION ? rep->n_funcs : rep->opt->by == BY_PATH ? rep->tree.n :
		   rep->opt->by == BY_GOROUTINE ? rep->n_goroutines : 0;

	rep->rows = calloc(n + 1, sizeof(*rep->rows));
	if (!rep->rows)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (rep->opt->by == BY_FUNCTION ? has_row(&rep->funcs[i]) :
		    rep->opt->by == BY_PATH ? i && has_row(&rep->tree.nodes[i].stats) : true)
			rep->rows[rep->n_rows++] = i;
	if (rep->n_rows)
		qsort_r(rep->rows, rep->n_rows, sizeof(*rep->rows), rep->opt->by == BY_FUNCTION ? by_function :
			rep->opt->by == BY_PATH ? by_path : by_goroutine, rep);
	if (rep->opt->limit && rep->n_rows > rep->opt->limit) {
		rep->n_hidden = rep->n_rows - rep->opt->limit;
		rep->n_rows = rep->opt->limit;
	}
	return 0;
}
