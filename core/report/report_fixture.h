/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests of reports share. */
#ifndef GOTRACE_REPORT_FIXTURE_H
#define GOTRACE_REPORT_FIXTURE_H

#include "analysis/trace_fixture.h"
#include "report/report.h"

/* The report of the trace at path in a format of report_formats; to be freed. */
char *fixture_report(const char *path, const char *format, const struct report_options *opt);

/* Of stored reports by function as text. */
#define FIXTURE_COLUMNS \
	"self,self_pct,total,total_pct,calls,mean,p50,p99,max,cost,morestack,preempt"
/* The columns that a stored report by function or path names in its first line, as --columns= takes
 * them: a new column changes no stored report. To be freed; NULL: all. */
char *fixture_columns(const char *csv);
/* Asserts that no line of the text is wider, but for one word and commands to copy. */
void fixture_fits(const char *path, const char *text, unsigned width);

#endif
