/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile of pprof being written, part by part, and who writes which. */
#ifndef GOTRACE_PROFILE_OUT_H
#define GOTRACE_PROFILE_OUT_H

/* Samples that are waits of parked goroutines have this label. */
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
	int err; /* the first, -ENOMEM */
};

void profile_put(struct profile_out *p, const Pprof__Profile *part);
/* The string's index; 0, that of "", for NULL. "" has to be asked for first. */
int64_t profile_string(struct profile_out *p, const char *s);
void profile_put_type(struct profile_out *p, const char *type, const char *unit);
/* What a sample is taken of, and each how many of it. */
void profile_put_period(struct profile_out *p, const char *type, const char *unit, uint64_t each);
void profile_put_comment(struct profile_out *p, const char *text);
/* One for each reason to doubt the numbers (doubts.h). */
void profile_put_doubts(struct profile_out *p, const struct loaded_trace *t);
/* When and how long, and which type a viewer shows first. */
void profile_put_times(struct profile_out *p, const struct loaded_trace *trace, const char *shown);
/* All strings, last of all. */
void profile_put_strings(struct profile_out *p);
void profile_out_free(struct profile_out *p);

/* profile_samples.c: as export_pprof, of a trace of samples. */
int profile_samples(struct trace_reader *r, const struct export_options *opt, FILE *out);

#endif
