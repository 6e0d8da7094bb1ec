/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats of gotrace export, each in a file or folder. All functions are `write` of an
 * export_format. */
#ifndef GOTRACE_EXPORT_FORMATS_H
#define GOTRACE_EXPORT_FORMATS_H

#include "export/export.h"

/* Leaf frames for formats that add up the frames below a function themselves. They hold the stops
 * of a callee's prologue. These are in the caller's total and in no self time. */
#define GROWTH_FRAME    "[stack growth]"
#define PREEMPTED_FRAME "[preempted]"
#define PARKED_FRAME    "[parked]" /* below a function in which parked goroutines wait */

int export_chrome(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		  FILE *out);
int export_csv(struct trace_reader *const *r, size_t n, const struct export_options *opt,
	       FILE *out);
int export_folded(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		  FILE *out);
int export_otlp(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		FILE *out);
int export_perfetto(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		    FILE *out);
int export_perun(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		 FILE *out);
int export_pprof(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		 FILE *out);
int export_speedscope(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		      FILE *out);
int export_sqlite(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		  FILE *out);

#endif
