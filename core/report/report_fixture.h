/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests of reports share. */
#ifndef GOTRACE_REPORT_FIXTURE_H
#define GOTRACE_REPORT_FIXTURE_H

#include "analysis/trace_fixture.h"
#include "report/report.h"

/* The report of the trace at path in a format of report_formats; to be freed. */
char *fixture_report(const char *path, const char *format, const struct report_options *opt);

#endif
