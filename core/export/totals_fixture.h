/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of self time and calls of a trace, from its exports. */
#ifndef GOTRACE_TOTALS_FIXTURE_H
#define GOTRACE_TOTALS_FIXTURE_H

#include "export/export.h"

struct totals {
	uint64_t self_ns, calls;
	uint64_t stops_ns; /* stops of prologues, in the model only */
	const char *path;  /* the trace, in the model only; may be NULL */
};

/* Returns the model's sums. */
struct totals totals_truth(const char *path);
/* Fails when they differ, and prints the possible cause, other times of the trace with the wrong
 * sum. */
void totals_same(const char *trace, const char *format, struct totals got, struct totals want);

/* Returns the sum of the numbers after each occurrence of key. */
uint64_t totals_after(const char *text, const char *key);
/* Returns the sum of field `column` in each row except the first. It passes over a point, so that
 * milliseconds with six decimals are nanoseconds. */
uint64_t totals_column(const char *csv, unsigned column, size_t *rows);
/* Returns the sum of the numbers at the ends of lines. */
uint64_t totals_lines(const char *folded);

struct totals totals_folded(const char *path, const struct export_options *opt);
/* Returns the sums of the first two values of all samples, calls and self time. */
struct totals totals_pprof(const char *path, const struct export_options *opt);
/* Returns the sums in OpenTelemetry's profiles; no calls for sample --wall. */
struct totals totals_otlp(const char *path, const struct export_options *opt);
struct totals totals_csv(const char *path, const struct export_options *opt);
/* Returns two columns of the query's only row. */
struct totals totals_sqlite(const char *path, const char *sql);

#endif
