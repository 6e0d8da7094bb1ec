// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/sample_errors.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "trace/keys.h"

void sample_sum_add(struct sample_sum *sum, const struct loaded_samples *s, uint32_t group)
{
	const struct sample_group *g = &s->groups[group];

	if (!g->state) {
		sum->run += g->square_ns2;
		return;
	}
	sum->others += g->square_ns2;
	look_errors_add(s->looks, group);
}

double sample_sum_square(const struct sample_sum *sum, const struct loaded_samples *s)
{
	return sum->run + fmax(sum->others, look_errors_square(s->looks));
}

/* ---- functions and paths */

/* Which groups are in which row: those of row r are groups[first[r]] up to groups[first[r + 1]]. */
struct members {
	size_t *first;
	uint32_t *groups;
};

/* What is asked for: rows are functions, or paths; of totals, or of what is their own. */
struct kind {
	bool funcs, total;
};

struct filling {
	struct loaded_trace *t;
	const struct path_node *nodes;
	size_t n_nodes, n_rows;
	struct kind kind;
	int64_t left;   /* looks at rows */
	uint32_t *last; /* by row: the group that was there last, plus 1 */
};

/* Calls `in` once for each row that the group is in. */
static void each_row(struct filling *f, uint32_t group, void (*in)(void *, uint32_t, size_t),
		     void *ctx)
{
	uint32_t node = f->t->samples->groups[group].path;

	for (; node; node = f->kind.total ? f->nodes[node].parent : 0) {
		const size_t row = f->kind.funcs ? f->nodes[node].func : node;

		if (--f->left < 0)
			return;
		if (row >= f->n_rows || f->last[row] == group + 1)
			continue;
		f->last[row] = group + 1;
		in(ctx, group, row);
	}
}

static void count(void *ctx, uint32_t group, size_t row)
{
	struct members *m = ctx;

	(void)group;
	m->first[row + 1]++;
}

static void put(void *ctx, uint32_t group, size_t row)
{
	struct members *m = ctx;

	m->groups[m->first[row]++] = group;
}

/* Rows of all groups: no recording is of as many goroutines with stacks as deep. */
#define FREE_ROWS     (4u << 20)
#define ROWS_PER_BYTE 64u

static int all_groups(struct filling *f, void (*in)(void *, uint32_t, size_t), void *ctx)
{
	const struct loaded_samples *s = f->t->samples;

	for (size_t i = 0; i < f->n_rows; i++)
		f->last[i] = 0;
	for (uint32_t g = 0; g < s->n_groups && f->left >= 0; g++)
		if (!s->groups[g].left_out)
			each_row(f, g, in, ctx);
	return f->left < 0 ? -E2BIG : 0;
}

static int fill_members(struct filling *f, struct members *m)
{
	m->first = calloc(f->n_rows + 2, sizeof(*m->first));
	if (!m->first)
		return -ENOMEM;
	if (all_groups(f, count, m))
		return -E2BIG;
	for (size_t i = 0; i < f->n_rows; i++)
		m->first[i + 1] += m->first[i];
	m->groups = calloc(m->first[f->n_rows] + 1, sizeof(*m->groups));
	if (!m->groups)
		return -ENOMEM;
	if (all_groups(f, put, m))
		return -E2BIG;
	for (size_t i = f->n_rows; i; i--) /* each has moved to where the next begins */
		m->first[i] = m->first[i - 1];
	m->first[0] = 0;
	return 0;
}

static int fill(struct filling *f)
{
	struct members m = { 0 };
	int err;

	f->last = calloc(f->n_rows + 1, sizeof(*f->last));
	err = f->last ? fill_members(f, &m) : -ENOMEM;
	for (size_t row = 0; !err && row < f->n_rows; row++) {
		struct sample_sum sum = { 0 };

		for (size_t i = m.first[row]; i < m.first[row + 1]; i++)
			sample_sum_add(&sum, f->t->samples, m.groups[i]);
		if (m.first[row] < m.first[row + 1])
			model_sample_error(f->t->model, f->kind.funcs, row, f->kind.total,
					   sample_sum_square(&sum, f->t->samples));
	}
	free(m.first);
	free(m.groups);
	free(f->last);
	return err;
}

static bool some_are_drawn(const struct trace_info *i)
{
	return trace_info_u64(i, KEY_END_SNAPSHOTS_DRAWN, 0) <
		       trace_info_u64(i, KEY_END_SNAPSHOTS_LISTED, 0) ||
	       trace_info_u64(i, KEY_END_THREADS_DRAWN, 0) <
		       trace_info_u64(i, KEY_END_THREADS_LISTED, 0);
}

int sample_errors(struct loaded_trace *t, uint64_t stored_bytes)
{
	struct filling f = { .t = t };
	size_t n_funcs;
	int err = look_errors_settle(t->samples->looks, (uint32_t)t->samples->n_groups,
				     some_are_drawn(t->info),
				     trace_info_u64(t->info, KEY_END_SNAPSHOTS_GAP_NS, 0));

	f.nodes = model_paths(t->model, &f.n_nodes);
	model_funcs(t->model, &n_funcs);
	for (int i = 0; i < 4 && !err; i++) {
		f.kind = (struct kind){ .funcs = i & 1, .total = i & 2 };
		f.n_rows = f.kind.funcs ? n_funcs : f.n_nodes;
		/* they are counted first, and then put down */
		f.left = 2 * (int64_t)(FREE_ROWS + ROWS_PER_BYTE * stored_bytes);
		err = fill(&f);
	}
	if (err == -E2BIG)
		log_error(
			"not a trace of gotrace sample. Its stacks are deeper than its bytes can hold");
	return err;
}
