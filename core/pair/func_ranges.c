// SPDX-License-Identifier: BSD-2-Clause
#include "pair/func_ranges.h"

#include <errno.h>
#include <stdlib.h>

#include "base/compare.h"

static int by_vaddr(const void *a, const void *b)
{
	const struct func_range *x = a, *y = b;

	return compare_u64(x->vaddr, y->vaddr);
}

int func_ranges_init(struct func_ranges *r, const struct trace_info *info)
{
	r->n = 0;
	r->of = calloc(info->n_funcs + 1, sizeof(*r->of));
	if (!r->of)
		return -ENOMEM;
	for (size_t i = 0; i < info->n_funcs; i++)
		if (info->funcs[i].vaddr && info->funcs[i].size)
			r->of[r->n++] = (struct func_range){ info->funcs[i].vaddr,
							     info->funcs[i].size, (uint32_t)i };
	qsort(r->of, r->n, sizeof(*r->of), by_vaddr);
	return 0;
}

uint32_t func_ranges_find(const struct func_ranges *r, uint64_t pc)
{
	size_t lo = 0, hi = r->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (r->of[mid].vaddr <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && pc - r->of[lo - 1].vaddr < r->of[lo - 1].size ? r->of[lo - 1].func
								   : TRACE_NONE;
}

void func_ranges_free(struct func_ranges *r)
{
	free(r->of);
	*r = (struct func_ranges){ 0 };
}
