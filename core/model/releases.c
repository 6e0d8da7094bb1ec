// SPDX-License-Identifier: BSD-2-Clause
/* Functions that are not recorded any more from some moment on: their time is their callers'. */
#include "model/model_internal.h"

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

uint32_t model_plain_func(const struct model *m, uint32_t func)
{
	return paths_plain(&m->paths, func);
}

uint64_t model_released_ns(const struct model *m, uint32_t func)
{
	func = paths_plain(&m->paths, func);
	return pair_is_released(&m->pair, func) ? m->pair.released_ns[func] : 0;
}
