// SPDX-License-Identifier: BSD-2-Clause
#include "pair/pair.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t known(const struct pairing *p, uint32_t func)
{
	return func < p->n_funcs ? func : TRACE_NONE;
}

int pair_init(struct pairing *p, const struct trace_info *info)
{
	p->n_sites = info->n_sites;
	p->n_funcs = info->n_funcs;
	p->sites = calloc(info->n_sites + 1, sizeof(*p->sites));
	if (!p->sites)
		return -ENOMEM;
	for (size_t i = 0; i < info->n_sites; i++)
		p->sites[i] = (struct pair_site){ known(p, info->sites[i].func),
						  known(p, info->sites[i].target) };
	return func_ranges_init(&p->ranges, info);
}

void pair_free(struct pairing *p)
{
	free(p->sites);
	free(p->released_ns);
	func_ranges_free(&p->ranges);
	*p = (struct pairing){ 0 };
}

int pair_set_released(struct pairing *p, uint32_t func, uint64_t ts_ns)
{
	if (!p->released_ns)
		p->released_ns = calloc(p->n_funcs, sizeof(*p->released_ns));
	if (!p->released_ns)
		return -ENOMEM;
	p->released_ns[func] = ts_ns ? ts_ns : 1;
	return 0;
}

uint32_t pair_stop_func(const struct pairing *p, uint64_t pc)
{
	if (!pc || !p->ranges.n)
		return STOP_ANY;
	uint32_t func = func_ranges_find(&p->ranges, pc);

	return func == TRACE_NONE || pair_is_released(p, func) ? STOP_UNPROBED : func;
}
