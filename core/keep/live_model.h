/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model that is fed while a recording runs, and the summaries of it in the trace: every second or
 * so, and at the end. What it knows takes memory by functions, paths and goroutines alive, however
 * long it runs.
 */
#ifndef GOTRACE_LIVE_MODEL_H
#define GOTRACE_LIVE_MODEL_H

#include "trace/trace.h"

/* Paths that are kept apart; more are counted under [other]. With its copy, on which a summary is
 * made, each takes some 700 bytes. */
#define LIVE_PATHS 100000u

struct live_model_options {
	const struct trace_info *info; /* functions and sites; borrowed */
	struct trace_writer *writer;   /* of the summaries; borrowed */
	/* Gets all events as well; NULL: nobody does. Borrowed. */
	const struct trace_sink *next;
	uint32_t max_paths; /* 0: LIVE_PATHS */
};

struct live_model;

/* Writes a first summary, of nothing. NULL and errno after logging. */
struct live_model *live_model_new(const struct live_model_options *opt);
/* All of it is called by one thread at a time. */
struct trace_sink live_model_sink(struct live_model *l);
void live_model_free(struct live_model *l);

#endif
