/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that choose a part of a trace, shared by report, export and view. */
#ifndef GOTRACE_VIEW_OPTIONS_H
#define GOTRACE_VIEW_OPTIONS_H

#include <argp.h>

#include "analysis/trace_view.h"

struct view_options {
	struct trace_view view; /* globs point into argv; the arrays are owned */
	const char **focus, **ignore, **keys;
	uint64_t *goids;
	size_t cap_focus, cap_ignore, cap_goids, cap_keys;
};

/* An argp child whose input is a struct view_options. */
extern const struct argp view_argp;

void view_options_free(struct view_options *o);

#endif
