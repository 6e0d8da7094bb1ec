// SPDX-License-Identifier: BSD-2-Clause
/* Loss records: whose calls can no longer be trusted. */
#include <errno.h>

#include "model/model_internal.h"

static void suspect(struct stack *s, uint64_t until_ns)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->frames[i].start_ns <= until_ns)
			s->frames[i].flags |= FRAME_SUSPECT;
}

static void suspect_table(struct model *m, struct stack_table *t, uint64_t from_ns,
			  uint64_t until_ns)
{
	for (size_t i = 0; i < t->n; i++) {
		suspect(t->stacks[i], until_ns);
		states_forget(m, t->stacks[i], from_ns, true);
	}
}

/* Threads whose system stack works, or has open calls, for a goroutine. */
static void suspect_threads(struct model *m, uint64_t goid, uint64_t until_ns)
{
	for (size_t i = 0; i < m->threads.n; i++) {
		struct stack *s = m->threads.stacks[i];
		bool concerned = s->label == goid;

		for (size_t k = 0; !concerned && k < s->n; k++)
			concerned = s->frames[k].label == goid;
		if (concerned)
			suspect(s, until_ns);
	}
}

int loss_apply(struct model *m, const struct event *e, const uint64_t arg[4])
{
	uint64_t until_ns = arg[0] > e->ts_ns ? arg[0] : e->ts_ns;

	m->totals.loss_records++;
	m->totals.lost_events += arg[1];
	if (until_ns > m->totals.last_ns)
		m->totals.last_ns = until_ns; /* there was an event then */
	if (e->flags & EVF_ALL) {
		suspect_table(m, &m->goroutines, e->ts_ns, until_ns);
		suspect_table(m, &m->threads, e->ts_ns, until_ns);
		if (until_ns > m->lost_until_ns)
			m->lost_until_ns = until_ns;
		return 0;
	}
	if (until_ns > m->lost_one_until_ns)
		m->lost_one_until_ns = until_ns;
	suspect_threads(m, e->goid, until_ns);
	struct stack *s = stack_find(&m->goroutines, e->goid);

	/* A goroutine not met yet may begin inside the gap; one whose gap is over is not waited
	 * for. */
	if (!s && until_ns < m->totals.last_ns)
		return 0;
	if (!s)
		s = stack_get(m, false, e->goid, e->ts_ns);
	if (!s)
		return -errno;
	suspect(s, until_ns);
	states_forget(m, s, e->ts_ns, true);
	if (until_ns > s->lost_until_ns)
		s->lost_until_ns = until_ns;
	return 0;
}
