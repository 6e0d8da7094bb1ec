// SPDX-License-Identifier: BSD-2-Clause
/* Events that were lost, or not recorded: which calls may be over, whose state is not known. */
#include <string.h>

#include "keep/open_stacks.h"
#include "keep/open_states.h"

/* As core/model/losses.c: so many steps to look for system stacks are free, and so many more for
 * each event. */
#define FREE_STEPS     (1u << 24)
#define STEPS_AN_EVENT 32

void open_calls_settle(struct open_calls *o)
{
	for (int system = 0; system < 2; system++)
		for (size_t i = 0; i < open_table(o, system)->n; i++)
			open_stacks_settle(open_table(o, system), open_table(o, system)->all[i]);
}

/* Applied to each stack when it is found next: walking them all, each time, takes the square. */
static void lose_all(struct open_stacks *t, uint64_t from_ns, bool states)
{
	t->losses++;
	t->lost_ns = from_ns;
	t->states_lost = states;
	memset(t->recent, 0, sizeof(t->recent));
}

/* What threads do for a goroutine; of any, where looking would take too long. */
static void doubt_threads(struct open_calls *o, const struct event *e)
{
	struct open_stacks *t = &o->threads;

	if (o->loss_steps > FREE_STEPS + STEPS_AN_EVENT * o->n_events) {
		lose_all(t, e->ts_ns, false);
		return;
	}
	o->loss_steps += t->n;
	for (size_t i = 0; i < t->n; i++) {
		struct open_stack *s = t->all[i];

		o->loss_steps += s->n - s->n_doubted;
		for (size_t k = s->n_doubted; k < s->n; k++)
			if (s->frames[k].label == e->goid)
				s->frames[k].flags |= PAIR_SUSPECT;
	}
}

int open_losses_apply(struct open_calls *o, const struct event *e, uint64_t last_ns)
{
	struct open_stack *s;

	if (e->flags & EVF_ALL) {
		lose_all(&o->goroutines, e->ts_ns, o->states);
		lose_all(&o->threads, e->ts_ns, false);
	} else {
		doubt_threads(o, e);
		s = open_stacks_find(&o->goroutines, e->goid);
		if (s)
			open_stacks_doubt(s);
	}
	return open_states_lose(o, e, last_ns > e->ts_ns ? last_ns : e->ts_ns);
}

void open_calls_forget(struct open_calls *o)
{
	for (int system = 0; system < 2; system++)
		for (size_t i = 0; i < open_table(o, system)->n; i++) {
			open_table(o, system)->all[i]->n = 0;
			open_table(o, system)->all[i]->n_doubted = 0;
			open_table(o, system)->all[i]->ahead.active = false;
		}
	o->pair.n_released_open = 0;
	open_states_forget(o);
}
