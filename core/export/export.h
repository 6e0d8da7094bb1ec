/* SPDX-License-Identifier: BSD-2-Clause */
/* gotrace export: a trace in the formats that other programs open. */
#ifndef GOTRACE_EXPORT_H
#define GOTRACE_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/trace_view.h"
#include "analysis/calls/whole_paths.h"

enum perun_layout { PERUN_FLAT, PERUN_STACKS, PERUN_LEGACY };
/* the last four are parts of self: in traces with states only */
enum export_weight {
	WEIGHT_SELF,
	WEIGHT_TOTAL,
	WEIGHT_CALLS,
	WEIGHT_RUN,
	WEIGHT_READY,
	WEIGHT_WAIT,
	WEIGHT_SYSCALL,
	WEIGHT_OFF_CPU,
};

struct export_options {
	const struct trace_view *view; /* the part of the trace that counts; NULL: all */
	enum export_weight weight;
	/* a goroutine's outermost call is a root, not below the call that started it */
	bool no_go_edges;
	bool goroutines; /* each path says which goroutine */
	bool calls;      /* csv: a row a call, not a path; speedscope: those of all goroutines */
	bool raw;        /* times as measured, what probes cost included */
	struct path_cut cut; /* what becomes [other] */
	bool header;         /* folded: a first line "# UNIT", which readers pass over */
	bool identities;     /* pprof: each sample says which program, process and thread */
	bool args;           /* chrome: each call with its self time and how it ended */
	enum perun_layout layout;
	const char *origin;   /* perun: the version that the profile is of; NULL: not known */
	const char *host;     /* perun: the machine's name; NULL: not known */
	const char *files[2]; /* html: how a comparison calls its traces; NULL: not known */
};

/* Options that only some formats have: bits of export_format.takes. */
#define EXPORT_WEIGHT     1u   /* weight */
#define EXPORT_GO_EDGES   2u   /* no_go_edges */
#define EXPORT_GOROUTINES 4u   /* goroutines */
#define EXPORT_CALLS      8u   /* calls */
#define EXPORT_PERUN      16u  /* layout, origin, host */
#define EXPORT_ARGS       32u  /* args */
#define EXPORT_RAW        64u  /* raw */
#define EXPORT_CUT        128u /* cut */
#define EXPORT_HEADER     256u /* header */

struct export_format {
	const char *name; /* "folded" */
	const char *what; /* for the list of formats: what it is and what opens it */
	unsigned takes;   /* EXPORT_*: options that mean something to it */
	bool binary;      /* nothing for a terminal */
	bool compares;    /* may get a second trace */
	/* Reads the traces (n is 1, or 2 with `compares`) to their ends and writes. 0 or -errno
	 * (logged). */
	int (*write)(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		     FILE *out);
};

/* Ends with an entry whose name is NULL. */
extern const struct export_format export_formats[];

/* "html" of them, the page that gotrace view shows. */
int export_html(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		FILE *out);

#endif
