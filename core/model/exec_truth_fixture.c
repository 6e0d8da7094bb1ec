// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "base/vec.h"
#include "model/exec_sim_fixture.h"

uint32_t truth_node(struct sim *s, uint32_t parent, uint32_t func, bool go, uint64_t pc)
{
	struct exec *x = s->x;

	for (uint32_t i = 1; i < x->n_nodes; i++)
		if (x->nodes[i].parent == parent && x->nodes[i].func == func &&
		    x->nodes[i].go_edge == go && x->nodes[i].go_pc == pc)
			return i;
	if (go) /* a creation that is on its own chain already */
		for (uint32_t up = parent; up; up = x->nodes[up].parent)
			if (x->nodes[up].go_edge && x->nodes[up].go_pc == pc &&
			    x->nodes[up].func == func)
				return up;
	if (!s->err)
		s->err = vec_reserve(&x->nodes, &x->cap_nodes, x->n_nodes + 1);
	if (s->err)
		return 0;
	x->nodes[x->n_nodes] =
		(struct exec_node){ .parent = parent, .func = func, .go_edge = go, .go_pc = pc };
	return (uint32_t)x->n_nodes++;
}

/* A sequence of functions that comes twice in a row at the end is there once; one function, too. */
static unsigned drop_repeats(uint32_t *funcs, unsigned n)
{
	for (unsigned len = 1; len <= 32 && 2 * len <= n; len++)
		if (!memcmp(funcs + n - len, funcs + n - 2 * len, len * sizeof(*funcs)))
			return n - len;
	return n;
}

/* The path of a call of func on top of g, from all functions that are open there. */
static uint32_t path_of(struct sim *s, const struct goroutine *g, uint32_t func)
{
	uint32_t funcs[MAX_OPEN + 1], node;
	unsigned n = 0;

	for (unsigned i = 0; i < g->n; i++) {
		funcs[n++] = s->x->calls[g->open[i]].func;
		n = drop_repeats(funcs, n);
	}
	funcs[n++] = func;
	n = drop_repeats(funcs, n);
	node = truth_node(s, g->root, funcs[0], g->go_edge, g->go_pc);
	for (unsigned i = 1; i < n; i++)
		node = truth_node(s, node, funcs[i], false, 0);
	return node;
}

void truth_pass(struct exec *x, uint32_t node, uint64_t ns)
{
	for (; node; node = x->nodes[node].go_edge ? 0 : x->nodes[node].parent)
		x->nodes[node].total_ns += ns;
}

void truth_begin(struct sim *s, struct goroutine *g, uint32_t func, uint32_t depth)
{
	struct exec *x = s->x;

	if (!s->err)
		s->err = vec_reserve(&x->calls, &x->cap_calls, x->n_calls + 1);
	if (s->err)
		return;
	struct exec_call *c = &x->calls[x->n_calls],
			 *below = g->n ? &x->calls[g->open[g->n - 1]] : NULL;

	*c = (struct exec_call){ .stack = g->id,
				 .goid = g->system ? g->label : g->id,
				 .system = g->system,
				 .func = func,
				 .level = g->n,
				 .start_ns = s->now,
				 .open = true,
				 .in_place = below && g->tailed[g->n - 1],
				 .parent = below ? below - x->calls : -1 };
	c->node = path_of(s, g, func);
	c->folded = below && x->nodes[c->node].parent != below->node;
	g->open[g->n] = x->n_calls++;
	g->depth[g->n] = depth;
	g->tailed[g->n] = false;
	g->n++;
}

void truth_finish(struct sim *s, struct goroutine *g, uint64_t ts_ns, enum call_end end)
{
	struct exec *x = s->x;
	struct exec_call *c = &x->calls[g->open[--g->n]];

	c->end_ns = ts_ns;
	truth_pass(x, c->node, ts_ns - c->start_ns - c->child_ns);
	c->end = end;
	c->open = false;
	c->suspect = end == CALL_INFERRED;
	if (c->parent >= 0)
		x->calls[c->parent].child_ns += ts_ns - c->start_ns;
	else
		x->root_ns += ts_ns - c->start_ns;
}

/* The top call has returned or jumped away: so have those that jumped to it. */
void truth_finish_chain(struct sim *s, struct goroutine *g, enum call_end end)
{
	truth_finish(s, g, s->now, end);
	while (g->n && g->tailed[g->n - 1])
		truth_finish(s, g, s->now, end);
}

void truth_segment(struct sim *s, struct pending *p)
{
	uint64_t ns = s->now - p->from_ns;
	/* Without the global probes nothing tells yielding from growing. */
	uint64_t why = s->opt->global ? p->why : STOP_GROWTH;

	if (why == STOP_GROWTH) {
		p->growth_ns += ns;
		p->growths++;
	} else {
		p->preempt_ns += ns;
		p->preempts += why != STOP_DECLINED;
		p->declined += why == STOP_DECLINED;
	}
	p->from_ns = 0;
}

/* What held up the call on top belongs to it, and not to the call that `from` is. */
void truth_charge(struct sim *s, struct pending *p, uint32_t at, int64_t from)
{
	struct exec_node *n = &s->x->nodes[at];
	uint64_t ns = p->growth_ns + p->preempt_ns;

	n->growth_ns += p->growth_ns;
	n->growths += p->growths;
	n->preempt_ns += p->preempt_ns;
	n->preempts += p->preempts;
	n->declined += p->declined;
	if (from >= 0) {
		struct exec_call *c = &s->x->calls[from];

		c->child_ns += ns;
		/* A prologue that is held up is in the time of what is open already. */
		truth_pass(s->x, n->parent == c->node && !n->go_edge ? n->parent : at, ns);
	} else {
		s->x->root_ns += ns;
	}
	*p = (struct pending){ 0 };
}
