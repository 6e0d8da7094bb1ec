/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats of reports and comparisons, each in a file. The functions are `write` of
 * report_format and diff_format. */
#ifndef GOTRACE_REPORT_FORMATS_H
#define GOTRACE_REPORT_FORMATS_H

#include "report/diff_formats.h"
#include "report/report.h"

int report_text(struct trace_reader *r, const struct report_options *opt, FILE *out);
int report_csv(struct trace_reader *r, const struct report_options *opt, FILE *out);
int report_json(struct trace_reader *r, const struct report_options *opt, FILE *out);

int diff_text(struct trace_reader *const r[2], const struct diff_options *opt, FILE *out);
int diff_csv(struct trace_reader *const r[2], const struct diff_options *opt, FILE *out);
int diff_folded(struct trace_reader *const r[2], const struct diff_options *opt, FILE *out);
int diff_json(struct trace_reader *const r[2], const struct diff_options *opt, FILE *out);

#endif
