// SPDX-License-Identifier: BSD-2-Clause
/* Calls that act for their callers, as parts of these. */
#include <errno.h>
#include <stdlib.h>

#include "model/model_internal.h"

static void take(uint64_t *from, uint64_t ns)
{
	*from -= ns < *from ? ns : *from;
}

/* What is its own, and becomes its caller's. */
static void add_own(struct call_stats *to, const struct call_stats *from)
{
	to->self_ns += from->self_ns;
	off_times_add(&to->off_self, &from->off_self);
	to->morestack_ns += from->morestack_ns;
	to->morestack_count += from->morestack_count;
	to->preempt_ns += from->preempt_ns;
	to->preempt_count += from->preempt_count;
	to->declined_count += from->declined_count;
	to->probe_ns += from->probe_ns;
	to->off_probe_ns += from->off_probe_ns;
	to->ready_probe_ns += from->ready_probe_ns;
	to->uncertainty_ns += from->uncertainty_ns;
	to->run_chance_ns += from->run_chance_ns;
	to->run_bias_ns += from->run_bias_ns;
	to->cost_ns += from->cost_ns;
	to->sampled_ns += from->sampled_ns;
}

static void take_off(struct off_times *from, const struct off_times *ns)
{
	take(&from->runnable_ns, ns->runnable_ns);
	take(&from->wait_ns, ns->wait_ns);
	take(&from->syscall_ns, ns->syscall_ns);
	take(&from->unknown_ns, ns->unknown_ns);
	take(&from->off_cpu_ns, ns->off_cpu_ns);
}

/* All of a path's calls; their totals only where the function's total has them. */
static void take_calls(struct call_stats *from, const struct call_stats *st, bool total)
{
	uint64_t *const at[] = {
		&from->calls,          &from->finished,      &from->unfinished,
		&from->unwound,        &from->suspect,       &from->self_ns,
		&from->sum_ns,         &from->morestack_ns,  &from->morestack_count,
		&from->preempt_ns,     &from->preempt_count, &from->declined_count,
		&from->probe_ns,       &from->off_probe_ns,  &from->cost_ns,
		&from->uncertainty_ns, &from->sampled_ns,    &from->begun_before,
		&from->ready_probe_ns, &from->run_chance_ns, &from->run_bias_ns
	};
	const uint64_t ns[] = { st->calls,          st->finished,      st->unfinished,
				st->unwound,        st->suspect,       st->self_ns,
				st->sum_ns,         st->morestack_ns,  st->morestack_count,
				st->preempt_ns,     st->preempt_count, st->declined_count,
				st->probe_ns,       st->off_probe_ns,  st->cost_ns,
				st->uncertainty_ns, st->sampled_ns,    st->begun_before,
				st->ready_probe_ns, st->run_chance_ns, st->run_bias_ns };

	_Static_assert(sizeof(at) / sizeof(at[0]) == sizeof(ns) / sizeof(ns[0]), "pairs");
	for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++)
		take(at[i], ns[i]);
	take_off(&from->off_self, &st->off_self);
	if (!total)
		return;
	take(&from->total_ns, st->total_ns);
	take(&from->inside_ns, st->inside_ns);
	take(&from->off_inside_ns, st->off_inside_ns);
	take(&from->ready_inside_ns, st->ready_inside_ns);
	take(&from->left_out_ns, st->left_out_ns);
	take(&from->suspect_ns, st->suspect_ns);
	take_off(&from->off_total, &st->off_total);
}

static bool folds(const struct model *m, uint32_t i, const uint8_t *funcs)
{
	const struct path_node *x = &m->paths.nodes[i], *up = &m->paths.nodes[x->parent];

	return x->func < m->n_funcs && funcs[x->func] && x->parent && !x->go_edge &&
	       up->func < m->n_funcs && up->stats.calls;
}

static void fold(struct model *m, uint32_t i)
{
	struct path_node *x = &m->paths.nodes[i], *up = &m->paths.nodes[x->parent];

	add_own(&up->stats, &x->stats);
	add_own(&m->funcs[up->func], &x->stats);
	take_calls(&m->funcs[x->func], &x->stats, m->paths.hot[i].outermost);
	x->stats = (struct call_stats){ .hist = x->stats.hist };
	x->recursive = 0;
}

/* Waits of paths that are gone are those of the nearest one that is there. */
static int fold_waits(struct model *m, const uint8_t *gone)
{
	const size_t n = m->waits.n;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		const struct path_waits from = m->waits.all[i];
		struct path_waits to = from;

		if (from.path >= m->paths.n || !gone[from.path])
			continue;
		while (gone[to.path])
			to.path = m->paths.nodes[to.path].parent;
		to.func = m->paths.nodes[to.path].func;
		err = waits_add(&m->waits, &to);
		waits_take(&m->waits, &from, from.ns);
	}
	return err;
}

int model_fold(struct model *m, const uint8_t *funcs)
{
	const size_t n = m->paths.n;
	uint8_t *gone = calloc(n + 1, 1), *stays = calloc(n + 1, 1);
	int err = gone && stays ? 0 : -ENOMEM;

	/* Nodes come after their parents. */
	for (size_t i = n; !err && i-- > 1;) {
		gone[i] = !stays[i] && folds(m, (uint32_t)i, funcs);
		if (gone[i])
			fold(m, (uint32_t)i);
		else
			stays[m->paths.nodes[i].parent] = 1;
	}
	if (!err)
		err = fold_waits(m, gone);
	free(gone);
	free(stays);
	return err;
}
