// SPDX-License-Identifier: BSD-2-Clause
/*
 * Functions that are not recorded any more from some moment on. A call of one that is open then has
 * run for as long as the calls in it that are open, too: it ends with them, or at once. From there
 * on its time is its caller's.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/model_internal.h"

/* Does frame i end by an event of func that will not come? Asked from the top down. */
static bool waits_for(const struct stack *s, size_t i, uint32_t func)
{
	const struct frame *f = &s->frames[i], *above = i + 1 < s->n ? f + 1 : NULL;

	if (!(f->flags & FRAME_TAILED))
		return f->func == func;
	/* What it jumped to may have jumped on: the last one's exit is theirs. */
	return above && above->depth == f->depth ? above->flags & FRAME_RELEASED
						 : f->target == func;
}

static int release_on(struct model *m, struct stack *s, uint32_t func, uint64_t ts_ns)
{
	size_t n = m->n_released_open;

	if (s->stop.active && s->stop.func == func)
		s->stop.func = STOP_UNPROBED;
	for (size_t i = s->n; i-- > 0;)
		if (!(s->frames[i].flags & FRAME_RELEASED) && waits_for(s, i, func)) {
			s->frames[i].flags |= FRAME_RELEASED;
			m->n_released_open++;
		}
	if (n == m->n_released_open || !(top(s)->flags & FRAME_RELEASED))
		return 0;
	prologue_stop_settle(m, s, ts_ns);
	m->n_released_open--;
	return call_pop_for(m, s, ts_ns, CALL_UNFINISHED);
}

static int release_table(struct model *m, struct stack_table *t, uint32_t func, uint64_t ts_ns)
{
	int err = 0;

	for (size_t i = 0; i < t->n && !err; i++)
		err = release_on(m, t->stacks[i], func, ts_ns);
	return err;
}

int release_apply(struct model *m, const struct event *e)
{
	uint32_t func = e->site < m->n_sites ? m->sites[e->site].func : TRACE_NONE;
	int err;

	if (func == TRACE_NONE || is_released(m, func)) {
		m->totals.bad_events++;
		return 0;
	}
	if (!m->released_ns)
		m->released_ns = calloc(m->n_funcs, sizeof(*m->released_ns));
	if (!m->released_ns)
		return -ENOMEM;
	err = release_table(m, &m->goroutines, func, e->ts_ns);
	if (!err)
		err = release_table(m, &m->threads, func, e->ts_ns);
	m->released_ns[func] = e->ts_ns ? e->ts_ns : 1;
	m->totals.released++;
	return err;
}

/* The time was the caller's, and that of all above it, before: their totals stay. */
uint64_t model_give(struct model *m, uint32_t path, uint64_t ns)
{
	struct path_node *to = &m->paths.nodes[path], *from = &m->paths.nodes[to->parent];
	const uint64_t room = from->stats.self_ns - off_times_sum(&from->stats.off_self);

	if (!path || to->go_edge || from->func >= m->n_funcs || to->func >= m->n_funcs)
		return 0;
	ns = ns < room ? ns : room;
	from->stats.self_ns -= ns;
	m->funcs[from->func].self_ns -= ns;
	to->stats.self_ns += ns;
	to->stats.total_ns += ns;
	to->stats.sampled_ns += ns;
	m->funcs[to->func].self_ns += ns;
	m->funcs[to->func].sampled_ns += ns;
	if (m->paths.hot[path].outermost)
		m->funcs[to->func].total_ns += ns;
	return ns;
}

uint64_t model_released_ns(const struct model *m, uint32_t func)
{
	func = paths_plain(&m->paths, func);
	return is_released(m, func) ? m->released_ns[func] : 0;
}
