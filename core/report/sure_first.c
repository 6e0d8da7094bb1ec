// SPDX-License-Identifier: BSD-2-Clause
#include "report/sure_first.h"

#include <string.h>

#include "analysis/calls/correction.h"

bool sure_first(size_t *rows, size_t n, const struct call_stats *funcs)
{
	size_t i = 0;

	while (i < n && correction_doubtful(&funcs[rows[i]]))
		i++;
	if (i && (i == n || !funcs[rows[i]].total_ns))
		return false;
	if (i) {
		size_t sure = rows[i];

		memmove(rows + 1, rows, i * sizeof(*rows));
		rows[0] = sure;
	}
	return true;
}
