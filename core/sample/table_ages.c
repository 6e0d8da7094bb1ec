// SPDX-License-Identifier: BSD-2-Clause
#include "sample/table_ages.h"

#include <stdlib.h>

#include "base/compare.h"

static int used_first(const void *x, const void *y)
{
	const struct table_age *a = x, *b = y;

	return compare_u64(a->used, b->used);
}

size_t table_ages_choose(struct table_age *a, size_t n, uint64_t rows, size_t places)
{
	uint64_t given = 0;
	size_t k = 0;

	if (n)
		qsort(a, n, sizeof(*a), used_first);
	while (k < n && (given < rows || k < places))
		given += a[k++].rows;
	return given < rows || k < places ? 0 : k;
}
