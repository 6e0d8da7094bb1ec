// SPDX-License-Identifier: BSD-2-Clause
/* What is asked of a comparison that was made. */
#include "analysis/trace_names.h"
#include "report/diff_rows.h"

const char *diff_report_what(const struct diff_report *rep)
{
	return rep->opt->by == BY_PATH ? "path" : "function";
}

const char *diff_report_name(const struct diff_report *rep, const struct diff_row *row)
{
	return trace_name_func(&rep->diff.names.info, diff_row_func(&rep->diff, row));
}

const char *diff_report_program(const struct diff_report *rep, const struct diff_row *row)
{
	const char *const *program = rep->diff.names.program;

	return program && rep->opt->by != BY_PATH ? program[row->key] : NULL;
}
