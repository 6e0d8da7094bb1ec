// SPDX-License-Identifier: BSD-2-Clause
/* Loss records: whose calls can no longer be trusted. */
#include <errno.h>

#include "model/losses.h"
#include "model/model_internal.h"

/* So many steps to look for system stacks are free, and so many more for each event. */
#define FREE_STEPS     (1u << 24)
#define STEPS_AN_EVENT 32

/* The state of no goroutine is known any more: those of which none was are passed over. */
static void forget_all(struct model *m, uint64_t from_ns)
{
	size_t n;
	struct stack **all = stacks_since(&m->goroutines, SINCE_LOSS, &n);

	for (size_t i = 0; i < n; i++)
		states_forget(m, all[i], from_ns, true);
}

/* Threads whose system stack works, or has open calls, for a goroutine; all of them, where looking
 * would take the square of what the trace has. */
static void suspect_threads(struct model *m, uint64_t goid)
{
	if (m->loss_steps > FREE_STEPS + STEPS_AN_EVENT * m->totals.events) {
		m->doubt_order = m->next_order;
		return;
	}
	m->loss_steps += m->threads.n;
	for (size_t i = 0; i < m->threads.n; i++) {
		struct stack *s = m->threads.all[i];
		bool concerned = s->label == goid;
		size_t k = 0;

		for (; !concerned && k < s->n; k++)
			concerned = s->frames[k].label == goid;
		m->loss_steps += k;
		if (concerned)
			s->doubt_order = m->next_order;
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
		if (m->states)
			forget_all(m, e->ts_ns);
		if (until_ns > m->lost_until_ns)
			m->lost_until_ns = until_ns;
		return 0;
	}
	if (until_ns > m->lost_one_until_ns)
		m->lost_one_until_ns = until_ns;
	suspect_threads(m, e->goid);
	struct stack *s = stack_find(&m->goroutines, e->goid);

	/* A goroutine not met yet may begin inside the gap; one whose gap is over is not waited
	 * for. */
	if (!s && until_ns < m->totals.last_ns)
		return 0;
	if (!s)
		s = stack_get(m, false, e->goid, e->ts_ns);
	if (!s)
		return -errno;
	states_forget(m, s, e->ts_ns, true);
	if (until_ns > s->lost_until_ns)
		s->lost_until_ns = until_ns;
	return 0;
}
