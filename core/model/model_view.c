// SPDX-License-Identifier: BSD-2-Clause
/* What counts of a trace: some goroutines, the paths through some functions. */
#include <errno.h>
#include <stdlib.h>

#include "model/model_internal.h"

bool view_mutes_goid(const struct model *m, uint64_t goid)
{
	const struct model_view *v = m->opt.view;

	if (!v || !v->n_goids)
		return false;
	for (size_t i = 0; i < v->n_goids; i++)
		if (v->goids[i] == goid)
			return false;
	return true;
}

bool view_mutes(const struct model *m, const struct stack *s, const struct frame *f)
{
	/* On a system stack, what works for the goroutine. */
	bool other = s->system ? view_mutes_goid(m, f->label) : s->muted;

	return other || m->paths.hot[f->path].view & VIEW_MUTED;
}

int view_settle(struct model *m)
{
	const struct model_view *v = m->opt.view;
	bool anew = v && v->funcs;
	uint64_t *below_ns = anew ? calloc(m->paths.n, sizeof(*below_ns)) : NULL;
	struct off_times *off = anew ? calloc(m->paths.n, sizeof(*off)) : NULL;

	if (!v)
		return 0;
	if (anew && (!below_ns || !off)) {
		free(below_ns);
		free(off);
		return -ENOMEM;
	}
	m->totals.root_ns = 0;
	for (size_t i = 1; i < m->paths.n; i++) {
		const struct call_stats *st = &m->paths.nodes[i].stats;

		m->totals.root_ns += st->self_ns + st->morestack_ns + st->preempt_ns;
	}
	if (!anew)
		return 0;
	/* Nodes come after their parents. */
	for (size_t i = m->paths.n; i-- > 1;) {
		struct path_node *n = &m->paths.nodes[i];
		struct call_stats *st = &n->stats;

		st->total_ns = st->self_ns + st->morestack_ns + st->preempt_ns + below_ns[i];
		if (st->suspect_ns > st->total_ns)
			st->suspect_ns = st->total_ns;
		off_times_add(&off[i], &st->off_self);
		st->off_total = off[i];
		if (!n->go_edge) {
			below_ns[n->parent] += st->total_ns;
			off_times_add(&off[n->parent], &off[i]);
		}
	}
	free(off);
	free(below_ns);
	return 0;
}
