// SPDX-License-Identifier: BSD-2-Clause
#include "report/sure_first.h"

#include <string.h>

#include "analysis/calls/correction.h"

bool sure_first(size_t *rows, size_t n, const struct call_stats *funcs)
{
	uint64_t all_ns = 0, above_ns = 0;
	size_t i = 0;

	for (size_t k = 0; k < n; k++)
		all_ns += funcs[rows[k]].self_ns;
	while (i < n && correction_doubtful(&funcs[rows[i]]))
		above_ns += funcs[rows[i++]].self_ns;
	if (i && (i == n || !funcs[rows[i]].total_ns ||
		  correction_hides(above_ns, funcs[rows[i]].self_ns, all_ns)))
		return false;
	if (i) {
		size_t sure = rows[i];

		memmove(rows + 1, rows, i * sizeof(*rows));
		rows[0] = sure;
	}
	return true;
}
