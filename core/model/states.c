// SPDX-License-Identifier: BSD-2-Clause
/*
 * States of goroutines (EV_STATE, EV_WAKE): the span that each is in, and for each open call how
 * much of its time its goroutine did not run. Running is what is left of a time, so that calls
 * that only run cost nothing here.
 *
 * Time is charged as a span ends or a call begins or ends within it, to the call that is on top.
 */
#include "model/states.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/model_internal.h"

void off_times_add(struct off_times *into, const struct off_times *from)
{
	into->runnable_ns += from->runnable_ns;
	into->wait_ns += from->wait_ns;
	into->syscall_ns += from->syscall_ns;
	into->unknown_ns += from->unknown_ns;
	into->off_cpu_ns += from->off_cpu_ns;
}

void off_times_sub(struct off_times *from, const struct off_times *what)
{
	from->runnable_ns -= what->runnable_ns;
	from->wait_ns -= what->wait_ns;
	from->syscall_ns -= what->syscall_ns;
	from->unknown_ns -= what->unknown_ns;
	from->off_cpu_ns -= what->off_cpu_ns;
}

uint64_t *off_time(struct off_times *t, unsigned state)
{
	switch (state) {
	case STATE_RUNNABLE:
		return &t->runnable_ns;
	case STATE_WAITING:
		return &t->wait_ns;
	case STATE_SYSCALL:
		return &t->syscall_ns;
	case STATE_OFF_CPU:
		return &t->off_cpu_ns;
	default:
		return &t->unknown_ns;
	}
}

/* ---- spans */

void states_add_wait(struct model *m, const struct frame *f, uint16_t reason, bool held,
		     uint64_t ns, uint64_t n)
{
	const struct path_waits w = { f->path, f->row, reason, held, ns, n };

	if (!(f->flags & FRAME_MUTED) && (ns || n) && waits_add(&m->waits, &w))
		m->states_err = -ENOMEM;
}

/* Apart, as most time is none of waiting. */
static __attribute__((noinline)) void charge_wait(struct model *m, struct stack *s,
						  const struct frame *f, uint64_t ns)
{
	states_add_wait(m, f, s->state.reason, false, ns, 0);
	call_waits_add(m, s, (size_t)(f - s->frames), s->state.reason, ns, ns);
	if (m->opt.on_place)
		place_waited(s, f, ns);
}

void states_advance(struct model *m, struct stack *s, uint64_t ts_ns)
{
	struct stack_states *st = &s->state;
	struct prologue_stop *p = &s->stop;

	if (ts_ns <= st->mark_ns)
		return;
	uint64_t ns = ts_ns - st->mark_ns;

	st->mark_ns = ts_ns;
	if (st->now == STATE_RUNNING)
		return;
	*off_time(&st->off, st->now) += ns;
	if (p->active) {
		*off_time(&p->off_now, st->now) += ns;
		p->reason = st->now == STATE_WAITING ? st->reason : p->reason;
	}
	struct frame *f = states_charged(s);

	if (!f)
		return;
	*off_time(&s->frame_states[f - s->frames].self, st->now) += ns;
	if (st->now == STATE_WAITING)
		charge_wait(m, s, f, ns);
}

/* A state begins, or what counts of it: it may be a wait. */
static void count_wait(struct model *m, struct stack *s)
{
	const struct frame *f = states_charged(s);

	if (m->opt.on_place)
		place_began(s, s->stop.active ? NULL : f);
	if (s->state.now == STATE_WAITING && f && !s->stop.active)
		states_add_wait(m, f, s->state.reason, false, 0, 1);
}

static void tell_span(struct model *m, const struct stack *s)
{
	const struct stack_states *st = &s->state;

	if (!m->opt.on_state || s->muted || st->mark_ns <= st->from_ns)
		return;
	m->opt.on_state(m->opt.ctx, &(struct state_span){ .goid = s->info.goid,
							  .from_ns = st->from_ns,
							  .to_ns = st->mark_ns,
							  .by = st->by,
							  .image = s->info.image,
							  .by_func = st->by_func,
							  .state = st->now,
							  .reason = st->reason });
}

void states_change(struct model *m, struct stack *s, unsigned state, uint16_t reason,
		   uint64_t ts_ns)
{
	struct stack_states *st = &s->state;

	if (st->now == state && st->reason == reason)
		return;
	states_advance(m, s, ts_ns);
	tell_span(m, s);
	if (m->opt.holds)
		holds_waited(m, s, ts_ns);
	if (st->now == STATE_WAITING) {
		st->last_reason = st->reason;
		st->last_from_ns = st->from_ns;
		st->last_to_ns = st->mark_ns;
	}
	st->from_ns = st->mark_ns;
	/* Without a processor of the machine it keeps the one of Go's scheduler. */
	levels_move(&m->levels, &st->level,
		    (struct level){ state == STATE_RUNNING ||
					    (state == STATE_OFF_CPU && st->level.executes),
				    state == STATE_RUNNABLE },
		    ts_ns);
	st->now = (uint16_t)state;
	st->reason = reason;
	st->by = 0;
	st->by_func = WAKE_NONE;
	st->lost = false;
	count_wait(m, s);
}

void states_woken(struct model *m, struct stack *s, uint64_t by, uint32_t by_func,
		  const struct stack *waker, uint64_t ts_ns)
{
	struct stack_states *st = &s->state;

	if (m->opt.wakes && st->now == STATE_WAITING)
		wakes_add(m, s, by_func, waker, ts_ns);
	states_change(m, s, STATE_RUNNABLE, 0, ts_ns);
	st->by = by;
	st->by_func = by_func;
}

/* ---- what tells of a state */

void states_begin(struct model *m, struct stack *s, uint64_t ts_ns)
{
	if (has_states(m, s))
		s->state = (struct stack_states){ .life_ns = ts_ns,
						  .from_ns = ts_ns,
						  .mark_ns = ts_ns,
						  .by_func = WAKE_NONE,
						  .lost = states_lost(m, s, ts_ns) };
}

void states_created(struct model *m, struct stack *s, uint64_t ts_ns)
{
	if (has_states(m, s) && !s->state.lost)
		states_change(m, s, STATE_RUNNABLE, 0, ts_ns);
}

/* Switches of threads have times of the kernel's clock, which may differ by so much from those of
 * events that stubs write (CLOCK_MONOTONIC from the counter, by pairs: rings/tsc_clock.h). */
#define OFF_CPU_DOUBT_NS 1000

void states_own_slow(struct model *m, struct stack *s, uint64_t ts_ns)
{
	const struct stack_states *st = &s->state;

	/* Go code runs in a goroutine's system call up to the instruction. */
	if (st->now == STATE_SYSCALL || st->lost)
		return;
	if (st->now != STATE_OFF_CPU)
		states_change(m, s, STATE_RUNNING, 0, ts_ns);
	else if (ts_ns >= st->from_ns + OFF_CPU_DOUBT_NS)
		states_change(m, s, st->was == STATE_SYSCALL ? STATE_SYSCALL : STATE_RUNNING, 0,
			      ts_ns);
}

void states_resume(struct model *m, struct stack *s, uint64_t why, uint64_t ts_ns)
{
	if (!has_states(m, s) || s->state.lost)
		return;
	if (why == STOP_YIELD)
		states_change(m, s, STATE_RUNNABLE, 0, ts_ns);
	else if (why == STOP_GC)
		states_change(m, s, STATE_WAITING, REASON_PREEMPTED, ts_ns);
}

void states_forget(struct model *m, struct stack *s, uint64_t ts_ns, bool lost)
{
	if (has_states(m, s))
		states_change(m, s, STATE_UNKNOWN, 0, ts_ns);
	s->state.lost |= lost;
}

static void count_idler(struct model *m, const struct goroutine_info *g)
{
	size_t i = 0;

	while (i < m->n_idlers && m->idlers[i].start_pc != g->start_pc)
		i++;
	if (i == IDLERS_MAX)
		return;
	m->n_idlers += i == m->n_idlers;
	m->idlers[i].start_pc = g->start_pc;
	m->idlers[i].n++;
	m->idlers[i].run_ns += g->life_ns - off_times_sum(&g->off);
}

const uint64_t *model_levels(const struct model *m, size_t *n)
{
	*n = LEVELS;
	return m->levels.ns;
}

const struct idlers *model_idlers(const struct model *m, size_t *n)
{
	*n = m->n_idlers;
	return m->idlers;
}

void states_end(struct model *m, struct stack *s, uint64_t ts_ns)
{
	struct stack_states *st = &s->state;

	if (!has_states(m, s))
		return;
	states_advance(m, s, ts_ns);
	tell_span(m, s);
	levels_move(&m->levels, &st->level, (struct level){ 0 }, ts_ns);
	s->info.life_ns = st->mark_ns - st->life_ns;
	s->info.off = st->off;
	if (s->muted)
		return;
	if (m->opt.on_place)
		place_tell(m, s);
	m->totals.life_ns += s->info.life_ns;
	off_times_add(&m->totals.off, &st->off);
	if (s->info.calls || s->n)
		return;
	m->totals.idlers++;
	m->totals.idle_life_ns += s->info.life_ns;
	off_times_add(&m->totals.idle_off, &st->off);
	count_idler(m, &s->info);
}

void states_view_begin(struct model *m, struct stack *s, uint64_t ts_ns)
{
	struct stack_states *st = &s->state;

	if (!has_states(m, s))
		return;
	states_advance(m, s, ts_ns);
	st->life_ns = st->from_ns = st->mark_ns;
	st->off = s->stop.off_done = s->stop.off_now = (struct off_times){ 0 };
	st->place = (struct wait_place){ 0 };
	for (size_t i = 0; i < s->n; i++)
		s->frame_states[i] = (struct frame_states){ 0 };
	s->n_waits = 0;
}

/* ---- calls */

int states_push_slow(struct model *m, struct stack *s, uint64_t ts_ns)
{
	int err = vec_reserve(&s->frame_states, &s->cap_frame_states, s->n + 1);

	states_advance(m, s, ts_ns);
	if (!err)
		s->frame_states[s->n] = (struct frame_states){ .before = s->state.off,
							       .waits = s->n_waits };
	return err;
}

static uint64_t take(uint64_t *left, uint64_t ns)
{
	ns = ns < *left ? ns : *left;
	*left -= ns;
	return ns;
}

/* No more than all: a broken trace may run backwards. */
static void limit(struct off_times *t, uint64_t all_ns)
{
	t->unknown_ns = take(&all_ns, t->unknown_ns);
	t->wait_ns = take(&all_ns, t->wait_ns);
	t->syscall_ns = take(&all_ns, t->syscall_ns);
	t->off_cpu_ns = take(&all_ns, t->off_cpu_ns);
	t->runnable_ns = take(&all_ns, t->runnable_ns);
}

bool states_of_call(struct stack *s, uint64_t dur_ns, uint64_t self_ns, struct call_states *c)
{
	const struct frame_states *f = &s->frame_states[s->n - 1];
	const struct off_times *now = &s->state.off;

	c->self = f->self;
	c->total = *now;
	off_times_sub(&c->total, &f->before);
	limit(&c->self, self_ns);
	limit(&c->total, dur_ns);
	c->waits = NULL;
	c->n_waits = 0;
	if (s->n_waits > f->waits)
		call_waits_of_slow(s, c);
	return off_times_sum(&c->total);
}

void states_pass_over(struct paths *t, uint32_t from, uint32_t to, const struct off_times *off)
{
	for (; from != to; from = t->hot[from].parent)
		off_times_sub(&t->nodes[from].stats.off_total, off);
}
