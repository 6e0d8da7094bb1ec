/* SPDX-License-Identifier: BSD-2-Clause */
/* What a model says, written for people and programs: one format a file, one table. */
#ifndef GOTRACE_EXPORT_H
#define GOTRACE_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "trace/trace.h"

enum report_by { BY_FUNCTION, BY_PATH, BY_GOROUTINE, BY_CALL };
/* SORT_DEFAULT: self; siblings in a tree of paths by share; calls as they began. BY_CALL knows
 * SORT_SELF and SORT_TOTAL only. */
enum report_sort { SORT_DEFAULT, SORT_SELF, SORT_TOTAL, SORT_CALLS, SORT_MORESTACK };

struct report_options {
	enum report_by by;
	enum report_sort sort;
	size_t limit;   /* rows; 0: all */
	bool colour;    /* out is a terminal */
	unsigned depth; /* BY_PATH: only paths of at most so many functions; 0: all */
	/* BY_PATH: only paths that have, with all below them, this share of the time */
	double min_share_pct;
	/* BY_GOROUTINE: a row for all that were started at one place with one function */
	bool fold;
	uint64_t goid; /* BY_CALL: only this goroutine; 0: all */
	/* BY_CALL: calls that begin in [from, to) since the trace's start; to 0: end */
	uint64_t from_ns, to_ns;
	uint64_t min_ns; /* BY_CALL: only calls at least this long */
};

struct report_format {
	const char *name; /* "text", "csv", "json" */
	/* Reads the trace to its end and writes the report. 0 or -errno (logged). */
	int (*write)(struct trace_reader *r, const struct report_options *opt, FILE *out);
};

/* Ends with an entry whose name is NULL. */
extern const struct report_format report_formats[];

/* ---- gotrace export: the outputs that other programs open ---- */

enum perun_layout { PERUN_FLAT, PERUN_STACKS, PERUN_LEGACY };
enum export_weight { WEIGHT_SELF, WEIGHT_TOTAL, WEIGHT_CALLS };

struct export_options {
	enum export_weight weight;
	/* a goroutine's outermost call is a root, not below the call that started it */
	bool no_go_edges;
	bool goroutines; /* the goroutine is told with each path */
	bool calls;      /* a row a call, not a path */
	bool args;       /* chrome: each call with its self time and how it ended */
	enum perun_layout layout;
	const char *origin;   /* perun: the version that the profile is of; NULL: not known */
	const char *host;     /* perun: the machine's name; NULL: not known */
	const char *files[2]; /* html: how a comparison calls its traces; NULL: not known */
};

/* Options that only some formats have: bits of export_format.takes. */
#define EXPORT_WEIGHT     1u  /* weight */
#define EXPORT_GO_EDGES   2u  /* no_go_edges */
#define EXPORT_GOROUTINES 4u  /* goroutines */
#define EXPORT_CALLS      8u  /* calls */
#define EXPORT_PERUN      16u /* layout, origin, host */
#define EXPORT_ARGS       32u /* args */

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

#endif
