// SPDX-License-Identifier: BSD-2-Clause
/* Which calls the gate lets through. */
#include "keep/gate_internal.h"

/* Every group of one_in calls has one that is kept, the first group its first: where programs do
 * things in turn, always the same place would keep always the same thing. */
static bool choose(struct gate *g)
{
	uint64_t n = g->opt.one_in;
	bool kept;

	if (n <= 1)
		return true;
	if (!g->place) {
		g->random = g->random * 6364136223846793005u + 1442695040888963407u;
		g->pick = g->random_used ? (g->random >> 33) % n : 0;
		g->random_used = true;
	}
	kept = g->place == g->pick;
	g->place = g->place + 1 == n ? 0 : g->place + 1;
	return kept;
}

uint8_t gate_outermost(struct gate *g)
{
	bool kept = choose(g);

	g->stats.seen += g->stats.on;
	g->stats.chosen += g->stats.on && kept;
	return kept ? OPEN_KEPT : OPEN_SKIP;
}

/* It was no call after all. */
void gate_take_back(struct gate *g, uint8_t state)
{
	if (!g->stats.on || !g->stats.seen)
		return;
	g->stats.seen--;
	g->stats.chosen -= state == OPEN_KEPT && g->stats.chosen;
}

uint8_t gate_goroutine_state(const struct gate *g, const struct open_stack *s)
{
	if (!g->trigger)
		return OPEN_KEPT;
	if (!s)
		return OPEN_OUT;
	/* A call has not begun whose prologue is stopped. */
	size_t n = s->n && s->frames[s->n - 1].flags & PAIR_STOPPED ? s->n - 1 : s->n;

	return n ? s->frames[n - 1].state : s->base;
}

/* What a call on s inherits from what is below it. */
uint8_t gate_inherited(struct gate *g, const struct open_stack *s, const struct open_call *below,
		       uint64_t goid)
{
	if (below)
		return below->state;
	if (s->system)
		return gate_goroutine_state(g, open_calls_find(&g->open, false, goid));
	return g->trigger ? s->base : OPEN_KEPT;
}

bool gate_level_kept(const struct gate *g, uint32_t level)
{
	return !g->opt.depth || level <= g->opt.depth;
}

/* A call that another jumped to is in its place. */
uint32_t gate_level_of(const struct open_call *below, uint32_t depth)
{
	return below && below->state == OPEN_KEPT ? below->level + (below->depth != depth) : 1;
}

void gate_forget_ahead(struct gate *g, struct open_stack *s)
{
	if (s->ahead.active)
		gate_take_back(g, s->ahead.state);
	s->ahead.active = false;
}

/* Is the call that has begun recorded? */
void gate_place(struct gate *g, struct open_stack *s, struct open_call *c)
{
	struct open_call *below = c > s->frames ? c - 1 : NULL;

	c->state = gate_inherited(g, s, below, c->label);
	c->level = gate_level_of(below, c->depth);
	if (g->trigger && c->state == OPEN_OUT && g->trigger[c->func]) {
		bool decided = s->ahead.active && s->ahead.func == c->func &&
			       s->ahead.depth == c->depth;

		if (!decided)
			gate_forget_ahead(g, s);
		c->state = decided ? s->ahead.state : gate_outermost(g);
		s->ahead.active = false;
		c->flags |= OPEN_OUTER;
	}
	c->under = below && below->state == OPEN_KEPT ? below->under : NO_CALL;
	if (g->stats.on && c->state == OPEN_KEPT && gate_level_kept(g, c->level)) {
		c->flags |= OPEN_TOLD;
		c->under = (uint32_t)(c - s->frames);
	}
}
