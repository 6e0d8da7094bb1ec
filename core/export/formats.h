/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats of gotrace export, a file or folder each. As `write` of export_format. */
#ifndef GOTRACE_EXPORT_FORMATS_H
#define GOTRACE_EXPORT_FORMATS_H

#include "export/export.h"

/* What formats that have nothing but frames put between a go statement's function and the
 * goroutine's own. */
#define GO_FRAME "[go]"

int export_chrome(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		  FILE *out);
int export_csv(struct trace_reader *const *r, size_t n, const struct export_options *opt,
	       FILE *out);
int export_folded(struct trace_reader *const *r, size_t n, const struct export_options *opt,
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
