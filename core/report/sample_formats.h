/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports of samples, in each format. */
#ifndef GOTRACE_SAMPLE_FORMATS_H
#define GOTRACE_SAMPLE_FORMATS_H

#include "base/json.h"
#include "report/rows.h"

/* Numbers of a row of any kind. */
struct numbers {
	uint64_t samples, weight_ns, self_samples, self_ns;
	double square_ns2, self_square_ns2; /* squares of the standard errors */
	struct off_times off;               /* parts of weight_ns */
	const struct call_stats *stats;
	bool has_self;
};

struct numbers sample_numbers(const struct report *rep, size_t row);

/* sample_text.c: prints the head of a text. */
void sample_text_head(const struct report *rep, FILE *out);
/* Writes a table of functions, goroutines, labels or threads. Paths are in the tree that calls
 * have. */
int sample_text(const struct report *rep, FILE *out);
/* Write rows of any kind. 0 or -ENOMEM. */
int sample_csv(const struct report *rep, FILE *out);
int sample_json(const struct report *rep, struct json *j);
/* Adds the key "programs", if there are several. */
void sample_json_programs(const struct report *rep, struct json *j);

#endif
