// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/look_errors.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"

struct taken {
	uint64_t ts_ns, weight_ns, error_ns;
	uint32_t process, group;
};

/* From a look to the next one. */
struct gap {
	uint64_t at_ns; /* the look at its begin */
	uint64_t ns;    /* 0: there is no next one */
	uint32_t process;
};

/* So many goroutines more are counted from the look at the end of a gap on. */
struct change {
	uint32_t group, gap;
	double by;
};

struct of_process {
	double squares, n; /* of all gaps: the sum of their squares, how many */
	double sum, changes;
};

struct look_errors {
	struct taken *taken;
	size_t n_taken, cap_taken;
	struct gap *gaps; /* by process and time */
	size_t n_gaps;
	struct change *changes; /* by group */
	size_t *first;          /* of a group, and behind the last */
	double *now;            /* by gap: the changes that were added */
	bool *is_touched;       /* likewise */
	uint32_t *touched;
	size_t n_touched;
	struct of_process *of;
	uint32_t n_processes;
	uint64_t longest_ns; /* gap */
	bool drawn;
};

struct look_errors *look_errors_new(void)
{
	return calloc(1, sizeof(struct look_errors));
}

void look_errors_free(struct look_errors *l)
{
	if (!l)
		return;
	free(l->taken);
	free(l->gaps);
	free(l->changes);
	free(l->first);
	free(l->now);
	free(l->is_touched);
	free(l->touched);
	free(l->of);
	free(l);
}

int look_errors_take(struct look_errors *l, const struct sample *x, uint32_t group)
{
	int err = vec_reserve(&l->taken, &l->cap_taken, l->n_taken + 1);

	if (err)
		return err;
	l->taken[l->n_taken++] = (struct taken){ x->ts_ns,
						 x->weight_ns < x->ts_ns ? x->weight_ns : x->ts_ns,
						 x->error_ns, x->process, group };
	if (x->process >= l->n_processes)
		l->n_processes = x->process + 1;
	return 0;
}

size_t look_errors_taken(const struct look_errors *l)
{
	return l->n_taken;
}

/* ---- gaps */

/* The longest of those that begin at one time first: of others the length is not known. */
static int by_time(const void *x, const void *y)
{
	const struct gap *a = x, *b = y;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->at_ns != b->at_ns ? compare_u64(a->at_ns, b->at_ns) : compare_u64(b->ns, a->ns);
}

/*
 * Where each sample is of one goroutine, a sample lasts from its time less its weight, and what is
 * seen for the first time may have begun within the gap there: its error is that gap. Where some
 * stand for others, each look is the time of a sample.
 */
static void collect(struct look_errors *l)
{
	for (size_t i = 0; i < l->n_taken; i++) {
		const struct taken *t = &l->taken[i];

		l->gaps[l->n_gaps++] = (struct gap){ t->ts_ns, 0, t->process };
		if (!l->drawn)
			l->gaps[l->n_gaps++] = (struct gap){ t->ts_ns - t->weight_ns, t->error_ns,
							     t->process };
	}
	qsort(l->gaps, l->n_gaps, sizeof(*l->gaps), by_time);
	size_t n = 0;

	for (size_t i = 0; i < l->n_gaps; i++)
		if (!n || l->gaps[i].process != l->gaps[n - 1].process ||
		    l->gaps[i].at_ns != l->gaps[n - 1].at_ns)
			l->gaps[n++] = l->gaps[i];
	l->n_gaps = n;
}

/* Those in which nobody was seen to change, of all_ns together, are like the others; but the
 * longest one may be among them. */
static void add_unseen(struct of_process *of, double all_ns, double mean_ns, double longest_ns)
{
	if (longest_ns > 0 && longest_ns <= all_ns) {
		of->n++;
		of->squares += longest_ns * longest_ns;
		all_ns -= longest_ns;
	}
	if (mean_ns > 0 && all_ns > 0) {
		of->n += all_ns / mean_ns;
		of->squares += all_ns * mean_ns;
	}
}

/* Of one process: from the gap `from` up to `to`. Those of unknown length are like the others. */
static void measure(struct look_errors *l, size_t from, size_t to)
{
	struct of_process *of = &l->of[l->gaps[from].process];
	const double all_ns = (double)(l->gaps[to - 1].at_ns - l->gaps[from].at_ns);
	double known_ns = 0;
	uint64_t longest_ns = 0;

	for (size_t i = from; i + 1 < to; i++) {
		struct gap *g = &l->gaps[i];

		if (l->drawn)
			g->ns = g[1].at_ns - g->at_ns;
		longest_ns = g->ns > longest_ns ? g->ns : longest_ns;
		known_ns += (double)g->ns;
		of->squares += (double)g->ns * (double)g->ns;
		of->n += g->ns != 0;
	}
	const double mean = of->n > 0 ? known_ns / of->n : 0;

	for (size_t i = from; i + 1 < to; i++)
		if (!l->gaps[i].ns)
			l->gaps[i].ns = (uint64_t)mean;
	add_unseen(of, all_ns - known_ns, mean,
		   longest_ns < l->longest_ns ? (double)l->longest_ns : 0);
	l->gaps[to - 1].ns = 0;
}

static void measure_all(struct look_errors *l)
{
	for (size_t from = 0, to; from < l->n_gaps; from = to) {
		for (to = from; to < l->n_gaps && l->gaps[to].process == l->gaps[from].process;)
			to++;
		measure(l, from, to);
	}
}

/* ---- changes */

/* The gap that begins then; NULL: none does. */
static const struct gap *gap_at(const struct look_errors *l, uint32_t process, uint64_t at_ns)
{
	size_t low = 0, high = l->n_gaps;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct gap *g = &l->gaps[mid];

		if (g->process < process || (g->process == process && g->at_ns < at_ns))
			low = mid + 1;
		else
			high = mid;
	}
	const struct gap *g = &l->gaps[low];

	return low < l->n_gaps && g->process == process && g->at_ns == at_ns ? g : NULL;
}

static void put(struct look_errors *l, size_t *n, uint32_t group, const struct gap *g, double by)
{
	l->changes[(*n)++] = (struct change){ group, (uint32_t)(g - l->gaps), by };
}

/* A sample that stands for others is of one look: as many as make its weight of the gap. */
static void add_changes(struct look_errors *l, size_t *n, const struct taken *t)
{
	const struct gap *end = gap_at(l, t->process, t->ts_ns),
			 *begin = gap_at(l, t->process, t->ts_ns - t->weight_ns);
	double by = 1;

	if (!begin) {
		begin = end > l->gaps && end[-1].process == t->process ? end - 1 : end;
		by = begin->ns ? (double)t->weight_ns / (double)begin->ns : 0;
	}
	if (begin == end)
		return;
	put(l, n, t->group, begin, by);
	put(l, n, t->group, end, -by);
}

static int by_group(const void *x, const void *y)
{
	const struct change *a = x, *b = y;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->gap > b->gap) - (a->gap < b->gap);
}

/* What stays as it is from one sample to the next has not changed. */
static void add_up(struct look_errors *l, size_t n, uint32_t n_groups)
{
	size_t kept = 0;
	uint32_t group = 0;

	qsort(l->changes, n, sizeof(*l->changes), by_group);
	for (size_t i = 0, to; i < n; i = to) {
		struct change c = l->changes[i];

		for (to = i + 1; to < n && !by_group(&l->changes[to], &l->changes[i]); to++)
			c.by += l->changes[to].by;
		while (group <= c.group)
			l->first[group++] = kept;
		if (c.by != 0)
			l->changes[kept++] = c;
	}
	while (group <= n_groups)
		l->first[group++] = kept;
}

int look_errors_settle(struct look_errors *l, uint32_t n_groups, bool drawn, uint64_t longest_ns)
{
	size_t n = 0;

	l->drawn = drawn;
	l->longest_ns = longest_ns;
	l->gaps = calloc(2 * l->n_taken + 1, sizeof(*l->gaps));
	l->changes = calloc(2 * l->n_taken + 1, sizeof(*l->changes));
	l->first = calloc((size_t)n_groups + 1, sizeof(*l->first));
	l->of = calloc((size_t)l->n_processes + 1, sizeof(*l->of));
	if (!l->gaps || !l->changes || !l->first || !l->of)
		return -ENOMEM;
	collect(l);
	measure_all(l);
	l->now = calloc(l->n_gaps + 1, sizeof(*l->now));
	l->touched = calloc(l->n_gaps + 1, sizeof(*l->touched));
	l->is_touched = calloc(l->n_gaps + 1, sizeof(*l->is_touched));
	if (!l->now || !l->touched || !l->is_touched)
		return -ENOMEM;
	for (size_t i = 0; i < l->n_taken; i++)
		add_changes(l, &n, &l->taken[i]);
	add_up(l, n, n_groups);
	free(l->taken);
	l->taken = NULL;
	l->n_taken = l->cap_taken = 0;
	return 0;
}

/* ---- a sum */

void look_errors_add(struct look_errors *l, uint32_t group)
{
	for (size_t i = l->first[group]; i < l->first[group + 1]; i++) {
		const struct change *c = &l->changes[i];

		if (!l->is_touched[c->gap])
			l->touched[l->n_touched++] = c->gap;
		l->is_touched[c->gap] = true;
		l->now[c->gap] += c->by;
	}
}

double look_errors_square(struct look_errors *l)
{
	double square = 0;

	for (size_t i = 0; i < l->n_touched; i++) {
		const struct gap *g = &l->gaps[l->touched[i]];
		const double d = l->now[l->touched[i]], ns = (double)g->ns;

		l->of[g->process].sum += ns * ns * d * d / 2;
		l->of[g->process].changes += g->ns ? d * d / 2 : 0;
		l->now[l->touched[i]] = 0;
		l->is_touched[l->touched[i]] = false;
	}
	for (size_t i = 0; i < l->n_touched; i++) {
		struct of_process *of = &l->of[l->gaps[l->touched[i]].process];
		const double spread = of->n > 0 ? of->squares * of->changes / of->n : 0;

		square += fmax(of->sum, spread);
		of->sum = of->changes = 0;
	}
	l->n_touched = 0;
	return square;
}
