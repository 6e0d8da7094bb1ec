// SPDX-License-Identifier: BSD-2-Clause
#include "keep/window_begin.h"

void window_begin_goroutine(const struct window_begin *t, const struct open_stack *s, uint32_t tid)
{
	const struct event_ext ev = { .h = { .ts_ns = t->ts_ns,
					     .goid = s->creator,
					     .tid = tid,
					     .kind = EV_CREATE,
					     .flags = EVF_BEFORE },
				      .arg = { s->id, s->create_pc, s->start_pc } };

	if (s->created && !s->system)
		t->emit(t->ctx, &ev);
}

void window_begin_call(const struct window_begin *t, const struct open_stack *s,
		       const struct open_call *c)
{
	struct event_ext ev = {
		.h = { .ts_ns = t->ts_ns,
		       .goid = s->system ? c->label : s->id,
		       .site = c->site,
		       .depth = c->depth,
		       .tid = c->tid,
		       .kind = EV_ENTRY,
		       .flags = (uint16_t)(EVF_BEFORE | (c->flags & PAIR_SUSPECT ? EVF_DOUBT : 0) |
					   (s->system ? EVF_SYSTEM : 0)) }
	};

	t->emit(t->ctx, &ev);
	if (!(c->flags & PAIR_TAILED))
		return;
	ev.h.kind = EV_TAIL;
	ev.h.site = c->tail_site;
	t->emit(t->ctx, &ev);
}

void window_begin_state(const struct window_begin *t, const struct open_stack *s, uint32_t tid)
{
	const bool lost = s->state_lost, off = STATE_OF(s->state) == STATE_OFF_CPU;
	struct event_ext ev = { .h = { .ts_ns = t->ts_ns,
				       .goid = s->id,
				       .site = TRACE_NONE,
				       .depth = s->state,
				       .tid = tid,
				       .kind = EV_STATE,
				       .flags = (uint16_t)(EVF_BEFORE | (lost ? EVF_DOUBT : 0)) } };

	if ((!s->state && !lost) || s->system)
		return;
	if (off && s->off_was) { /* what the thread's next switch gives back */
		ev.h.depth = s->off_was;
		t->emit(t->ctx, &ev);
	}
	ev.h.depth = s->state;
	ev.h.tid = off ? s->off_tid : tid;
	t->emit(t->ctx, &ev);
}

static void tell_stacks(const struct window_begin *t, const struct open_stacks *stacks)
{
	for (size_t i = 0; i < stacks->n; i++) {
		const struct open_stack *s = stacks->all[i];

		window_begin_goroutine(t, s, 0);
		for (size_t k = 0; k < s->n; k++)
			if (!(s->frames[k].flags & (PAIR_RELEASED | PAIR_STOPPED)))
				window_begin_call(t, s, &s->frames[k]);
		window_begin_state(t, s, 0);
	}
}

static void tell_released(const struct window_begin *t, const struct open_calls *o)
{
	const struct trace_info *info = o->info;
	struct event_ext ev = { .h = { .ts_ns = t->ts_ns, .kind = EV_RELEASED } };

	for (uint32_t func = 0; o->pair.released_ns && func < info->n_funcs; func++)
		for (uint32_t i = 0; o->pair.released_ns[func] && i < info->n_sites; i++)
			if (info->sites[i].func == func) {
				ev.h.site = i;
				t->emit(t->ctx, &ev);
				break;
			}
}

void window_begin_all(const struct window_begin *t, struct open_calls *o, uint32_t why)
{
	const struct event_ext ev = {
		.h = { .ts_ns = t->ts_ns, .kind = EV_WINDOW, .flags = EVF_ALL },
		.arg = { WINDOW_BEGIN, why }
	};

	t->emit(t->ctx, &ev);
	open_calls_settle(o);
	tell_released(t, o);
	tell_stacks(t, &o->goroutines);
	tell_stacks(t, &o->threads);
}
