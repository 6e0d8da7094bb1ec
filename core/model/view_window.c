// SPDX-License-Identifier: BSD-2-Clause
/* What counts of a trace: a part of its time. */
#include <errno.h>
#include <stdlib.h>

#include "base/compare.h"
#include "model/losses.h"
#include "model/model_internal.h"

/* A frame that is open, and its stack. */
struct open {
	struct frame *frame;
	struct stack *stack;
};

static int by_order(const void *x, const void *y)
{
	return compare_u64(((const struct open *)x)->frame->order,
			   ((const struct open *)y)->frame->order);
}

static void begin_frame(struct model *m, struct stack *s, struct frame *f, uint64_t ts_ns)
{
	struct path_node *node = &m->paths.nodes[f->path];

	frame_restart(m, s, f, ts_ns);
	f->child_ns = 0;
	f->flags |= FRAME_CUT;
	if (!(f->flags & FRAME_FOLDED) && f->recursion > node->max_recursion)
		node->max_recursion = f->recursion;
	if (f->flags & FRAME_MUTED)
		return;
	call_count_again(m, f, 1);
	m->paths.aux[f->path].unusual[0]++; /* the event that began it is not counted */
	s->info.calls++;
	m->totals.calls++;
}

static size_t begin_stacks(struct model *m, struct stack_table *t, uint64_t ts_ns,
			   struct open *open, size_t n)
{
	for (size_t i = 0; i < t->n; i++) {
		struct stack *s = t->all[i];

		states_view_begin(m, s, ts_ns);
		s->info.calls = s->info.started = s->info.total_ns = s->info.self_ns = 0;
		s->info.morestack_ns = s->info.preempt_ns = 0;
		if (s->stop.active) {
			s->stop.from_ns = s->stop.from_ns < ts_ns ? ts_ns : s->stop.from_ns;
			s->stop.resumed_ns = s->stop.resumed_ns < ts_ns ? ts_ns
									: s->stop.resumed_ns;
			s->stop.growth_ns = s->stop.preempt_ns = 0;
		}
		for (size_t k = 0; k < s->n; k++) {
			begin_frame(m, s, &s->frames[k], ts_ns);
			if (!(s->frames[k].flags & FRAME_MUTED))
				open[n++] = (struct open){ &s->frames[k], s };
		}
	}
	return n;
}

static size_t frames_of(const struct stack_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->all[i]->n;
	return n;
}

static void forget(struct model *m)
{
	struct model_totals *t = &m->totals;

	t->calls = t->orphan_exits = 0;
	t->suspect_calls = t->suspect_ns = t->root_ns = 0;
	t->goroutines = m->goroutines.n;
	for (size_t i = 0; i < m->n_funcs; i++) {
		hist_free(&m->hists[i]);
		m->hists[i] = (struct hist){ 0 };
		m->funcs[i] = (struct call_stats){ 0 };
	}
	paths_forget(&m->paths);
	waits_free(&m->waits);
	wakes_free(&m->wakes);
	holds_free(&m->holds);
	m->n_idlers = 0;
	sampled_free(&m->sampled);
	t->sampled = (struct model_sampled){ 0 };
}

int model_view_begin(struct model *m, uint64_t ts_ns)
{
	size_t n = frames_of(&m->goroutines) + frames_of(&m->threads);
	struct open *open = calloc(n + 1, sizeof(*open));

	if (!open)
		return -ENOMEM;
	/* States that go on are charged up to here to what is forgotten. */
	for (size_t i = 0; i < m->goroutines.n; i++)
		if (has_states(m, m->goroutines.all[i]))
			states_advance(m, m->goroutines.all[i], ts_ns);
	forget(m);
	n = begin_stacks(m, &m->goroutines, ts_ns, open, 0);
	n = begin_stacks(m, &m->threads, ts_ns, open, n);
	levels_restart(&m->levels, ts_ns);
	m->totals.from_ns = ts_ns;
	m->opt = m->later;
	m->next_order = 0;
	if (n)
		qsort(open, n, sizeof(*open), by_order);
	for (size_t i = 0; i < n; i++) {
		open[i].frame->order = m->next_order++;
		call_begun(m, open[i].stack, open[i].frame);
	}
	free(open);
	return 0;
}

void model_view_end(struct model *m, uint64_t ts_ns)
{
	m->totals.last_ns = ts_ns;
}
