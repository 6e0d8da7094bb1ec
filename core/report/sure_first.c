// SPDX-License-Identifier: BSD-2-Clause
/* What is not certain never stands first. */
#include <string.h>

#include "analysis/correction.h"
#include "report/rows.h"

/* Is what the rows are sorted by a time that the correction has made? */
static bool sorts_by_corrected(enum report_sort sort)
{
	return sort == SORT_DEFAULT || sort == SORT_SELF || sort == SORT_TOTAL || sort == SORT_RUN;
}

void report_sure_first(struct report *rep)
{
	size_t i = 0;

	if (rep->opt->by != BY_FUNCTION || !sorts_by_corrected(rep->opt->sort))
		return;
	while (i < rep->n_rows && correction_doubtful(&rep->trace.funcs[rep->rows[i]]))
		i++;
	if (!i)
		return;
	rep->none_sure = i == rep->n_rows ||
			 !report_weight(&rep->trace.funcs[rep->rows[i]], rep->opt->sort);
	if (rep->none_sure)
		return;
	size_t sure = rep->rows[i];

	memmove(rep->rows + 1, rep->rows, i * sizeof(*rep->rows));
	rep->rows[0] = sure;
}
