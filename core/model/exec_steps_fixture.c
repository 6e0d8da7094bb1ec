// SPDX-License-Identifier: BSD-2-Clause
/* What goroutines and system stacks do, one step at a time, and the events of it. */
#include "base/vec.h"
#include "model/exec_sim_fixture.h"

#define UNPROBED_PC 0x500

/* ---- events ---- */

uint64_t exec_tick(struct sim *s)
{
	return s->now += 1 + exec_rnd(s, 8) * exec_rnd(s, 100);
}

struct event_ext *exec_emit(struct sim *s, const struct goroutine *g, unsigned kind, uint32_t at,
			    uint32_t depth)
{
	struct exec *x = s->x;

	if (!s->err)
		s->err = vec_reserve(&x->events, &x->cap, x->n + 1);
	if (s->err)
		return &s->nowhere;
	struct event_ext *e = &x->events[x->n++];

	*e = (struct event_ext){
		.h = { .ts_ns = s->now, .site = at, .depth = depth, .kind = (uint16_t)kind }
	};
	if (g) {
		e->h.goid = g->system ? g->label : g->id;
		e->h.flags = g->system ? EVF_SYSTEM : 0;
		/* goroutines migrate */
		/* sites differ in how they are probed, and one site's events do at times */
		e->h.flags |= (at + (s->now % 16 == 0)) % (HOW_MAX + 1) << EVF_HOW_SHIFT;
		e->h.tid = g->system ? (uint32_t)g->id : 100 + exec_rnd(s, 4);
	}
	return e;
}

/* ---- what a goroutine does ---- */

static uint32_t next_depth(struct sim *s, const struct goroutine *g)
{
	return (g->n ? g->depth[g->n - 1] : g->base) + 32 + 16 * exec_rnd(s, 3);
}

static void call(struct sim *s, struct goroutine *g, uint32_t func, uint32_t depth)
{
	g->p = (struct pending){ .active = true,
				 .func = func,
				 .depth = depth,
				 .stops = g->system || exec_rnd(s, 3) ? 0 : 1 + exec_rnd(s, 3) };
}

/* The next moment of a call being made. */
void exec_go_on(struct sim *s, struct goroutine *g)
{
	struct pending *p = &g->p;
	uint32_t at = exec_site(p->func, EV_ENTRY, TRACE_NONE);
	bool thesis = s->opt->thesis && !g->system;

	exec_tick(s);
	if (p->stops && p->phase == 0) {
		p->phase = 1;
		if (thesis) {
			if (p->from_ns)
				truth_segment(s, p);
			exec_emit(s, g, EV_ENTRY, at, p->depth);
			p->from_ns = s->now;
			return;
		}
	}
	if (p->stops && p->phase == 1) {
		p->phase = 2;
		if (thesis) {
			exec_emit(s, g, EV_MORESTACK, exec_site(p->func, EV_MORESTACK, TRACE_NONE),
				  p->depth);
			return;
		}
	}
	if (p->stops && p->phase == 2) {
		p->phase = 3;
		if (s->opt->global) {
			exec_emit(s, g, EV_STOP, 0, p->depth)->arg[0] = 0x1000 * (p->func + 1) +
									0x10;
			if (!thesis) {
				if (p->from_ns)
					truth_segment(s, p);
				p->from_ns = s->now;
			}
			return;
		}
	}
	if (p->stops) {
		p->why = exec_rnd(s, 4);
		if (s->opt->global && (p->why != STOP_DECLINED || exec_rnd(s, 2)))
			exec_emit(s, g, EV_RESUME, 0, p->depth)->arg[2] = p->why;
		p->stops--;
		p->phase = 0;
		return;
	}
	if (p->from_ns)
		truth_segment(s, p);
	exec_emit(s, g, EV_ENTRY, at, p->depth);
	/* System-stack functions that never returned: what is called in their place shows it. */
	while (g->n && (int32_t)(g->depth[g->n - 1] - p->depth) >= g->tailed[g->n - 1])
		truth_finish(s, g, s->now, CALL_INFERRED);
	truth_begin(s, g, p->func, p->depth);
	if (!s->err)
		truth_charge(s, p, s->x->calls[g->open[g->n - 1]].node,
			     s->x->calls[g->open[g->n - 1]].parent);
}

/* A function that is not probed has its prologue stopped: its caller's affair. */
static void unprobed_stop(struct sim *s, struct goroutine *g)
{
	struct pending p = { 0 };
	uint32_t depth = next_depth(s, g);

	if (!s->opt->global || g->system)
		return;
	for (unsigned left = 1 + exec_rnd(s, 2); left; left--) {
		exec_tick(s);
		exec_emit(s, g, EV_STOP, 0, depth)->arg[0] = UNPROBED_PC;
		p.from_ns = s->now;
		exec_tick(s);
		p.why = exec_rnd(s, 4);
		if (p.why != STOP_DECLINED || exec_rnd(s, 2))
			exec_emit(s, g, EV_RESUME, 0, depth)->arg[2] = p.why;
		else
			p.from_ns = s->now; /* no event shows when it went on */
		truth_segment(s, &p);
	}
	if (g->n)
		truth_charge(s, &p, s->x->calls[g->open[g->n - 1]].node,
			     (int64_t)g->open[g->n - 1]);
}

static void tail(struct sim *s, struct goroutine *g, bool wrapper)
{
	uint32_t target = exec_rnd(s, 3) ? exec_rnd(s, EXEC_FUNCS) : TRACE_NONE;
	uint32_t func = exec_rnd(s, EXEC_FUNCS), depth = next_depth(s, g);

	exec_tick(s);
	if (wrapper) {
		exec_emit(s, g, EV_ENTRY_TAIL, exec_site(func, EV_ENTRY_TAIL, target), depth);
		truth_begin(s, g, func, depth);
	} else {
		depth = g->depth[g->n - 1];
		func = s->x->calls[g->open[g->n - 1]].func;
		exec_emit(s, g, EV_TAIL, exec_site(func, EV_TAIL, target), depth);
	}
	if (s->err)
		return;
	if (target == TRACE_NONE) {
		truth_finish_chain(s, g, CALL_TAIL);
		return;
	}
	g->tailed[g->n - 1] = true;
	call(s, g, target, depth);
}

/* The top function panics, or calls Goexit: from now on only deferred calls run, below it. */
static void panic(struct sim *s, struct goroutine *g)
{
	g->panics[g->n_panics].n = g->n;
	g->panics[g->n_panics++].goexit = exec_rnd(s, 3) == 0;
}

/* Is g between two deferred calls of its innermost panic? */
static bool between_deferred(const struct goroutine *g)
{
	return g->n_panics && g->panics[g->n_panics - 1].n == g->n;
}

/*
 * The deferred call that has just returned had recovered, for some open frame
 * or for one that is not probed. Under a Goexit that is pending below that
 * frame nothing is recovered: Goexit goes on where it was.
 */
static void recover(struct sim *s, struct goroutine *g)
{
	unsigned keep = exec_rnd(s, g->n + 1), last = g->n_panics - 1;
	bool goexit = false;

	for (unsigned i = last; i-- > 0 && !goexit;)
		if (g->panics[i].goexit && keep <= g->panics[i].n) {
			goexit = true;
			keep = g->panics[i].n;
			g->n_panics = i + 1;
		}
	while (keep < g->n && keep && g->tailed[keep - 1])
		keep++; /* one that jumped away has no frame to recover in */
	if (!goexit)
		for (g->n_panics = last; g->n_panics && g->panics[g->n_panics - 1].n > keep;)
			g->n_panics--;
	exec_tick(s);
	exec_emit(s, g, EV_UNWIND, 0, keep ? g->depth[keep - 1] + 8 * exec_rnd(s, 2) : g->base)
		->h.flags |= goexit ? EVF_GOEXIT : 0;
	while (g->n > keep)
		truth_finish(s, g, s->now, CALL_UNWOUND);
}

static void end(struct sim *s, struct goroutine *g)
{
	exec_tick(s);
	exec_emit(s, g, EV_END, 0, 0);
	while (g->n)
		truth_finish(s, g, s->now, CALL_UNWOUND);
	g->alive = false;
}

static void create(struct sim *s, struct goroutine *by)
{
	struct goroutine *g = NULL;

	for (unsigned i = 0; i < MAX_GOROUTINES && !g; i++)
		if (!s->g[i].alive)
			g = &s->g[i];
	if (!g)
		return;
	*g = (struct goroutine){ .alive = true,
				 .id = s->next_goid++,
				 .base = 16 * exec_rnd(s, 3),
				 .go_edge = true,
				 .go_pc = 0x2000 + 0x10 * exec_rnd(s, 2) };
	if (by)
		g->root = by->n ? s->x->calls[by->open[by->n - 1]].node : by->root;
	else
		g->root = truth_node(s, 0, PATH_TIMER, false, 0);
	exec_tick(s);
	struct event_ext *e = exec_emit(s, by, EV_CREATE, 0, 0);

	e->arg[0] = g->id;
	e->arg[1] = g->go_pc;
	e->arg[2] = 0x1000;
}

/* A call on a system stack takes the place of some that never return. */
static void abandon(struct sim *s, struct goroutine *g)
{
	unsigned from = exec_rnd(s, g->n);

	while (from && g->tailed[from - 1])
		from--; /* those share a depth */
	/* At the depth of one that jumped away, the call would be its target's. */
	call(s, g, exec_rnd(s, EXEC_FUNCS),
	     g->depth[from] - 16 * (g->tailed[from] || exec_rnd(s, 2)));
}

static void leave(struct sim *s, struct goroutine *g)
{
	exec_tick(s);
	exec_emit(s, g, EV_EXIT,
		  exec_site(s->x->calls[g->open[g->n - 1]].func, EV_EXIT, TRACE_NONE),
		  g->depth[g->n - 1]);
	truth_finish_chain(s, g, CALL_FINISHED);
}

static void call_some(struct sim *s, struct goroutine *g)
{
	/* half of the time the caller's own function: recursion */
	uint32_t f = g->n && exec_rnd(s, 2) ? s->x->calls[g->open[g->n - 1]].func
					    : exec_rnd(s, EXEC_FUNCS);

	call(s, g, f, next_depth(s, g));
}

static void lone_ret(struct sim *s, struct goroutine *g)
{
	uint32_t f = exec_rnd(s, EXEC_FUNCS), depth = next_depth(s, g);

	exec_tick(s);
	exec_emit(s, g, EV_ENTRY_EXIT, exec_site(f, EV_ENTRY_EXIT, TRACE_NONE), depth);
	truth_begin(s, g, f, depth);
	if (!s->err)
		truth_finish(s, g, s->now, CALL_FINISHED);
}

/* What only goroutines do, not system stacks. */
static void step_goroutine(struct sim *s, struct goroutine *g, unsigned what)
{
	bool room = g->n_panics < MAX_PANICS;

	if (what < 80)
		unprobed_stop(s, g);
	else if (what < 87 && g->n && room && !between_deferred(g))
		panic(s, g);
	else if (what < 94)
		create(s, exec_rnd(s, 6) ? g : NULL);
	else if (what < 96)
		end(s, g);
	else if (what < 98 && !g->n && !g->n_panics)
		/* a coroutine of iter.Pull before its end was seen, or one that waits for ever */
		g->alive = false;
}

void exec_step(struct sim *s, struct goroutine *g)
{
	unsigned what = exec_rnd(s, 100);
	bool room = g->n < MAX_OPEN - 2, deferred = between_deferred(g);

	if (g->p.active) {
		exec_go_on(s, g);
	} else if (g->system && !g->n) {
		g->label = exec_rnd(s, 3);
		call(s, g, exec_rnd(s, EXEC_FUNCS), next_depth(s, g));
	} else if (g->system && what >= 94) {
		abandon(s, g);
	} else if (deferred && what < 30) { /* no deferred call is left */
		if (g->panics[g->n_panics - 1].goexit)
			end(s, g);
		else
			recover(s, g);
	} else if (what < 38 && room) {
		call_some(s, g);
	} else if (what < 62 && g->n && !deferred) {
		leave(s, g);
	} else if (what < 66 && room) {
		lone_ret(s, g);
	} else if (what < 76 && room && ((g->n && !deferred) || what < 70)) {
		tail(s, g, what < 70);
	} else if (!g->system) {
		step_goroutine(s, g, what);
	}
}
