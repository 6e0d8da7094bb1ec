// SPDX-License-Identifier: BSD-2-Clause
/* States of goroutines: which of them the gate lets through, and what it says of the others. */
#include "keep/gate_internal.h"
#include "keep/open_states.h"
#include "keep/window_begin.h"

static void emit_after(void *ctx, const struct event_ext *ev)
{
	struct gate *g = ctx;

	if (g->n_after < sizeof(g->after) / sizeof(g->after[0]))
		g->after[g->n_after++] = *ev;
}

static bool is_in(const struct gate *g, const struct open_stack *s)
{
	return g->stats.on && gate_goroutine_state(g, s) == OPEN_KEPT;
}

/* Does a reader know what the gate knows? One that runs tells it by itself, where none is lost. */
static bool tells_itself(const struct gate *g, const struct open_stack *s)
{
	return s->state == STATE_RUNNING && !g->open.lost_until_ns && !g->open.lost_one_until_ns;
}

/* A reader that knows the state of s goes on knowing it until an event of s is left out that tells
 * of another one: then it is unknown, or told if s is inside of what is recorded. */
void gate_states_settle_slow(struct gate *g, const struct event *e, const struct open_change *ch,
			     bool pass)
{
	struct open_stack *s = ch->stack;
	const struct window_begin t = { emit_after, g, e->ts_ns };
	const bool known = !g->trigger || s->states_told,
		   of_state = e->kind == EV_STATE || e->kind == EV_WAKE;

	if (s->system || !g->stats.on)
		return;
	if (is_in(g, s)) {
		if (known ? ch->restated && !pass : !tells_itself(g, s))
			window_begin_state(&t, s, e->tid);
		s->states_told = true;
	} else if (known && !pass && (ch->restated || of_state)) {
		emit_after(g, &(struct event_ext){ .h = { .ts_ns = e->ts_ns,
							  .goid = s->id,
							  .site = TRACE_NONE,
							  .depth = STATE_UNKNOWN,
							  .tid = e->tid,
							  .kind = EV_STATE } });
		s->states_told = false;
	}
}

void gate_states_begin(struct gate *g, struct open_stack *s, uint64_t ts_ns)
{
	const struct event at = { .ts_ns = ts_ns };
	const struct window_begin t = { gate_emit_event, g, ts_ns };

	if (!g->open.states || s->system || !is_in(g, s))
		return;
	s->states_told = true;
	if (!s->state && !s->state_lost)
		return;
	if (!s->told)
		gate_tell_goroutine(g, s, &at);
	window_begin_state(&t, s, 0);
}

/* The call that the goroutine of a wake is in, if it is not in the trace; NULL: it is, or there is
 * none. */
static const struct open_call *left_out_waker(struct gate *g, const struct event *e)
{
	const struct open_stack *s = e->goid ? open_calls_find(&g->open, false, e->goid) : NULL;
	size_t n = s ? s->n : 0;

	if (n && s->frames[n - 1].flags & PAIR_STOPPED)
		n--;
	return n && !(s->frames[n - 1].flags & OPEN_TOLD) ? &s->frames[n - 1] : NULL;
}

bool gate_states_event(struct gate *g, const struct event *e, struct open_stack *of)
{
	const struct open_call *by;

	if (!of) /* a switch of a goroutine of which nothing is known */
		return g->stats.on && !g->trigger;
	if (!is_in(g, of))
		return false;
	if (!of->told)
		gate_tell_goroutine(g, of, e);
	by = e->kind == EV_WAKE ? left_out_waker(g, e) : NULL;
	if (!by)
		return true;
	struct event_ext wake = { .h = *e };

	wake.h.site = by->site;
	g->stats.kept++;
	gate_emit(g, &wake);
	return false;
}
