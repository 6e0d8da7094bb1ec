// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the recorder left out on purpose (EV_WINDOW): times in which nothing was recorded, events
 * within calls. Ends of calls: pair_over.
 */
#include <errno.h>

#include "model/model_internal.h"

static int end_table(struct model *m, struct stack_table *t, uint64_t ts_ns)
{
	int err = 0;
	size_t n;
	struct stack **all = stacks_since(t, SINCE_WINDOW, &n);

	for (size_t i = 0; i < n && !err; i++)
		err = pair_pop_all(m, all[i], ts_ns, CALL_UNFINISHED);
	for (size_t i = 0; i < n; i++)
		states_forget(m, all[i], ts_ns, false);
	return err;
}

/* What is open now will end unseen, or be told again. */
static int end_calls(struct model *m, uint64_t ts_ns)
{
	int err = end_table(m, &m->goroutines, ts_ns);

	return err ? err : end_table(m, &m->threads, ts_ns);
}

static int begin(struct model *m, uint64_t ts_ns, uint64_t why)
{
	struct model_totals *t = &m->totals;

	if (m->off_ns && ts_ns > m->off_ns)
		t->off_ns += ts_ns - m->off_ns;
	else if (!m->off_ns && !t->windows && !t->calls && ts_ns > t->first_ns)
		t->off_ns = ts_ns - t->first_ns; /* it was off from the start */
	if (!t->windows)
		t->window_why = why;
	t->windows++;
	m->off_ns = 0;
	return end_calls(m, ts_ns);
}

/* NULL: nothing is known of it. */
static struct stack *stack_of(struct model *m, const struct event *e)
{
	return e->flags & EVF_SYSTEM ? stack_find(&m->threads, e->tid)
				     : stack_find(&m->goroutines, e->goid);
}

static int left_out(struct model *m, const struct event *e, uint64_t n)
{
	unsigned how = EVF_HOW(e->flags) <= HOW_MAX ? EVF_HOW(e->flags) : HOW_UNKNOWN;
	struct stack *s = stack_of(m, e);

	m->totals.left_out += n;
	for (size_t i = s ? s->n : 0; i-- > 0;) {
		const struct frame *f = &s->frames[i];

		if (f->depth != e->depth)
			continue;
		if (f->flags & FRAME_MUTED)
			return 0;
		return path_events_add_many(&m->paths.events, f->path,
					    path_event_code(ROLE_INSIDE, how), n);
	}
	return 0;
}

int window_apply(struct model *m, const struct event *e, const uint64_t arg[4])
{
	int err;

	switch (arg[0]) {
	case WINDOW_BEGIN:
		return begin(m, e->ts_ns, arg[1]);
	case WINDOW_END:
		err = end_calls(m, e->ts_ns);
		m->off_ns = e->ts_ns;
		return err;
	case WINDOW_LEFT_OUT:
		return left_out(m, e, arg[1]);
	case WINDOW_HIT:
		m->totals.hits++;
		m->totals.hit_ns = e->ts_ns;
		m->totals.hit_took_ns = arg[1];
		m->totals.hit_goid = e->goid;
		m->totals.hit_func = pair_site(&m->pair, e->site).func;
		return 0;
	case WINDOW_UP_TO: /* which the time says */
		return 0;
	default:
		m->totals.bad_events++;
		return 0;
	}
}
