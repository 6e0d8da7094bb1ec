/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of samples by goroutine, thread, labels, process, program or file. */
#ifndef GOTRACE_SAMPLE_ROWS_H
#define GOTRACE_SAMPLE_ROWS_H

#include "analysis/samples/sample_load.h"

enum sample_by {
	SAMPLES_BY_GOROUTINE,
	SAMPLES_BY_THREAD,
	SAMPLES_BY_LABELS,
	SAMPLES_BY_PROCESS,
	SAMPLES_BY_PROGRAM, /* all processes that execute one file */
	SAMPLES_BY_LIBRARY, /* the file that the innermost frame is in */
};

struct sample_row {
	char *name; /* "goroutine 7", "prog 4711, thread 4712", "handler=/index, user=7", "prog
		       4711", "prog" */
	uint64_t samples, weight_ns;
	double square_ns2;    /* square of the standard error of weight_ns */
	struct off_times off; /* parts of weight_ns */
};

struct sample_rows {
	struct sample_row *rows; /* the heaviest first, then by name */
	size_t n;
};

/* Makes rows of the samples that the view shows. 0 or -ENOMEM; sample_rows_free in either case. */
int sample_rows_build(struct sample_rows *r, const struct loaded_trace *t, enum sample_by by);
void sample_rows_free(struct sample_rows *r);

#endif
