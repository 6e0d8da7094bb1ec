// SPDX-License-Identifier: BSD-2-Clause
/*
 * Very many groups of samples may share a stack, and a stack may be of very many functions. So the
 * functions of each are found once, and what is alike in all that paths tell is given to the model
 * together.
 */
#include "analysis/samples/sample_fill.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/samples/sample_names.h"
#include "analysis/samples/sample_processes.h"
#include "base/compare.h"

/* Functions of all stacks, of each once: a recording has two or three for each address of a stack,
 * as compilers inline. */
#define FREE_FRAMES   (2u << 20)
#define FRAMES_PER_PC 8u

/* What counts by functions: --focus, --ignore. */
static bool wanted(const struct model_view *v, const uint32_t *funcs, size_t n, size_t n_funcs)
{
	bool focus = !v->focus;

	for (size_t i = 0; v->funcs && i < n; i++) {
		uint8_t bits = funcs[i] < n_funcs ? v->funcs[funcs[i]] : 0;

		if (bits & VIEW_IGNORE)
			return false;
		focus |= bits & VIEW_FOCUS;
	}
	return focus;
}

static void count_shown(struct sample_counts *c, const struct sample_group *g, uint32_t flags,
			bool unresolved)
{
	c->samples += g->samples;
	c->weight_ns += g->weight_ns;
	c->run_samples += g->state ? 0 : g->samples;
	c->run_ns += g->state ? 0 : g->weight_ns;
	c->cut += flags & STACK_CUT ? g->samples : 0;
	c->unreadable += flags & STACK_UNREADABLE ? g->samples : 0;
	c->unresolved += unresolved ? g->samples : 0;
}

struct filling {
	struct loaded_trace *t;
	struct loaded_samples *s;
	uint32_t *funcs;
	size_t cap, n_funcs;
};

/* As the model has it. */
static unsigned sample_state(uint8_t state)
{
	return !state ? STATE_RUNNING : state == SAMPLE_STATE_UNKNOWN ? STATE_UNKNOWN : state;
}

/* Those that the model takes for one come together, in the order in which they were met. */
static int by_path(const void *x, const void *y, void *ctx)
{
	const struct sample_group *groups = ctx;
	const uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct sample_group *a = &groups[i], *b = &groups[k];
	int c = compare_u64(a->stack, b->stack);

	if (!c)
		c = compare_u64(a->state << 8 | a->reason, b->state << 8 | b->reason);
	if (!c)
		c = a->left_out - b->left_out;
	return c ? c : compare_u64(i, k);
}

static bool same_path(const struct sample_group *a, const struct sample_group *b)
{
	return a->stack == b->stack && a->state == b->state && a->reason == b->reason &&
	       a->left_out == b->left_out;
}

static struct model_sample sum_of(const struct filling *f, const uint32_t *groups, size_t n)
{
	const struct sample_group *g = &f->s->groups[*groups];
	struct model_sample x = { .first_ns = g->first_ns,
				  .last_ns = g->last_ns,
				  .state = sample_state(g->state),
				  .reason = g->reason };

	for (size_t i = 0; i < n; i++) {
		g = &f->s->groups[groups[i]];
		x.samples += g->samples;
		x.weight_ns += g->weight_ns;
		x.first_ns = g->first_ns < x.first_ns ? g->first_ns : x.first_ns;
		x.last_ns = g->last_ns > x.last_ns ? g->last_ns : x.last_ns;
	}
	return x;
}

/* Of n groups that the model takes for one. */
static int fill_groups(struct filling *f, const uint32_t *groups, size_t n)
{
	struct trace_info *info = (struct trace_info *)(uintptr_t)f->t->info;
	struct sample_group *all = f->s->groups;
	const struct sample_group *first = &all[*groups];
	const struct sample_process *process = &f->s->tables->processes[first->process];
	const uint32_t flags = f->s->tables->stacks[first->stack].flags;
	struct model_sample x = sum_of(f, groups, n);
	uint32_t path = 0;
	bool unresolved;
	int err = sample_stack_expand(f->s, info, first->stack, &f->funcs, &f->cap, &x.n,
				      &unresolved);

	if (err)
		return err;
	x.funcs = f->funcs;
	if (f->t->whole)
		err = model_sample(f->t->whole, &x, NULL);
	const bool out = first->left_out || !sample_process_wanted(f->t->view, process) ||
			 !wanted(&f->t->model_view, f->funcs, x.n, f->n_funcs);

	if (!err && !out)
		err = model_sample(f->t->model, &x, &path);
	for (size_t i = 0; i < n && !err; i++) {
		struct sample_group *g = &all[groups[i]];

		g->left_out = out;
		g->path = path;
		if (!out)
			count_shown(&f->s->shown, g, flags, unresolved);
	}
	return err;
}

/* Where those of one path begin in an order by path, in the order in which paths were met. */
static int by_first(const void *x, const void *y, void *ctx)
{
	const uint32_t *order = ctx;

	return compare_u64(order[*(const uint32_t *)x], order[*(const uint32_t *)y]);
}

static int fill_all(struct filling *f)
{
	const struct sample_group *groups = f->s->groups;
	const size_t n = f->s->n_groups;
	uint32_t *order = calloc(n + 1, sizeof(*order)), *begins = calloc(n + 1, sizeof(*begins));
	size_t n_begins = 0;
	int err = order && begins ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++)
		order[i] = (uint32_t)i;
	if (n && !err)
		qsort_r(order, n, sizeof(*order), by_path, f->s->groups);
	for (size_t i = 0; i < n && !err; i++)
		if (!i || !same_path(&groups[order[i]], &groups[order[i - 1]]))
			begins[n_begins++] = (uint32_t)i;
	if (n_begins)
		qsort_r(begins, n_begins, sizeof(*begins), by_first, order);
	for (size_t i = 0; i < n_begins && !err; i++) {
		const size_t first = begins[i];
		size_t last = first + 1;

		/* what it has to do with others may change here */
		const struct sample_group like = groups[order[first]];

		while (last < n && same_path(&groups[order[last]], &like))
			last++;
		err = fill_groups(f, order + first, last - first);
	}
	free(order);
	free(begins);
	return err;
}

/* Names must be known before the model is made: it has a row for each. */
static int make_names(struct filling *f)
{
	struct trace_info *info = (struct trace_info *)(uintptr_t)f->t->info;
	const struct sample_tables *t = f->s->tables;
	bool *seen = calloc(t ? t->n_stacks + 1 : 1, sizeof(*seen)), unresolved;
	uint64_t left = t ? FREE_FRAMES + FRAMES_PER_PC * t->n_pcs : 0;
	int err = seen ? sample_names(f->s, info) : -ENOMEM;
	size_t n;

	for (size_t i = 0; i < f->s->n_groups && !err; i++) {
		const uint32_t stack = f->s->groups[i].stack;

		if (seen[stack])
			continue;
		seen[stack] = true;
		err = sample_stack_expand(f->s, info, stack, &f->funcs, &f->cap, &n, &unresolved);
		if (!err && n > left)
			err = -E2BIG;
		left -= err ? 0 : n;
	}
	free(seen);
	f->n_funcs = info->n_funcs;
	return err;
}

static int make_models(struct loaded_trace *t)
{
	int err = t->view ? trace_view_compile(t->view, t->info, NULL, &t->model_view) : 0;

	if (err)
		return err;
	t->model = model_new(t->info, NULL);
	t->whole = t->model && t->view ? model_new(t->info, NULL) : NULL;
	if (!t->model || (t->view && !t->whole))
		return -ENOMEM;
	t->totals = model_totals(t->model);
	t->all = t->whole ? model_totals(t->whole) : t->totals;
	return 0;
}

static int fill(struct filling *f, const struct trace_reader *r)
{
	int err = make_names(f);

	if (!err && f->s->tables)
		err = sample_processes_check(f->t->view, f->s->tables);
	if (!err)
		err = make_models(f->t);
	if (err)
		return err;
	f->t->stored_bytes = trace_reader_bytes(r);
	model_allow(f->t->model, f->t->stored_bytes);
	if (f->t->whole)
		model_allow(f->t->whole, trace_reader_bytes(r));
	err = fill_all(f);
	if (!err && f->t->whole)
		err = model_finish(f->t->whole);
	return err ? err : model_finish(f->t->model);
}

int sample_fill(struct loaded_trace *t, const struct trace_reader *r)
{
	struct filling f = { .t = t, .s = t->samples };
	const int err = fill(&f, r);

	free(f.funcs);
	return err;
}
