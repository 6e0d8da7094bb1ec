// SPDX-License-Identifier: BSD-2-Clause
/*
 * Prologues that were stopped: to grow the stack, or because the goroutine was
 * asked to yield. The time from the stop to the entry that follows belongs to the stopped
 * function's columns and to no function's self time.
 *
 * A function that is not probed is part of its nearest probed caller here as
 * everywhere: what stops its prologue is charged to that caller's columns, up
 * to the moment it goes on (its entry is not seen).
 */
#include <stdlib.h>

#include "model/losses.h"
#include "model/model_internal.h"

static void segment_end(struct prologue_stop *p, uint64_t ts_ns)
{
	uint64_t ns = ts_ns > p->from_ns ? ts_ns - p->from_ns : 0;

	/* Nothing but a call of morestack is known: growth is the likely reason. A
	 * stop about which the runtime did nothing was declined. */
	if (p->classed ? p->why == STOP_GROWTH : p->called) {
		p->growth_ns += ns;
		p->growths++;
		return;
	}
	p->preempt_ns += ns;
	if (p->classed && (p->why == STOP_YIELD || p->why == STOP_GC))
		p->preempts++;
	else
		p->declined++;
}

void prologue_stop_begin(struct model *m, struct stack *s, uint32_t depth, uint32_t func,
			 bool called, uint64_t ts_ns)
{
	struct prologue_stop *p = &s->stop;

	/* Two stops at one depth with no entry between are one function's, stopped
	 * again; but of functions that are not probed there may have been two. */
	if (p->active && (p->depth != depth || p->func != func || func == STOP_UNPROBED))
		prologue_stop_settle(m, s, ts_ns);
	if (p->active && p->called && !p->classed) {
		p->called = called; /* morestack's call and newstack's entry are one stop */
		return;
	}
	if (p->active) {
		segment_end(p, ts_ns);
		if (has_states(m, s))
			states_advance(m, s, ts_ns);
		states_stop_again(p);
	} else {
		*p = (struct prologue_stop){ .active = true, .depth = depth, .func = func };
	}
	p->from_ns = ts_ns;
	p->classed = false;
	p->called = called;
}

void prologue_stop_resume(struct stack *s, uint64_t why, uint64_t ts_ns)
{
	struct prologue_stop *p = &s->stop;

	if (!p->active)
		return;
	p->classed = true;
	p->why = why;
	p->resumed_ns = ts_ns;
}

/* Adds the stop to the columns of f and takes it out of the time of `of` (NULL: of no call). */
static void charge(struct model *m, struct stack *s, const struct frame *f, struct frame *of)
{
	struct prologue_stop *p = &s->stop;
	uint64_t ns = p->growth_ns + p->preempt_ns;
	struct call_stats *st = &m->paths.nodes[f->path].stats;
	/* PATH_OTHER's node does not say which function: note it there as well. */
	struct call_stats *folded = m->paths.other && f->path == m->paths.other ? &m->funcs[f->row]
										: NULL;

	if (f->flags & FRAME_MUTED) {
		if (of)
			of->child_ns += ns;
		*p = (struct prologue_stop){ .active = false };
		return;
	}
	for (; st; st = st == folded ? NULL : folded) {
		st->morestack_ns += p->growth_ns;
		st->morestack_count += p->growths;
		st->preempt_ns += p->preempt_ns;
		st->preempt_count += p->preempts;
		st->declined_count += p->declined;
	}
	s->info.morestack_ns += p->growth_ns;
	s->info.preempt_ns += p->preempt_ns;
	if (m->opt.on_prologue_stop)
		m->opt.on_prologue_stop(
			m->opt.ctx, &(struct prologue_stop_time){ s->info.goid, f->path, s->system,
								  p->growth_ns, p->preempt_ns });
	if (of && of != f && f->flags & FRAME_FOLDED)
		paths_pass_over(&m->paths, of->path, f->path, ns);
	if (of) {
		of->child_ns += ns;
	} else {
		s->info.total_ns += ns;
		m->totals.root_ns += ns;
	}
	*p = (struct prologue_stop){ .active = false };
}

void prologue_stop_entered(struct model *m, struct stack *s, uint64_t ts_ns)
{
	segment_end(&s->stop, ts_ns);
	states_stop_charge(m, s, s->n - 2, true, ts_ns);
	charge(m, s, pair_top(s), s->n > 1 ? &s->frames[s->n - 2] : NULL);
}

void prologue_stop_settle_slow(struct model *m, struct stack *s, uint64_t ts_ns)
{
	struct prologue_stop *p = &s->stop;
	struct frame *f = pair_top(s);

	/* Declined stop: there is no RESUME, so its duration is unknown; charge zero. */
	uint64_t end_ns = p->classed ? p->resumed_ns : p->called ? ts_ns : p->from_ns;

	if (!f) {
		*p = (struct prologue_stop){ .active = false };
		return;
	}
	segment_end(p, end_ns);
	states_stop_charge(m, s, f->flags & PAIR_STOPPED ? s->n - 2 : s->n - 1,
			   p->called && !p->classed, ts_ns);
	if (f->flags & PAIR_STOPPED) {
		/* Its second entry is missing: it begins where the stop ended. */
		frame_restart(m, s, f, end_ns);
		charge(m, s, f, s->n > 1 ? f - 1 : NULL);
	} else {
		charge(m, s, f, f);
	}
}
