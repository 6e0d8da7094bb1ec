/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that choose a part of a trace, shared by report, export and view. */
#ifndef GOTRACE_VIEW_OPTIONS_H
#define GOTRACE_VIEW_OPTIONS_H

#include <argp.h>

#include "agent/pairs.h"
#include "analysis/trace_view.h"

struct view_options {
	struct trace_view view; /* globs point into argv; the arrays are owned */
	const char **focus, **ignore, **keys, **processes;
	uint64_t *goids;
	/* Profiles of a store of `gotrace agent`: the service and the times; NULL: all. */
	const char *service, *from_text, *to_text;
	struct pairs labels;
	bool parked; /* waits of parked goroutines count */
	size_t cap_focus, cap_ignore, cap_goids, cap_keys, cap_processes;
};

/* An argp child whose input is a struct view_options. */
extern const struct argp view_argp;

/* Adds --label NAME=VALUE. A wrong one ends gotrace. */
void view_options_add_label(struct argp_state *state, struct view_options *o, const char *arg);
void view_options_free(struct view_options *o);

#endif
