// SPDX-License-Identifier: BSD-2-Clause
/* Which rows a report has, in which order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report.h"

uint64_t report_weight(const struct call_stats *st, enum report_sort sort)
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
	int c = compare(report_weight(&rep->funcs[b], rep->opt->sort),
			report_weight(&rep->funcs[a], rep->opt->sort));

	if (!c)
		c = strcmp(report_name(rep, (uint32_t)a), report_name(rep, (uint32_t)b));
	return c ? c : compare(a, b);
}

static int by_path(const void *x, const void *y, void *ctx)
{
	const struct report *rep = ctx;
	size_t a = *(const size_t *)x, b = *(const size_t *)y;
	int c = compare(report_weight(&rep->tree.nodes[b].stats, rep->opt->sort),
			report_weight(&rep->tree.nodes[a].stats, rep->opt->sort));

	return c ? c : compare(rep->place[a], rep->place[b]);
}

static int by_goroutine(const void *x, const void *y, void *ctx)
{
	const struct report *rep = ctx;
	const struct goroutine_info *a = &rep->goroutines[*(const size_t *)x].g;
	const struct goroutine_info *b = &rep->goroutines[*(const size_t *)y].g;
	int c = compare(goroutine_weight(b, rep->opt->sort), goroutine_weight(a, rep->opt->sort));

	if (!c)
		c = a->system - b->system;
	if (!c)
		c = compare(a->image, b->image);
	return c ? c : compare(a->goid, b->goid);
}

bool report_has_row(const struct call_stats *st)
{
	return st->calls || st->morestack_ns || st->preempt_ns;
}

static bool wanted(const struct report *rep, size_t i)
{
	switch (rep->opt->by) {
	case BY_FUNCTION:
		return report_has_row(&rep->funcs[i]);
	case BY_PATH:
		return i && report_has_row(&rep->tree.nodes[i].stats);
	default:
		return true;
	}
}

int report_sort_rows(struct report *rep)
{
	static int (*const order[])(const void *x, const void *y, void *ctx) = {
		[BY_FUNCTION] = by_function,
		[BY_PATH] = by_path,
		[BY_GOROUTINE] = by_goroutine,
		[BY_CALL] = by_goroutine,
	};
	const size_t counts[] = { [BY_FUNCTION] = rep->n_funcs,
				  [BY_PATH] = rep->tree.n,
				  [BY_GOROUTINE] = rep->n_goroutines,
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
