// SPDX-License-Identifier: BSD-2-Clause
#include "model/states_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/exec_fixture.h"
#include "trace/keys.h"

static unsigned rnd(struct run *r, unsigned n)
{
	return (unsigned)(exec_random(&r->rng) % n);
}

static struct event_ext *emit(struct run *r, unsigned kind, unsigned g, uint64_t ts_ns)
{
	struct event_ext *e = &r->events[r->n++];

	*e = (struct event_ext){ .h = { .ts_ns = BASE + ts_ns,
					.goid = g + 1,
					.site = TRACE_NONE,
					.tid = 1,
					.kind = (uint16_t)kind } };
	return e;
}

static void to_state(struct run *r, unsigned g, unsigned state, unsigned reason, uint64_t ts_ns)
{
	r->g[g].state = state;
	r->g[g].reason = state == STATE_WAITING ? reason : 0;
	r->g[g].lost = false;
	emit(r, EV_STATE, g, ts_ns)->h.depth = STATE_DEPTH(state, r->g[g].reason);
}

/* Its thread has no processor from here on. */
static void lose_processor(struct run *r, unsigned g, uint64_t ts_ns)
{
	struct one *o = &r->g[g];

	o->was = o->state == STATE_SYSCALL ? STATE_SYSCALL : STATE_RUNNING;
	o->was_lost = o->lost;
	to_state(r, g, STATE_OFF_CPU, 0, ts_ns);
}

/* It has one again. The kernel may have seen what was right before what the goroutine told last, or
 * right after it; where nothing is known, what it says holds. */
static void get_processor(struct run *r, unsigned g, uint64_t ts_ns)
{
	struct one *o = &r->g[g];
	unsigned told = o->was_lost || rnd(r, 3)  ? o->was
			: o->was == STATE_SYSCALL ? STATE_RUNNING
						  : STATE_SYSCALL;

	o->state = o->was;
	emit(r, EV_STATE, g, ts_ns)->h.depth = STATE_ON_CPU(told);
}

static uint32_t depth_of(const struct one *o)
{
	return 100 + 100 * (uint32_t)o->n;
}

static void enter(struct run *r, unsigned g, uint32_t func, uint64_t ts_ns)
{
	struct one *o = &r->g[g];
	size_t call = r->truth->n_calls++;
	struct event_ext *e = emit(r, EV_ENTRY, g, ts_ns);

	e->h.depth = depth_of(o);
	e->h.site = 2 * func;
	r->truth->calls[call].func = func;
	r->truth->calls[call].start_ns = ts_ns;
	o->calls[o->n++] = (int)call;
}

static void leave(struct run *r, unsigned g, uint64_t ts_ns)
{
	struct one *o = &r->g[g];
	int call = o->calls[--o->n];
	struct event_ext *e = emit(r, EV_EXIT, g, ts_ns);

	e->h.depth = depth_of(o);
	e->h.site = 2 * r->truth->calls[call].func + 1;
	r->truth->calls[call].end_ns = ts_ns;
	r->truth->calls[call].over = true;
}

/* A prologue is stopped: it goes on when the goroutine runs again. */
static void stop(struct run *r, unsigned g, uint64_t ts_ns)
{
	struct one *o = &r->g[g];
	struct event_ext *e = emit(r, EV_STOP, g, ts_ns);

	o->stopping = true;
	o->why = rnd(r, 2) ? STOP_YIELD : STOP_GC;
	e->h.depth = depth_of(o);
	e->arg[0] = 0;
	emit(r, EV_RESUME, g, ts_ns)->arg[2] = o->why;
	o->state = o->why == STOP_YIELD ? STATE_RUNNABLE : STATE_WAITING;
	o->reason = o->why == STOP_YIELD ? 0 : REASON_PREEMPTED;
	if (rnd(r, 2)) /* said once more */
		emit(r, EV_STATE, g, ts_ns)->h.depth = STATE_DEPTH(o->state,
								   o->why == STOP_GC ? 1 : 0);
}

/* Something happens on a goroutine that runs, as far as is known. */
static void step_running(struct run *r, unsigned g, uint64_t ts_ns)
{
	struct one *o = &r->g[g];

	switch (rnd(r, 10)) {
	case 0:
	case 1:
	case 2:
		if (o->n < DEEP)
			enter(r, g, rnd(r, FUNCS), ts_ns);
		return;
	case 3:
	case 4:
		if (o->n)
			leave(r, g, ts_ns);
		return;
	case 5:
		if (o->n < DEEP && !o->lost)
			stop(r, g, ts_ns);
		return;
	case 6:
		to_state(r, g, STATE_SYSCALL, 0, ts_ns);
		return;
	case 7:
		lose_processor(r, g, ts_ns);
		return;
	case 8:
		to_state(r, g, rnd(r, 3) ? STATE_WAITING : STATE_RUNNABLE, 1 + rnd(r, REASONS),
			 ts_ns);
		return;
	default:
		if (!rnd(r, 4)) { /* an event that does not matter may be lost */
			struct event_ext *e = emit(r, EV_LOSS, g, ts_ns);

			e->arg[0] = BASE + ts_ns;
			e->arg[1] = 1;
			o->state = STATE_UNKNOWN;
			o->reason = 0;
			o->lost = true;
		}
		return;
	}
}

static uint32_t top_func(const struct run *r, unsigned g, uint32_t none)
{
	const struct one *o = &r->g[g];

	return o->n ? r->truth->calls[o->calls[o->n - 1]].func : none;
}

static void woken(struct run *r, unsigned g, unsigned by, uint64_t ts_ns)
{
	const struct one *o = &r->g[g];
	uint64_t from = ts_ns;

	if (o->stopping || !o->n)
		return;
	while (from && r->truth->at[g][from - 1].alive &&
	       r->truth->at[g][from - 1].state == STATE_WAITING &&
	       r->truth->at[g][from - 1].reason == o->reason)
		from--;
	r->wakes[top_func(r, g, 0)][o->reason][top_func(r, by, FUNCS)] += ts_ns - from;
}

static void step_off(struct run *r, unsigned g, uint64_t ts_ns)
{
	struct one *o = &r->g[g];
	unsigned by = rnd(r, GOROUTINES);

	/* Told of a thread that has changed to another state meanwhile: they say nothing. */
	if ((o->state == STATE_RUNNABLE || o->state == STATE_WAITING) && !rnd(r, 8))
		emit(r, EV_STATE, g, ts_ns)->h.depth = rnd(r, 2) ? STATE_ON_CPU(STATE_RUNNING)
								 : STATE_DEPTH(STATE_OFF_CPU, 0);
	if (o->state == STATE_SYSCALL && !rnd(r, 3)) {
		lose_processor(r, g, ts_ns);
	} else if (o->state == STATE_OFF_CPU) {
		/* An event of its own may come too late, for want of one clock. */
		if (!o->stopping && !rnd(r, 4) && o->n < DEEP) {
			enter(r, g, rnd(r, FUNCS), ts_ns);
		} else if (!rnd(r, 4)) {
			/* A thread that left as it executed this goroutine: not the one that does
			 * now. */
			struct event_ext *e = emit(r, EV_STATE, g, ts_ns);

			e->h.depth = STATE_ON_CPU(STATE_RUNNING);
			e->h.tid = 2;
		} else if (rnd(r, 2)) {
			get_processor(r, g, ts_ns);
		} else {
			to_state(r, g, STATE_WAITING, 1, ts_ns);
		}
	} else if (o->stopping && o->state == STATE_RUNNABLE && rnd(r, 2)) {
		if (rnd(r, 2))
			to_state(r, g, STATE_RUNNING, 0, ts_ns);
		o->state = STATE_RUNNING;
		o->stopping = false;
		enter(r, g, rnd(r, FUNCS), ts_ns);
	} else if (o->state == STATE_WAITING) {
		if (rnd(r, 2) && r->g[by].alive && by != g && r->g[by].state == STATE_RUNNING) {
			emit(r, EV_WAKE, by, ts_ns)->h.depth = g + 1;
			woken(r, g, by, ts_ns);
			o->state = STATE_RUNNABLE;
			o->reason = 0;
		} else {
			to_state(r, g, STATE_RUNNABLE, 0, ts_ns);
		}
	} else if (!o->stopping && o->state == STATE_RUNNABLE && rnd(r, 3) == 0 && o->n < DEEP) {
		o->state = STATE_RUNNING; /* its own event says so */
		enter(r, g, rnd(r, FUNCS), ts_ns);
	} else if (!o->stopping) {
		to_state(r, g, STATE_RUNNING, 0, ts_ns);
	}
}

static void note(struct run *r, uint64_t t)
{
	for (unsigned g = 0; g < GOROUTINES; g++) {
		struct one *o = &r->g[g];
		struct moment *m = &r->truth->at[g][t];

		*m = (struct moment){ .alive = o->alive,
				      .held = o->stopping,
				      .state = o->state,
				      .reason = o->reason,
				      .n = o->n };
		memcpy(m->calls, o->calls, sizeof(m->calls));
	}
}

static void make(struct run *r)
{
	for (uint64_t t = 0; t < TIME; t++) {
		unsigned g = rnd(r, GOROUTINES);
		struct one *o = &r->g[g];

		if (t == 0) { /* the first is there, from its first event on */
			r->g[0].alive = true;
			r->g[0].state = STATE_RUNNING;
			enter(r, 0, 0, t);
		} else if (!o->alive && !o->created && r->g[0].state == STATE_RUNNING) {
			struct event_ext *e = emit(r, EV_CREATE, 0, t);

			e->arg[0] = g + 1;
			e->arg[1] = 0x10 * g;
			o->alive = o->created = true;
			o->state = STATE_RUNNABLE;
		} else if (!o->alive && o->created && !rnd(r, 4)) {
			/* Its end is told, and it goes on for some instructions. */
			emit(r, EV_STATE, g, t)->h.depth = rnd(r, 2) ? STATE_DEPTH(STATE_OFF_CPU, 0)
								     : STATE_ON_CPU(STATE_RUNNING);
		} else if (o->alive && (o->state == STATE_RUNNING || o->lost)) {
			if (g && !o->lost && !o->n && !rnd(r, 4)) {
				emit(r, EV_END, g, t);
				o->alive = false;
			} else {
				step_running(r, g, t);
			}
		} else if (o->alive) {
			step_off(r, g, t);
		}
		note(r, t);
	}
	/* What never went on is not known to be a stop: it is the caller's. */
	for (unsigned g = 0; g < GOROUTINES; g++)
		for (uint64_t t = TIME; r->g[g].stopping && t-- && r->truth->at[g][t].held;)
			r->truth->at[g][t].held = false;
	emit(r, EV_LOSS, 9, TIME)->arg[0] = BASE + TIME; /* the last moment */
}

static void set_up(struct run *r, uint64_t seed)
{
	r->rng = seed;
	r->truth = calloc(1, sizeof(*r->truth));
	r->events = calloc(4 * TIME + 4, sizeof(*r->events));
	assert_true(r->truth && r->events);
	for (uint32_t f = 0; f < FUNCS; f++) {
		char name[16];

		snprintf(name, sizeof(name), "main.f%u", f);
		assert_int_equal(
			trace_info_add_func(&r->info, &(struct trace_func){ .name = name }), 0);
		for (unsigned kind = EV_ENTRY; kind <= EV_EXIT; kind++)
			assert_int_equal(trace_info_add_site(
						 &r->info, &(struct trace_site){ f, TRACE_NONE, 0,
										 (uint16_t)kind }),
					 0);
	}
	assert_int_equal(trace_info_set(&r->info, KEY_STATES, "1"), 0);
}

void states_make(struct run *r, uint64_t seed)
{
	set_up(r, seed);
	make(r);
}
