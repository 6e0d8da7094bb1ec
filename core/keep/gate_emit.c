// SPDX-License-Identifier: BSD-2-Clause
/* What is let through is handed on, arrays without a copy. */
#include "keep/gate_internal.h"
#include "keep/window_begin.h"

int gate_flush(struct gate *g)
{
	size_t n = g->n_run;

	g->n_run = 0;
	if (n)
		g->handed_ns = g->run[n - 1].ts_ns;
	return n ? g->opt.next.many(g->opt.next.ctx, g->run, n) : 0;
}

void gate_emit(struct gate *g, const struct event_ext *ev)
{
	int err = gate_flush(g);

	if (!err && !g->err)
		err = g->opt.next.event(g->opt.next.ctx, ev);
	g->handed_ns = ev->h.ts_ns;
	if (err)
		g->err = err;
}

void gate_emit_event(void *g, const struct event_ext *ev)
{
	gate_emit(g, ev);
}

void gate_tell_goroutine(struct gate *g, struct open_stack *s, const struct event *e)
{
	const struct window_begin t = { gate_emit_event, g, e->ts_ns };

	s->told = true;
	/* With a trigger, paths begin at it, wherever the goroutine is from. */
	if (!g->trigger)
		window_begin_goroutine(&t, s, e->tid);
}
