/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model that gets the events while a recording runs, and writes summaries into the trace. It does
 * so every second or so, and at the end. Its memory grows with functions, paths and living
 * goroutines, not with time.
 */
#ifndef GOTRACE_LIVE_MODEL_H
#define GOTRACE_LIVE_MODEL_H

#include "model/model.h"
#include "trace/trace.h"

/* The most paths that are kept apart. Others are counted under [other]. Each path takes some 700
 * bytes, with its copy for summaries. */
#define LIVE_PATHS 100000u

struct live_model_options {
	const struct trace_info *info; /* functions and sites; borrowed */
	struct trace_writer *writer;   /* gets the summaries; borrowed */
	/* Gets all events as well. May be NULL. Borrowed. */
	const struct trace_sink *next;
	uint32_t max_paths; /* 0 means LIVE_PATHS */
	/* Gets a copy of the model (model_snapshot) every second or so, and at the end, and owns
	 * it. Then no summaries are made up to the end. The thread that gives events calls it. 0 or
	 * -errno. May be NULL. */
	int (*take)(void *take_ctx, struct model *copy);
	void *take_ctx;
	struct model_options model; /* the model computes this for take, too */
};

struct live_model;

/* Makes a model and writes a first, empty summary. Returns NULL with errno after logging. */
struct live_model *live_model_new(const struct live_model_options *opt);
/* Only one thread at a time may call the sink's functions. */
struct trace_sink live_model_sink(struct live_model *l);
void live_model_free(struct live_model *l);

#endif
