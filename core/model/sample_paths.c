// SPDX-License-Identifier: BSD-2-Clause
/* Samples in the tree of paths: a stack is a path, a sample a call of its innermost function. */
#include "model/model_internal.h"

static void count(struct model_totals *t, const struct model_sample *s)
{
	if (!t->events || s->first_ns < t->first_ns)
		t->first_ns = t->from_ns = s->first_ns;
	if (s->last_ns > t->last_ns)
		t->last_ns = s->last_ns;
	t->events += s->samples;
	t->calls += s->samples;
	t->root_ns += s->weight_ns;
}

/* What it did where that was not to run; a part of the weight that is counted already. */
static int add_state(struct model *m, const struct model_sample *s, uint32_t node)
{
	const bool named = s->state == STATE_WAITING || (s->state == STATE_SYSCALL && s->reason);
	const struct path_waits w = { .path = node,
				      .func = s->n ? s->funcs[s->n - 1] : TRACE_NONE,
				      .reason = s->reason,
				      .ns = s->weight_ns,
				      .n = s->samples };

	m->totals.life_ns += s->weight_ns;
	if (s->state == STATE_RUNNING)
		return 0;
	*off_time(&m->totals.off, s->state) += s->weight_ns;
	*off_time(&m->paths.nodes[node].stats.off_self, s->state) += s->weight_ns;
	return named && node ? waits_add(&m->waits, &w) : 0;
}

int model_sample(struct model *m, const struct model_sample *s, uint32_t *path)
{
	uint32_t node = 0, depth = 1;
	struct path_node *n;

	m->next_order++;
	count(&m->totals, s);
	for (size_t i = 0; i < s->n; i++) {
		bool again = i && s->funcs[i] == s->funcs[i - 1];
		uint32_t below = node;
		int err = again ? 0 : paths_call(&m->paths, node, s->funcs[i], &below);

		if (err)
			return err;
		n = &m->paths.nodes[below];
		depth = again ? depth + 1 : 1;
		if (depth > n->max_recursion)
			n->max_recursion = depth;
		/* Once for each node: calls by turns are folded into those above, and below [other]
		 * nothing hangs. */
		if (m->paths.aux[below].sample != m->next_order) {
			m->paths.aux[below].sample = m->next_order;
			n->stats.samples += s->samples;
			n->stats.total_ns += s->weight_ns;
			if (s->state != STATE_RUNNING)
				*off_time(&n->stats.off_total, s->state) += s->weight_ns;
		}
		node = below;
	}
	n = &m->paths.nodes[node];
	n->stats.calls += s->samples;
	n->stats.self_ns += s->weight_ns;
	if (depth > 1)
		n->recursive += s->samples;
	if (path)
		*path = node;
	return m->states ? add_state(m, s, node) : 0;
}

void model_sample_error(struct model *m, bool of_func, size_t row, bool total, double square_ns2)
{
	struct call_stats *st = of_func ? &m->funcs[row] : &m->paths.nodes[row].stats;

	*(total ? &st->total_square_ns2 : &st->self_square_ns2) = square_ns2;
}
