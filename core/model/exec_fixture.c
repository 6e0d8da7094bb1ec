// SPDX-License-Identifier: BSD-2-Clause
#include "model/exec_sim_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define UNPROBED_PC 0x500

uint64_t exec_random(uint64_t *state) /* splitmix64 */
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static unsigned rnd(struct sim *s, unsigned n)
{
	return (unsigned)(exec_random(&s->rng) >> 33) % n;
}

/* ---- events ---- */

static uint64_t tick(struct sim *s)
{
	return s->now += 1 + rnd(s, 8) * rnd(s, 100);
}

static struct event_ext *emit(struct sim *s, const struct goroutine *g, unsigned kind, uint32_t at, uint32_t depth)
{
	struct exec *x = s->x;

	if (!s->err)
		s->err = vec_reserve(&x->events, &x->cap, x->n + 1);
	if (s->err)
		return &s->nowhere;
	struct event_ext *e = &x->events[x->n++];

	*e = (struct event_ext){ .h = { .ts_ns = s->now, .site = at, .depth = depth, .kind = (uint16_t)kind } };
	if (g) {
		e->h.goid = g->system ? g->label : g->id;
		e->h.flags = g->system ? EVF_SYSTEM : 0;
		e->h.tid = g->system ? (uint32_t)g->id : 100 + rnd(s, 4); /* goroutines migrate */
	}
	return e;
}

/* ---- what a goroutine does ---- */

static uint32_t next_depth(struct sim *s, const struct goroutine *g)
{
	return (g->n ? g->depth[g->n - 1] : g->base) + 32 + 16 * rnd(s, 3);
}

static void call(struct sim *s, struct goroutine *g, uint32_t func, uint32_t depth)
{
	g->p = (struct pending){ .active = true, .func = func, .depth = depth,
				 .stops = g->system || rnd(s, 3) ? 0 : 1 + rnd(s, 3) };
}

/* The next moment of a call being made. */
static void go_on(struct sim *s, struct goroutine *g)
{
	struct pending *p = &g->p;
	uint32_t at = exec_site(p->func, EV_ENTRY, TRACE_NONE);
	bool thesis = s->opt->thesis && !g->system;

	tick(s);
	if (p->stops && p->phase == 0) {
		p->phase = 1;
		if (thesis) {
			if (p->from_ns)
				truth_segment(s, p);
			emit(s, g, EV_ENTRY, at, p->depth);
			p->from_ns = s->now;
			return;
		}
	}
	if (p->stops && p->phase == 1) {
		p->phase = 2;
		if (thesis) {
			emit(s, g, EV_MORESTACK, exec_site(p->func, EV_MORESTACK, TRACE_NONE), p->depth);
			return;
		}
	}
	if (p->stops && p->phase == 2) {
		p->phase = 3;
		if (s->opt->global) {
			emit(s, g, EV_STOP, 0, p->depth)->arg[0] = 0x1000 * (p->func + 1) + 0x10;
			if (!thesis) {
				if (p->from_ns)
					truth_segment(s, p);
				p->from_ns = s->now;
			}
			return;
		}
	}
	if (p->stops) {
		p->why = rnd(s, 4);
		if (s->opt->global && (p->why != STOP_DECLINED || rnd(s, 2)))
			emit(s, g, EV_RESUME, 0, p->depth)->arg[2] = p->why;
		p->stops--;
		p->phase = 0;
		return;
	}
	if (p->from_ns)
		truth_segment(s, p);
	emit(s, g, EV_ENTRY, at, p->depth);
	truth_begin(s, g, p->func, p->depth);
	if (!s->err)
		truth_charge(s, p, s->x->calls[g->open[g->n - 1]].node, s->x->calls[g->open[g->n - 1]].parent);
}

/* A function that is not probed has its prologue stopped: its caller's affair. */
static void unprobed_stop(struct sim *s, struct goroutine *g)
{
	struct pending p = { 0 };
	uint32_t depth = next_depth(s, g);

	if (!s->opt->global || g->system)
		return;
	for (unsigned left = 1 + rnd(s, 2); left; left--) {
		tick(s);
		emit(s, g, EV_STOP, 0, depth)->arg[0] = UNPROBED_PC;
		p.from_ns = s->now;
		tick(s);
		p.why = rnd(s, 4);
		if (p.why != STOP_DECLINED || rnd(s, 2))
			emit(s, g, EV_RESUME, 0, depth)->arg[2] = p.why;
		else
			p.from_ns = s->now; /* nothing says when it went on */
		truth_segment(s, &p);
	}
	if (g->n)
		truth_charge(s, &p, s->x->calls[g->open[g->n - 1]].node, (int64_t)g->open[g->n - 1]);
}

static void tail(struct sim *s, struct goroutine *g, bool wrapper)
{
	uint32_t target = rnd(s, 3) ? rnd(s, EXEC_FUNCS) : TRACE_NONE;
	uint32_t func = rnd(s, EXEC_FUNCS), depth = next_depth(s, g);

	tick(s);
	if (wrapper) {
		emit(s, g, EV_ENTRY_TAIL, exec_site(func, EV_ENTRY_TAIL, target), depth);
		truth_begin(s, g, func, depth);
	} else {
		depth = g->depth[g->n - 1];
		func = s->x->calls[g->open[g->n - 1]].func;
		emit(s, g, EV_TAIL, exec_site(func, EV_TAIL, target), depth);
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

/* A panic, recovered by the function of some open frame or by one that is not probed. */
static void recover(struct sim *s, struct goroutine *g)
{
	unsigned keep = rnd(s, g->n + 1);

	while (keep < g->n && keep && g->tailed[keep - 1])
		keep++; /* one that jumped away has no frame to recover in */
	uint32_t at = keep ? g->depth[keep - 1] + 8 * rnd(s, 2) : g->base;

	tick(s);
	emit(s, g, EV_UNWIND, 0, at);
	while (g->n > keep)
		truth_finish(s, g, s->now, CALL_UNWOUND);
}

static void end(struct sim *s, struct goroutine *g)
{
	tick(s);
	emit(s, g, EV_END, 0, 0);
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
	*g = (struct goroutine){ .alive = true, .id = s->next_goid++, .base = 16 * rnd(s, 3), .go_edge = true,
				 .go_pc = 0x2000 + 0x10 * rnd(s, 2) };
	if (by)
		g->root = by->n ? s->x->calls[by->open[by->n - 1]].node : by->root;
	else
		g->root = truth_node(s, 0, PATH_TIMER, false, 0);
	tick(s);
	struct event_ext *e = emit(s, by, EV_CREATE, 0, 0);

	e->arg[0] = g->id;
	e->arg[1] = g->go_pc;
	e->arg[2] = 0x1000;
}

static void step(struct sim *s, struct goroutine *g)
{
	unsigned what = rnd(s, 100);

	if (g->p.active) {
		go_on(s, g);
	} else if (g->system && !g->n) {
		g->label = rnd(s, 3);
		call(s, g, rnd(s, EXEC_FUNCS), next_depth(s, g));
	} else if (what < 38 && g->n < MAX_OPEN - 2) {
		/* half of the time the caller's own function: recursion */
		uint32_t f = g->n && rnd(s, 2) ? s->x->calls[g->open[g->n - 1]].func : rnd(s, EXEC_FUNCS);

		call(s, g, f, next_depth(s, g));
	} else if (what < 62 && g->n) {
		tick(s);
		emit(s, g, EV_EXIT, exec_site(s->x->calls[g->open[g->n - 1]].func, EV_EXIT, TRACE_NONE), g->depth[g->n - 1]);
		truth_finish_chain(s, g, CALL_FINISHED);
	} else if (what < 66 && g->n < MAX_OPEN - 2) {
		uint32_t f = rnd(s, EXEC_FUNCS), depth = next_depth(s, g);

		tick(s);
		emit(s, g, EV_ENTRY_EXIT, exec_site(f, EV_ENTRY_EXIT, TRACE_NONE), depth);
		truth_begin(s, g, f, depth);
		if (!s->err)
			truth_finish(s, g, s->now, CALL_FINISHED);
	} else if (what < 76 && g->n < MAX_OPEN - 2 && (g->n || what < 70)) {
		tail(s, g, what < 70);
	} else if (g->system) {
		return; /* what follows is for goroutines */
	} else if (what < 80) {
		unprobed_stop(s, g);
	} else if (what < 86) {
		recover(s, g);
	} else if (what < 92) {
		create(s, rnd(s, 6) ? g : NULL);
	} else if (what < 96) {
		end(s, g);
	}
}

static void first_goroutine(struct sim *s)
{
	memset(s->g, 0, sizeof(s->g));
	s->g[0] = (struct goroutine){ .alive = true, .id = 1, .base = 16 };
	s->next_goid = 2;
	for (unsigned i = 0; i < MAX_THREADS; i++) /* depths of system stacks wrap */
		s->thread[i] = (struct goroutine){ .alive = true, .system = true, .id = 100 + i,
						   .base = 0xffffff00u + 0x40 * i };
}

static void stop_world(struct sim *s)
{
	for (unsigned i = 0; i < MAX_GOROUTINES + MAX_THREADS; i++) {
		struct goroutine *g = i < MAX_GOROUTINES ? &s->g[i] : &s->thread[i - MAX_GOROUTINES];

		while (!s->err && g->p.active)
			go_on(s, g);
	}
}

static void close_all(struct sim *s)
{
	for (unsigned i = 0; i < MAX_GOROUTINES + MAX_THREADS; i++) {
		struct goroutine *g = i < MAX_GOROUTINES ? &s->g[i] : &s->thread[i - MAX_GOROUTINES];

		while (!s->err && g->n)
			truth_finish(s, g, s->x->events[s->x->n - 1].h.ts_ns, CALL_UNFINISHED);
	}
}

int exec_make(struct exec *x, uint64_t seed, const struct exec_options *opt)
{
	struct sim s = { .x = x, .opt = opt, .rng = seed, .now = 1000 };

	*x = (struct exec){ .n_nodes = 1 };
	s.err = exec_info(&x->info);
	if (!s.err)
		s.err = vec_reserve(&x->nodes, &x->cap_nodes, 1);
	if (s.err)
		return s.err;
	x->nodes[0].func = PATH_ROOT;
	first_goroutine(&s);
	for (unsigned i = 0; !s.err && i < opt->steps; i++) {
		struct goroutine *g = &s.g[rnd(&s, MAX_GOROUTINES)];

		if (!rnd(&s, 12))
			g = &s.thread[rnd(&s, MAX_THREADS)];
		if (g->alive)
			step(&s, g);
		if (!rnd(&s, 400) && x->n_calls) { /* the process re-executes itself */
			stop_world(&s);
			close_all(&s);
			first_goroutine(&s);
			tick(&s);
			emit(&s, NULL, EV_IMAGE, 0, 0)->h.goid = 1;
		}
	}
	stop_world(&s);
	close_all(&s);
	return s.err;
}

void exec_free(struct exec *x)
{
	trace_info_free(&x->info);
	free(x->events);
	free(x->calls);
	free(x->nodes);
	*x = (struct exec){ 0 };
}
