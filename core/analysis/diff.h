/* SPDX-License-Identifier: BSD-2-Clause */
/* What the formats of a comparison share: both traces read, their rows matched by name. */
#ifndef GOTRACE_COMPARE_H
#define GOTRACE_COMPARE_H

#include "report/diff_formats.h"
#include "analysis/report.h"

enum diff_metric { METRIC_SELF, METRIC_TOTAL, METRIC_CALLS, METRICS };

/* A function or path in both traces, A first. */
struct diff_row {
	uint32_t key; /* function of diff.all, or node of its tree */
	uint64_t value[METRICS][2];
	bool there[2]; /* it was called, or its prologue stopped */
};

struct diff {
	const struct diff_options *opt;
	struct report side[2];
	/* funcs: the names of both traces, each once, in order; strings borrowed */
	struct trace_info names;
	bool *traced[2];          /* of names: had this trace a probe on it? */
	struct report all;        /* names and tree of both traces, no numbers */
	uint64_t min_ns;          /* opt's, or what DIFF_MIN_AUTO came to */
	struct diff_row *rows;    /* to be shown, in order */
	size_t n_rows, n_hidden;  /* n_hidden: cut by the limit */
	size_t n_folded, n_equal; /* changed less than counts; not at all */
	char **notes;             /* why the two are not comparable as they stand */
	size_t n_notes, cap_notes;
};

/* 0 or -errno (logged); diff_free in either case. */
int diff_load(struct diff *d, struct trace_reader *const r[2], const struct diff_options *opt);
void diff_free(struct diff *d);
/* compare_notes.c: 0 or -ENOMEM */
int diff_find_notes(struct diff *d);

/* "functions" or "paths". */
const char *diff_rows_name(const struct diff *d);
/* "changed", "new" or "gone". */
const char *diff_row_kind(const struct diff_row *row);
/* Which side (0, 1) a new or gone row's function could not have been seen in, for want of a probe;
 * -1: none. */
int diff_row_untraced(const struct diff *d, const struct diff_row *row);
/* B less A. */
int64_t diff_change(const struct diff_row *row, enum diff_metric m);

/* The formats. */
int diff_text(struct trace_reader *const r[2], const struct diff_options *opt, FILE *out);
int diff_csv(struct trace_reader *const r[2], const struct diff_options *opt, FILE *out);
int diff_json(struct trace_reader *const r[2], const struct diff_options *opt, FILE *out);

#endif
