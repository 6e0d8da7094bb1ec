/* SPDX-License-Identifier: BSD-2-Clause */
/* gotrace export writes a trace in the formats that other programs open. */
#ifndef GOTRACE_EXPORT_H
#define GOTRACE_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/trace_view.h"
#include "analysis/calls/whole_paths.h"

enum perun_layout { PERUN_FLAT, PERUN_STACKS, PERUN_LEGACY };
/* The weight of a path. The last five are parts of self, in traces with states only. */
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
	const struct trace_view *view; /* the part of the trace that counts; may be NULL */
	enum export_weight weight;
	/* a goroutine's outermost call is a root, not below the call that started it */
	bool no_go_edges;
	bool goroutines; /* each path has its goroutine */
	/* csv: a row for each call instead of each path; speedscope: the calls of all goroutines */
	bool calls;
	bool raw;            /* times as measured, with the cost of probes */
	struct path_cut cut; /* the paths that become [other] */
	bool header;         /* folded: a first line "# UNIT", which readers pass over */
	bool identities;     /* pprof: each sample has its program, process and thread */
	bool in_memory; /* pprof: the reader has each frame in memory, and takes a quarter of the
			   paths */
	bool args;      /* chrome: each call has its self time and its end */
	enum perun_layout layout;
	const char *origin;   /* perun: the version of the program; may be NULL */
	const char *host;     /* perun: the machine's name; may be NULL */
	const char *files[2]; /* html: the names of the traces compared; may be NULL */
	/* For pprof. Returns the line of the caller's file that has all its direct calls of the
	 * callee, both by index. Returns 0 where it is not known, or where there are several. May
	 * be NULL. */
	uint32_t (*call_line)(void *ctx, uint32_t caller, uint32_t callee);
	void *call_ctx;
};

/* Bits of export_format.takes, the options that only some formats have. */
#define EXPORT_WEIGHT     1u   /* weight */
#define EXPORT_GO_EDGES   2u   /* no_go_edges */
#define EXPORT_GOROUTINES 4u   /* goroutines */
#define EXPORT_CALLS      8u   /* calls */
#define EXPORT_PERUN      16u  /* layout, origin, host */
#define EXPORT_ARGS       32u  /* args */
#define EXPORT_RAW        64u  /* raw */
#define EXPORT_CUT        128u /* cut */
#define EXPORT_HEADER     256u /* header */
#define EXPORT_LINES      512u /* call_line */

struct export_format {
	const char *name; /* "folded" */
	const char *what; /* contents and viewers, for the list of formats */
	unsigned takes;   /* EXPORT_*: options that have an effect */
	bool binary;      /* not to be written to a terminal */
	bool compares;    /* it may read a second trace */
	/* Reads the traces (n is 1, or 2 with `compares`) to their ends and writes. 0 or -errno
	 * (logged). */
	int (*write)(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		     FILE *out);
};

/* Ends with an entry whose name is NULL. */
extern const struct export_format export_formats[];

/* The format "html", the page that gotrace view shows. */
int export_html(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		FILE *out);

#endif
