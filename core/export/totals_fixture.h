/* SPDX-License-Identifier: BSD-2-Clause */
/* Self time and calls of a trace, added up in what formats make of it. */
#ifndef GOTRACE_TOTALS_FIXTURE_H
#define GOTRACE_TOTALS_FIXTURE_H

#include "export/export.h"

struct totals {
	uint64_t self_ns, calls;
	uint64_t stops_ns; /* of the model: what held up prologues */
	const char *path;  /* of the model: the trace; NULL: not known */
};

/* What the model says. */
struct totals totals_truth(const char *path);
/* Fails when they differ, and says what may be the cause: what else of the trace has the sum that
 * was found. */
void totals_same(const char *trace, const char *format, struct totals got, struct totals want);

/* The number after each occurrence of key, added up. */
uint64_t totals_after(const char *text, const char *key);
/* Field `column` of each row but the first, added up; a point in it is passed over: milliseconds
 * with six decimals are nanoseconds. */
uint64_t totals_column(const char *csv, unsigned column, size_t *rows);
/* The number at the end of each line, added up. */
uint64_t totals_lines(const char *folded);

struct totals totals_folded(const char *path, const struct export_options *opt);
/* The first two values of all samples: calls, then self time. */
struct totals totals_pprof(const char *path, const struct export_options *opt);
/* The same of OpenTelemetry's profiles; of sample --wall no calls. */
struct totals totals_otlp(const char *path, const struct export_options *opt);
struct totals totals_csv(const char *path, const struct export_options *opt);
/* Two columns of the one row that the query gives. */
struct totals totals_sqlite(const char *path, const char *sql);

#endif
