/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a profile of pprof, part by part. */
#ifndef GOTRACE_PROFILE_OUT_H
#define GOTRACE_PROFILE_OUT_H

/* The label of samples that are waits of parked goroutines. */
#define PARKED_LABEL     "parked"
#define PARKED_LABEL_YES "yes"

#include "analysis/trace_load.h"
#include "base/hash_index.h"
#include "trace/samples.h"
#include "export/export.h"
#include "export/gzout.h"
#include "export/protoout.h"
#include "pprof.pb-c.h"

struct profile_out {
	struct gzout gz;
	struct protoout packed;
	char **table;            /* strings, in order */
	struct hash_index index; /* finds a string in table */
	size_t n_table, cap_table;
	int err; /* the first error, -ENOMEM */
};

void profile_put(struct profile_out *p, const Pprof__Profile *part);
/* Returns the string's index; for NULL 0, the index of "". "" must be the first string. */
int64_t profile_string(struct profile_out *p, const char *s);
void profile_put_type(struct profile_out *p, const char *type, const char *unit);
/* Writes the event of samples, and how many events make a sample. */
void profile_put_period(struct profile_out *p, const char *type, const char *unit, uint64_t each);
void profile_put_comment(struct profile_out *p, const char *text);
/* Writes a comment for each reason to doubt the numbers (warnings.h). */
void profile_put_warnings(struct profile_out *p, const struct loaded_trace *t);
/* Writes the begin, the duration, and the type that a viewer shows first. */
void profile_put_times(struct profile_out *p, const struct loaded_trace *trace, const char *shown);
/* Writes all strings. To be called last. */
void profile_put_strings(struct profile_out *p);
void profile_out_free(struct profile_out *p);

/* profile_samples.c: does the work of export_pprof for a trace of samples. */
int profile_samples(struct trace_reader *r, const struct export_options *opt, FILE *out);

#endif
