/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by tests of reports. */
#ifndef GOTRACE_REPORT_FIXTURE_H
#define GOTRACE_REPORT_FIXTURE_H

#include "analysis/trace_fixture.h"
#include "report/report.h"

/* Returns the report of the trace at path in a format of report_formats; to be freed. */
char *fixture_report(const char *path, const char *format, const struct report_options *opt);

/* The columns of stored reports by function as text. */
#define FIXTURE_COLUMNS \
	"self,self_pct,total,total_pct,calls,mean,p50,p99,max,cost,morestack,preempt"
/* Returns the columns of the first line of a stored report by function or path, for --columns=. So
 * a new column changes no stored report. To be freed; NULL for all. */
char *fixture_columns(const char *csv);
/* Asserts that no line of the text is wider than `width`, except lines with one word and commands
 * to copy. */
void fixture_fits(const char *path, const char *text, unsigned width);

#endif
