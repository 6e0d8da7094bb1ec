/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports of samples, in each format. */
#ifndef GOTRACE_SAMPLE_FORMATS_H
#define GOTRACE_SAMPLE_FORMATS_H

#include "base/json.h"
#include "report/rows.h"

/* What heads a text. */
void sample_text_head(const struct report *rep, FILE *out);
/* A table of functions; of goroutines, labels or threads. Paths are in the tree that calls have. */
int sample_text(const struct report *rep, FILE *out);
/* Rows of any kind. 0 or -ENOMEM. */
int sample_csv(const struct report *rep, FILE *out);
int sample_json(const struct report *rep, struct json *j);

#endif
