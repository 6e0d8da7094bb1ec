// SPDX-License-Identifier: BSD-2-Clause
/* Events that were lost, or not recorded: which calls may be over, whose state is not known. */
#include "keep/open_stacks.h"
#include "keep/open_states.h"

static void doubt(struct open_stacks *t, const uint64_t *goid, bool system)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->all[i]->n; k++)
			if (!goid || *goid == (system ? t->all[i]->calls[k].label : t->all[i]->id))
				t->all[i]->calls[k].flags |= OPEN_DOUBT;
}

int open_losses_apply(struct open_calls *o, const struct event *e, uint64_t last_ns)
{
	struct open_stack *s;

	if (e->flags & EVF_ALL) {
		doubt(&o->goroutines, NULL, false);
		doubt(&o->threads, NULL, true);
	} else {
		doubt(&o->threads, &e->goid, true);
		s = open_stacks_find(&o->goroutines, e->goid);
		for (size_t k = 0; s && k < s->n; k++)
			s->calls[k].flags |= OPEN_DOUBT;
	}
	return open_states_lose(o, e, last_ns > e->ts_ns ? last_ns : e->ts_ns);
}

void open_calls_forget(struct open_calls *o)
{
	for (int system = 0; system < 2; system++)
		for (size_t i = 0; i < open_table(o, system)->n; i++) {
			open_table(o, system)->all[i]->n = 0;
			open_table(o, system)->all[i]->ahead.active = false;
		}
	o->n_released_open = 0;
	open_states_forget(o);
}
