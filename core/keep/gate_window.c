// SPDX-License-Identifier: BSD-2-Clause
/* What the gate adds to the events that it lets through. */
#include "keep/gate_internal.h"
#include "keep/window_begin.h"

void gate_tell_left_out(struct gate *g, struct open_stack *s, struct open_call *c, uint64_t ts_ns)
{
	for (int i = 0; i < 2; i++) {
		struct event_ext ev = { .h = { .ts_ns = ts_ns,
					       .goid = s->system ? c->label : s->id,
					       .depth = c->depth,
					       .tid = s->system ? (uint32_t)s->id : c->tid,
					       .kind = EV_WINDOW,
					       .flags = (uint16_t)((s->system ? EVF_SYSTEM : 0) |
								   c->hows[i] << EVF_HOW_SHIFT) },
					.arg = { WINDOW_LEFT_OUT, c->left_out[i] } };

		if (c->left_out[i])
			gate_emit(g, &ev);
		c->left_out[i] = 0;
	}
}

static void each_stack(struct gate *g, uint64_t ts_ns,
		       void (*on)(struct gate *g, struct open_stack *s, uint64_t ts_ns))
{
	for (size_t i = 0; i < g->open.goroutines.n; i++)
		on(g, g->open.goroutines.all[i], ts_ns);
	for (size_t i = 0; i < g->open.threads.n; i++)
		on(g, g->open.threads.all[i], ts_ns);
}

static void tell_left_out_on(struct gate *g, struct open_stack *s, uint64_t ts_ns)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->frames[i].flags & OPEN_TOLD)
			gate_tell_left_out(g, s, &s->frames[i], ts_ns);
}

void gate_tell_all_left_out(struct gate *g, uint64_t ts_ns)
{
	each_stack(g, ts_ns, tell_left_out_on);
}

/* ---- on and off */

static void begin_call(struct gate *g, struct open_stack *s, struct open_call *c, uint64_t ts_ns)
{
	const struct window_begin t = { gate_emit_event, g, ts_ns };

	c->flags |= OPEN_TOLD;
	if (c->flags & PAIR_STOPPED) /* its entry comes once more */
		return;
	if (!s->told)
		gate_tell_goroutine(g, s, &(struct event){ .ts_ns = ts_ns, .tid = c->tid });
	window_begin_call(&t, s, c);
}

static void begin_on(struct gate *g, struct open_stack *s, uint64_t ts_ns)
{
	for (size_t i = 0; i < s->n; i++) {
		struct open_call *c = &s->frames[i];

		g->stats.seen += !!(c->flags & OPEN_OUTER);
		g->stats.chosen += c->flags & OPEN_OUTER && c->state == OPEN_KEPT;
		c->under = i && c->state == OPEN_KEPT ? c[-1].under : NO_CALL;
		if (c->state != OPEN_KEPT || c->flags & PAIR_RELEASED ||
		    (g->opt.depth && c->level > g->opt.depth))
			continue;
		c->under = (uint32_t)i;
		begin_call(g, s, c, ts_ns);
	}
	gate_states_begin(g, s, ts_ns);
}

static void end_on(struct gate *g, struct open_stack *s, uint64_t ts_ns)
{
	(void)g;
	(void)ts_ns;
	s->stop_told = s->states_told = false;
	for (size_t i = 0; i < s->n; i++)
		s->frames[i].flags &= ~OPEN_TOLD;
}

static void turn(struct gate *g, uint64_t ts_ns)
{
	struct event_ext ev = { .h = { .ts_ns = ts_ns, .kind = EV_WINDOW, .flags = EVF_ALL },
				.arg = { WINDOW_END } };

	g->stats.on = !g->stats.on;
	if (!g->stats.on) {
		gate_tell_all_left_out(g, ts_ns);
		gate_emit(g, &ev);
		each_stack(g, ts_ns, end_on);
		return;
	}
	if (g->opt.rests)
		open_calls_forget(&g->open);
	ev.arg[0] = WINDOW_BEGIN;
	ev.arg[1] = g->opt.why;
	g->stats.windows++;
	gate_emit(g, &ev);
	open_calls_settle(&g->open);
	each_stack(g, ts_ns, begin_on);
}

void gate_switch_now(struct gate *g, uint64_t now_ns)
{
	while (atomic_load(&g->n_asked) != g->n_switched) {
		uint64_t at_ns = g->switches[g->n_switched % SWITCHES];

		if (at_ns > now_ns)
			return;
		/* What was let through is older. */
		turn(g, at_ns > g->last_ns ? at_ns : g->last_ns);
		g->n_switched++;
	}
}

bool gate_switch(struct gate *g, uint64_t at_ns)
{
	unsigned n = atomic_load(&g->n_asked);

	if (n - g->n_switched >= SWITCHES)
		return false;
	g->switches[n % SWITCHES] = at_ns;
	atomic_store(&g->n_asked, n + 1);
	return true;
}
