// SPDX-License-Identifier: BSD-2-Clause
#include "keep/open_calls.h"

#include <errno.h>
#include <stdlib.h>

#include "keep/open_stacks.h"
#include "keep/open_states.h"

/* a is further from the stack's base than b. */
static inline bool deeper(const struct open_stack *s, uint32_t a, uint32_t b)
{
	return s->system ? (int32_t)(a - b) > 0 : a > b;
}

static inline bool is_released(const struct open_calls *o, uint32_t func)
{
	return __builtin_expect(o->released != NULL, 0) && func < o->info->n_funcs &&
	       o->released[func];
}

/* ---- calls end */

/* What a reader of the trace ends by itself, as it does not see the calls above. */
static void told_released(struct open_stack *s)
{
	for (size_t i = s->n; i-- > 0;) {
		struct open_call *c = &s->calls[i];

		if (!(c->flags & OPEN_TOLD))
			continue;
		if (!(c->flags & OPEN_RELEASED))
			return;
		c->flags &= (uint16_t)~OPEN_TOLD;
	}
}

static void pop_one(struct open_calls *o, struct open_stack *s, uint64_t ts_ns, bool inferred,
		    struct open_change *ch)
{
	struct open_call *c = open_top(s);

	if (c->flags & o->ended_flags)
		o->ended(o->ctx, s, c, ts_ns, inferred);
	if (inferred && c->flags & OPEN_TOLD) {
		ch->over = true;
		ch->over_depth = c->depth;
	}
	if (__builtin_expect(c->flags & OPEN_RELEASED, 0))
		o->n_released_open--;
	s->n--;
	s->n_doubted = s->n_doubted < s->n ? s->n_doubted : s->n;
	if (s->n)
		s->calls[s->n - 1].flags |= OPEN_RAN;
}

static inline void pop(struct open_calls *o, struct open_stack *s, uint64_t ts_ns, bool inferred,
		       struct open_change *ch)
{
	pop_one(o, s, ts_ns, inferred, ch);
	if (__builtin_expect(!o->n_released_open, 1))
		return;
	told_released(s);
	while (s->n && open_top(s)->flags & OPEN_RELEASED)
		pop_one(o, s, ts_ns, false, ch);
}

static void pop_deeper(struct open_calls *o, struct open_stack *s, uint32_t depth, uint64_t ts_ns,
		       bool inferred, struct open_change *ch)
{
	while (s->n && deeper(s, open_top(s)->depth, depth)) {
		ch->own_told |= !inferred && open_top(s)->flags & OPEN_TOLD;
		pop(o, s, ts_ns, inferred, ch);
	}
}

static void pop_all(struct open_calls *o, struct open_stack *s, uint64_t ts_ns, bool inferred,
		    struct open_change *ch)
{
	while (s->n) {
		ch->own_told |= !inferred && open_top(s)->flags & OPEN_TOLD;
		pop(o, s, ts_ns, inferred, ch);
	}
}

/* ---- events of functions */

static void ran_after_all(struct open_call *c)
{
	if (c && c->flags & OPEN_STOPPED)
		c->flags = (uint16_t)((c->flags & ~OPEN_STOPPED) | OPEN_DOUBT);
}

static int push(struct open_calls *o, struct open_stack *s, const struct event *e, uint32_t func,
		struct open_change *ch)
{
	int err = __builtin_expect(s->n == s->cap, 0) ? open_stacks_grow(o, s) : 0;

	if (err)
		return err;
	ch->call = &s->calls[s->n++];
	*ch->call = (struct open_call){
		.start_ns = e->ts_ns,
		.label = e->goid,
		.depth = e->depth,
		.func = func,
		.target = TRACE_NONE,
		.tid = e->tid,
		.site = e->site,
		.flags = (e->flags & EVF_BEFORE ? OPEN_BEFORE : 0) |
			 (e->flags & EVF_DOUBT ? OPEN_DOUBT : 0),
	};
	o->any_call = true;
	return 0;
}

static int entry(struct open_calls *o, struct open_stack *s, const struct event *e, uint32_t func,
		 struct open_change *ch)
{
	struct open_call *c = open_top(s);

	if (__builtin_expect(!c || (deeper(s, e->depth, c->depth) && !(c->flags & OPEN_STOPPED)),
			     1))
		return push(o, s, e, func, ch);
	pop_deeper(o, s, e->depth, e->ts_ns, true, ch);
	c = open_top(s);
	if (c && c->depth == e->depth && c->flags & OPEN_STOPPED && c->func == func) {
		c->flags &= (uint16_t)~OPEN_STOPPED;
		c->start_ns = e->ts_ns;
		c->tid = e->tid;
		ch->call = c;
		ch->again = true;
		return 0;
	}
	while (c && c->depth == e->depth && !(c->flags & OPEN_TAILED && c->target == func)) {
		pop(o, s, e->ts_ns, true, ch);
		c = open_top(s);
	}
	ran_after_all(c);
	return push(o, s, e, func, ch);
}

static void pop_tailed(struct open_calls *o, struct open_stack *s, const struct event *e,
		       struct open_change *ch)
{
	while (s->n && open_top(s)->depth == e->depth && open_top(s)->flags & OPEN_TAILED) {
		ch->own_told |= !!(open_top(s)->flags & OPEN_TOLD);
		pop(o, s, e->ts_ns, false, ch);
	}
}

/* Makes the call of func at e's depth the top one, if it is there. */
static void seek(struct open_calls *o, struct open_stack *s, const struct event *e, uint32_t func,
		 struct open_change *ch)
{
	pop_deeper(o, s, e->depth, e->ts_ns, true, ch);
	struct open_call *c = open_top(s);

	ch->found = c && c->depth == e->depth && c->func == func && !(c->flags & OPEN_TAILED);
	if (ch->found) {
		ran_after_all(c);
		ch->own_told = c->flags & OPEN_TOLD;
	} else if (c && c->depth == e->depth && !(c->flags & OPEN_TAILED && c->target == func)) {
		pop(o, s, e->ts_ns, true, ch);
	}
}

static void leave(struct open_calls *o, struct open_stack *s, const struct event *e, uint32_t func,
		  struct open_change *ch)
{
	seek(o, s, e, func, ch);
	if (ch->found)
		pop(o, s, e->ts_ns, false, ch);
	pop_tailed(o, s, e, ch);
}

static void tail(struct open_calls *o, struct open_stack *s, const struct event *e,
		 const struct trace_site *site, struct open_change *ch)
{
	seek(o, s, e, site->func, ch);
	if (site->target >= o->info->n_funcs || is_released(o, site->target)) {
		if (ch->found)
			pop(o, s, e->ts_ns, false, ch);
		pop_tailed(o, s, e, ch);
		return;
	}
	struct open_call *c = open_top(s);

	if (!ch->found && !(c && c->depth == e->depth && c->flags & OPEN_TAILED))
		return;
	ch->own_told = c->flags & OPEN_TOLD;
	c->flags |= OPEN_TAILED;
	c->target = site->target;
	c->tail_site = e->site;
}

static void morestack(struct open_calls *o, struct open_stack *s, const struct event *e,
		      uint32_t func, struct open_change *ch)
{
	pop_deeper(o, s, e->depth, e->ts_ns, true, ch);
	struct open_call *c = open_top(s);

	if (!c || c->depth != e->depth || c->func != func || c->flags & OPEN_TAILED)
		return;
	if (c->flags & OPEN_RAN) {
		pop(o, s, e->ts_ns, true, ch);
		return;
	}
	ch->found = true;
	ch->own_told = c->flags & OPEN_TOLD;
	c->flags |= OPEN_STOPPED;
}

static int func_event(struct open_calls *o, const struct event *e, struct open_change *ch)
{
	const struct trace_info *info = o->info;
	const struct trace_site *site = e->site < info->n_sites ? &info->sites[e->site] : NULL;
	bool system = e->flags & EVF_SYSTEM;
	int err;

	if (!site || site->func >= info->n_funcs || is_released(o, site->func))
		return 0;
	struct open_stack *s = open_stacks_get(o, system, system ? e->tid : e->goid, e->ts_ns);

	if (!s)
		return -ENOMEM;
	ch->stack = s;
	ch->func = site->func;
	s->last_ns = e->ts_ns;
	ch->restated = open_states_own(o, s, e);
	switch (e->kind) {
	case EV_ENTRY:
		return entry(o, s, e, site->func, ch);
	case EV_EXIT:
		leave(o, s, e, site->func, ch);
		return 0;
	case EV_TAIL:
		tail(o, s, e, site, ch);
		return 0;
	case EV_MORESTACK:
		morestack(o, s, e, site->func, ch);
		return 0;
	default: /* its end is applied with open_calls_end */
		err = entry(o, s, e, site->func, ch);
		return err;
	}
}

void open_calls_end(struct open_calls *o, const struct event *e, struct open_change *ch)
{
	const struct trace_site *site = &o->info->sites[e->site];

	if (e->kind == EV_ENTRY_EXIT)
		leave(o, ch->stack, e, site->func, ch);
	else
		tail(o, ch->stack, e, site, ch);
}

/* ---- events of goroutines */

static void stop(struct open_calls *o, struct open_stack *s, const struct event *e, uint64_t pc,
		 struct open_change *ch)
{
	bool any = !pc || !o->ranges.n;
	uint32_t func = any ? TRACE_NONE : func_ranges_find(&o->ranges, pc);
	struct open_call *c;

	if (func != TRACE_NONE && is_released(o, func))
		func = TRACE_NONE;
	ch->func = func;
	pop_deeper(o, s, e->depth, e->ts_ns, true, ch);
	while ((c = open_top(s)) && c->depth == e->depth && !(c->flags & OPEN_STOPPED) &&
	       !(c->flags & OPEN_TAILED && (any || func == c->target)))
		pop(o, s, e->ts_ns, true, ch);
	if (c && c->depth == e->depth && c->flags & OPEN_STOPPED)
		ch->call = c;
}

static int goroutine_event(struct open_calls *o, const struct event *e, const uint64_t arg[4],
			   struct open_change *ch)
{
	struct open_stack *s = e->kind == EV_END ? open_stacks_find(&o->goroutines, e->goid)
						 : open_stacks_get(o, false, e->goid, e->ts_ns);

	if (!s)
		return e->kind == EV_END ? 0 : -ENOMEM;
	ch->stack = s;
	s->last_ns = e->ts_ns;
	if (e->kind != EV_END)
		ch->restated = open_states_own(o, s, e);
	if (e->kind == EV_END)
		pop_all(o, s, e->ts_ns, false, ch);
	else if (e->kind == EV_RESUME && o->states)
		ch->restated |= open_states_resume(s, arg[2], e->ts_ns);
	else if (e->kind == EV_UNWIND)
		pop_deeper(o, s, e->depth, e->ts_ns, false, ch);
	else if (e->kind == EV_STOP)
		stop(o, s, e, arg[0], ch);
	return 0;
}

static int create(struct open_calls *o, const struct event *e, const uint64_t arg[4],
		  struct open_change *ch)
{
	bool before = e->flags & EVF_BEFORE;
	struct open_stack *child = open_stacks_find(&o->goroutines, arg[0]);

	if (child && arg[0] != e->goid) { /* another goroutine's, its end was lost */
		pop_all(o, child, e->ts_ns, true, ch);
		ch->child_over = ch->over;
		ch->over = false;
		open_calls_drop(o, child);
	}
	if (e->goid && !before) {
		ch->stack = open_stacks_get(o, false, e->goid, e->ts_ns);
		if (!ch->stack)
			return -ENOMEM;
		ch->stack->last_ns = e->ts_ns;
		ch->restated = open_states_own(o, ch->stack, e);
	}
	child = ch->child = open_stacks_get(o, false, arg[0], e->ts_ns);
	if (!child)
		return -ENOMEM;
	child->created = true;
	child->creator = e->goid;
	child->create_pc = arg[1];
	child->start_pc = arg[2];
	child->last_ns = e->ts_ns;
	if (o->states && !before && arg[0] != e->goid)
		open_states_created(child, e->ts_ns);
	return 0;
}

/* ---- the rest */

/* As core/model/releases.c. */
static void release_on(struct open_calls *o, struct open_stack *s, uint32_t func, uint64_t ts_ns,
		       struct open_change *ch)
{
	if (s->ahead.active && s->ahead.func == func)
		s->ahead.active = false;
	for (size_t i = s->n; i-- > 0;) {
		struct open_call *c = &s->calls[i], *above = i + 1 < s->n ? c + 1 : NULL;
		bool waits = c->func == func;

		if (c->flags & OPEN_TAILED)
			waits = above && above->depth == c->depth ? above->flags & OPEN_RELEASED
								  : c->target == func;
		if (waits && !(c->flags & OPEN_RELEASED)) {
			c->flags |= OPEN_RELEASED;
			o->n_released_open++;
		}
	}
	if (o->n_released_open)
		told_released(s);
	while (s->n && open_top(s)->flags & OPEN_RELEASED)
		pop_one(o, s, ts_ns, false, ch);
}

static int release(struct open_calls *o, const struct event *e, struct open_change *ch)
{
	uint32_t func = e->site < o->info->n_sites ? o->info->sites[e->site].func : TRACE_NONE;

	if (func >= o->info->n_funcs || is_released(o, func))
		return 0;
	if (!o->released)
		o->released = calloc(o->info->n_funcs, sizeof(*o->released));
	if (!o->released)
		return -ENOMEM;
	for (int system = 0; system < 2; system++)
		for (size_t i = 0; i < open_table(o, system)->n; i++)
			release_on(o, open_table(o, system)->all[i], func, e->ts_ns, ch);
	o->released[func] = true;
	return 0;
}

static void window(struct open_calls *o, const struct event *e, const uint64_t arg[4],
		   struct open_change *ch)
{
	struct open_stack *s;

	if (arg[0] == WINDOW_OVER) {
		s = open_stacks_find(open_table(o, e->flags & EVF_SYSTEM),
				     e->flags & EVF_SYSTEM ? e->tid : e->goid);
		if (s)
			pop_deeper(o, s, e->depth, e->ts_ns, true, ch);
		while (s && s->n && open_top(s)->depth == e->depth)
			pop(o, s, e->ts_ns, true, ch);
	} else if (arg[0] == WINDOW_BEGIN || arg[0] == WINDOW_END) {
		open_calls_forget(o);
	}
}

int open_calls_apply(struct open_calls *o, const struct event *e, const uint64_t arg[4],
		     struct open_change *ch)
{
	*ch = (struct open_change){ .func = TRACE_NONE };
	o->n_events++;
	if (e->ts_ns > o->last_ns)
		o->last_ns = e->ts_ns;
	switch (e->kind) {
	case EV_ENTRY:
	case EV_EXIT:
	case EV_TAIL:
	case EV_ENTRY_EXIT:
	case EV_ENTRY_TAIL:
	case EV_MORESTACK:
		return func_event(o, e, ch);
	case EV_STOP:
	case EV_RESUME:
	case EV_END:
	case EV_UNWIND:
		return goroutine_event(o, e, arg, ch);
	case EV_CREATE:
		return create(o, e, arg, ch);
	case EV_LOSS:
		return open_losses_apply(o, e, arg[0]);
	case EV_IMAGE:
		open_states_image(o);
		if (o->image_seen || o->any_call)
			open_stacks_drop_all(o);
		o->image_seen = true;
		return 0;
	case EV_RELEASED:
		return release(o, e, ch);
	case EV_WINDOW:
		window(o, e, arg, ch);
		return 0;
	case EV_STATE:
	case EV_WAKE:
		return open_states_apply(o, e, &ch->stack);
	default:
		return 0;
	}
}
