// SPDX-License-Identifier: BSD-2-Clause
#include "keep/gate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "keep/gate_internal.h"
#include "trace/keys.h"

/* Called before a call ends that is told, or of the trigger. */
static void ended(void *ctx, struct open_stack *s, struct open_call *c, uint64_t ts_ns,
		  bool inferred)
{
	struct gate *g = ctx;

	if (c->flags & OPEN_TOLD)
		gate_tell_left_out(g, s, c, ts_ns);
	if (c->flags & OPEN_OUTER && c->flags & PAIR_STOPPED && !inferred)
		gate_take_back(g, c->state);
}

/* ---- events */

/* An event of a call that is too deep: its cost is in the call that is told of. */
static void leave_out(struct gate *g, struct open_stack *s, const struct event *e)
{
	struct open_call *top = open_top(s), *c;
	unsigned how = EVF_HOW(e->flags);

	if (!top || top->under == NO_CALL || top->under >= s->n || !how)
		return;
	c = &s->frames[top->under];
	for (int i = 0; i < 2; i++)
		if (!c->left_out[i] || c->hows[i] == how) {
			c->hows[i] = (uint8_t)how;
			c->left_out[i]++;
			return;
		}
	gate_tell_left_out(g, s, c, e->ts_ns);
	c->hows[0] = (uint8_t)how;
	c->left_out[0] = 1;
}

/* Calls that are told have ended, and the event that shows it is not let through. */
static void tell_over(struct gate *g, const struct open_stack *s, const struct event *e,
		      uint32_t depth)
{
	struct event_ext ev = { .h = *e, .arg = { WINDOW_OVER } };

	ev.h.kind = EV_WINDOW;
	ev.h.site = 0;
	ev.h.flags = s->system ? EVF_SYSTEM : 0;
	ev.h.depth = depth;
	gate_emit(g, &ev);
}

/* An event of a function. */
static bool func_event(struct gate *g, const struct event *e, struct open_change *ch)
{
	struct open_stack *s = ch->stack;
	bool begins = e->kind == EV_ENTRY || e->kind == EV_ENTRY_EXIT || e->kind == EV_ENTRY_TAIL;
	bool pass;

	if (!s)
		return g->stats.on; /* of no known function */
	if (begins) {
		if (!ch->again)
			gate_place(g, s, ch->call);
		pass = ch->call->flags & OPEN_TOLD;
	} else if (ch->found || ch->own_told) {
		pass = ch->own_told;
	} else if (g->opt.rests) { /* of a call that began while it was off */
		pass = false;
	} else { /* of a call that was not seen to begin */
		pass = g->stats.on && gate_inherited(g, s, open_top(s), e->goid) == OPEN_KEPT &&
		       gate_level_kept(g, gate_level_of(open_top(s), e->depth));
	}
	if (s->ahead.active)
		gate_forget_ahead(g, s);
	if (ch->over && !pass)
		tell_over(g, s, e, ch->over_depth);
	if (pass && !s->told)
		gate_tell_goroutine(g, s, e);
	if (e->kind == EV_MORESTACK)
		s->stop_told = pass;
	if (e->kind == EV_ENTRY_EXIT || e->kind == EV_ENTRY_TAIL)
		open_calls_end(&g->open, e, ch);
	if (!pass)
		leave_out(g, s, e);
	return pass;
}

/* A prologue was stopped: recorded if the call will be that it belongs to, or, if that is not
 * probed, the one that made it. */
static bool stop_event(struct gate *g, const struct event *e, struct open_change *ch)
{
	struct open_stack *s = ch->stack;
	struct open_call *top = open_top(s);
	uint8_t state = gate_inherited(g, s, top, e->goid);
	bool same = s->ahead.active && s->ahead.func == ch->func && s->ahead.depth == e->depth;

	if (s->ahead.active && !same)
		gate_forget_ahead(g, s);
	if (ch->call)
		return ch->call->flags & OPEN_TOLD;
	if (ch->func == TRACE_NONE)
		return g->stats.on && (top ? top->flags & OPEN_TOLD : state == OPEN_KEPT);
	if (g->trigger && state == OPEN_OUT && g->trigger[ch->func]) {
		if (!same) {
			s->ahead.active = true;
			s->ahead.func = ch->func;
			s->ahead.depth = e->depth;
			s->ahead.state = gate_outermost(g);
		}
		state = s->ahead.state;
	}
	return g->stats.on && state == OPEN_KEPT &&
	       gate_level_kept(g, gate_level_of(top, e->depth));
}

static bool create_event(struct gate *g, const struct event *e, struct open_change *ch)
{
	uint8_t state = gate_goroutine_state(g, ch->stack);
	bool pass = g->stats.on && state == OPEN_KEPT;

	ch->child->base = state;
	ch->child->told = ch->child->states_told = pass;
	if (pass && ch->stack)
		ch->stack->told = true;
	if (ch->child_over && !pass) {
		struct event of = { .ts_ns = e->ts_ns, .goid = ch->child->id };

		tell_over(g, ch->child, &of, 0);
	}
	return pass;
}

/* Behind an event of a goroutine: what a reader has to know of it besides. */
static bool tell_around(struct gate *g, const struct event *e, const struct open_change *ch,
			bool pass)
{
	if (ch->over && !pass)
		tell_over(g, ch->stack, e, ch->over_depth);
	if (pass && !ch->stack->told)
		gate_tell_goroutine(g, ch->stack, e);
	return pass;
}

static bool unwind_event(struct gate *g, const struct event *e, const struct open_change *ch)
{
	gate_forget_ahead(g, ch->stack);
	return tell_around(g, e, ch, ch->own_told || (g->stats.on && !g->trigger));
}

/* s NULL: of a goroutine of which nothing is known. */
static bool end_event(struct gate *g, struct open_stack *s)
{
	bool pass = (s && s->told) || (g->stats.on && !g->trigger);

	if (s) {
		gate_forget_ahead(g, s);
		open_calls_drop(&g->open, s);
	}
	return pass;
}

/* Calls end with the last event that a reader sees: where all of them end, it sees that. */
static void tell_last(struct gate *g, uint64_t last_ns)
{
	struct event_ext ev = { .h = { .ts_ns = last_ns, .kind = EV_WINDOW, .flags = EVF_ALL },
				.arg = { WINDOW_UP_TO } };

	if (g->n_run)
		g->err = gate_flush(g);
	if (g->stats.on && g->handed_ns && last_ns > g->handed_ns)
		gate_emit(g, &ev);
}

/* What has not got past its prologue when everything ends. */
static void take_back_stopped(struct gate *g)
{
	for (size_t i = 0; i < g->open.goroutines.n; i++) {
		struct open_stack *s = g->open.goroutines.all[i];
		struct open_call *top = open_top(s);

		gate_forget_ahead(g, s);
		if (top && top->flags & OPEN_OUTER && top->flags & PAIR_STOPPED)
			gate_take_back(g, top->state);
	}
}

/* Is the event let through? */
static bool lets_through(struct gate *g, const struct event *e, const uint64_t arg[4])
{
	struct open_change ch;

	uint64_t before_ns = g->last_ns;
	bool pass = g->stats.on; /* of what no stack is known to be concerned */

	if (e->kind == EV_IMAGE) {
		gate_tell_all_left_out(g, before_ns);
		take_back_stopped(g);
	}
	g->last_ns = e->ts_ns > g->last_ns ? e->ts_ns : g->last_ns;
	int err = open_calls_apply(&g->open, e, arg, &ch);

	if (err) {
		g->err = err;
		return false;
	}
	switch ((enum event_kind)e->kind) {
	case EV_ENTRY:
	case EV_EXIT:
	case EV_TAIL:
	case EV_ENTRY_EXIT:
	case EV_ENTRY_TAIL:
	case EV_MORESTACK:
		pass = func_event(g, e, &ch);
		break;
	case EV_STOP:
		ch.stack->stop_told = stop_event(g, e, &ch);
		pass = tell_around(g, e, &ch, ch.stack->stop_told);
		break;
	case EV_RESUME:
		pass = ch.stack->stop_told;
		break;
	case EV_UNWIND:
		pass = unwind_event(g, e, &ch);
		break;
	case EV_END: /* its stack is gone then */
		return end_event(g, ch.stack);
	case EV_CREATE:
		pass = create_event(g, e, &ch);
		break;
	case EV_STATE:
	case EV_WAKE:
		pass = gate_states_event(g, e, ch.stack);
		break;
	case EV_IMAGE:
		tell_last(g, before_ns < e->ts_ns ? before_ns : e->ts_ns);
		return true;
	case EV_RELEASED:
		return true;
	case EV_LOSS: /* while it is off, calls that are told of later are in doubt */
	case EV_WINDOW:
	case EV_SAMPLE:
		break;
	}
	gate_states_settle(g, e, &ch, pass);
	return pass;
}

/* What the last event gives rise to. */
static void emit_after(struct gate *g)
{
	for (unsigned i = 0; i < g->n_after; i++)
		gate_emit(g, &g->after[i]);
	g->n_after = 0;
}

static int on_event(void *ctx, const struct event_ext *ev)
{
	struct gate *g = ctx;

	gate_switch_until(g, ev->h.ts_ns);
	g->stats.events++;
	if (lets_through(g, &ev->h, ev->arg)) {
		g->stats.kept++;
		if (g->values && !g->err && !(g->err = gate_flush(g)))
			g->err = g->opt.next.values(g->opt.next.ctx, g->values);
		gate_emit(g, ev);
	}
	g->values = NULL;
	if (__builtin_expect(g->n_after, 0))
		emit_after(g);
	return g->err;
}

/* They go on with their event, or are left out with it. */
static int on_values(void *ctx, const struct trace_values *v)
{
	struct gate *g = ctx;

	g->values = v;
	return g->err;
}

/* It is handed on with those around it. */
static void hand_on(struct gate *g, const struct event *e)
{
	int err;

	g->stats.kept++;
	if (g->n_run && g->run + g->n_run != e) {
		err = gate_flush(g);
		g->err = g->err ? g->err : err;
	}
	if (!g->n_run)
		g->run = e;
	g->n_run++;
}

static int on_many(void *ctx, const struct event *ev, size_t n)
{
	static const uint64_t none[4];
	struct gate *g = ctx;
	int err;

	g->stats.events += n;
	for (size_t i = 0; i < n && !g->err; i++) {
		gate_switch_until(g, ev[i].ts_ns);
		if (lets_through(g, &ev[i], none))
			hand_on(g, &ev[i]);
		if (__builtin_expect(g->n_after, 0))
			emit_after(g);
	}
	err = gate_flush(g);
	return g->err ? g->err : err;
}

/* ---- life */

static int on_round(void *ctx, uint64_t now_ns)
{
	struct gate *g = ctx;

	gate_switch_until(g, now_ns);
	/* Where ends of goroutines are not seen, those that are idle are forgotten. */
	if (g->open.goroutines.n > g->sweep_at) {
		open_calls_sweep(&g->open, now_ns > IDLE_NS ? now_ns - IDLE_NS : 0);
		g->sweep_at = 2 * g->open.goroutines.n + SWEEP_FROM;
	}
	if (!g->err && g->opt.next.round)
		g->err = g->opt.next.round(g->opt.next.ctx, now_ns);
	return g->err;
}

static int on_finish(void *ctx, struct trace_info *end)
{
	struct gate *g = ctx;
	int err = 0;

	gate_tell_all_left_out(g, g->last_ns);
	tell_last(g, g->last_ns);
	take_back_stopped(g);
	err = g->err;
	if (!err && g->opt.next.finish)
		err = g->opt.next.finish(g->opt.next.ctx, end);
	if (!err)
		err = trace_info_setf(end, KEY_END_KEPT, "%" PRIu64, g->stats.kept);
	if (!err && g->trigger)
		err = trace_info_setf(end, KEY_END_TRIGGER_SEEN, "%" PRIu64, g->stats.seen);
	if (!err && g->trigger)
		err = trace_info_setf(end, KEY_END_TRIGGER_KEPT, "%" PRIu64, g->stats.chosen);
	return err;
}

struct trace_sink gate_sink(struct gate *g)
{
	return (struct trace_sink){
		.event = on_event,
		.many = on_many,
		.values = g->opt.next.values ? on_values : NULL,
		.round = on_round,
		.finish = on_finish,
		.ctx = g,
	};
}

struct gate *gate_new(const struct gate_options *opt)
{
	struct gate *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->opt = *opt;
	g->sweep_at = SWEEP_FROM;
	g->stats.on = !opt->off;
	g->stats.windows = g->stats.on;
	g->open.ended = ended;
	g->open.ended_flags = OPEN_TOLD | OPEN_OUTER;
	g->open.ctx = g;
	int err = open_calls_init(&g->open, opt->info);

	if (!err && opt->trigger) {
		g->trigger = calloc(opt->info->n_funcs + 1, sizeof(*g->trigger));
		err = g->trigger ? 0 : -ENOMEM;
		if (!err)
			memcpy(g->trigger, opt->trigger, opt->info->n_funcs * sizeof(*g->trigger));
	}
	if (!err)
		return g;
	gate_free(g);
	errno = -err;
	return NULL;
}

void gate_free(struct gate *g)
{
	if (!g)
		return;
	open_calls_free(&g->open);
	free(g->trigger);
	free(g);
}

struct gate_stats gate_stats(const struct gate *g)
{
	return g->stats;
}
