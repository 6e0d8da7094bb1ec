/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats of gotrace export, and what those that write paths share. */
#ifndef GOTRACE_EXPORTS_H
#define GOTRACE_EXPORTS_H

#include "analysis/report.h"

/* What formats that have nothing but frames put between a go statement's function and the
 * goroutine's own. */
#define GO_FRAME "[go]"

/*
 * The tree of paths as other programs are given it: a node has one name and
 * one way of being reached (called, or started by a go statement) below its
 * parent, so that instances of a generic, which share their name, are one node,
 * and a function that is both called and started from one place is two.
 */
struct export_node {
	uint32_t parent;         /* index; 0: outermost */
	uint32_t func;           /* the first function of that name, or PATH_* */
	uint32_t level;          /* 1: outermost */
	uint32_t end;            /* index behind the last node below this one */
	bool go;                 /* its goroutine was started from the parent */
	uint64_t go_pc;          /* of that statement; 0: not known, or several */
	struct call_stats stats; /* without the histogram */
};

/* Parents stand right before what is below them; siblings in the order of names, called before
 * started. nodes[0] is no function: what stands above all. */
struct export_tree {
	struct export_node *nodes;
	size_t n;
	uint32_t *of_path; /* node of each of the model's paths: what call.path says */
};

/*
 * Of a report that was loaded (by whatever rows). With go_edges false, what a
 * go statement started is outermost. 0 or -ENOMEM (logged); export_tree_free in
 * either case.
 */
int export_tree_build(struct export_tree *t, const struct report *rep, bool go_edges);
void export_tree_free(struct export_tree *t);

/* What the option --weight asks for. */
uint64_t export_weight_of(const struct call_stats *st, enum export_weight weight);

/* A trace read to its end and its tree, for formats that need nothing else. As export_tree_build.
 */
int export_load(struct report *rep, struct export_tree *t, struct trace_reader *r, bool go_edges);

/* For those that want more than the tree: what is called while the trace is read. */
struct export_watch {
	/* as in model_options; NULL: not wanted */
	void (*on_entry)(void *ctx, const struct call *c);
	void (*on_call)(void *ctx, const struct call *c);
	void (*on_goroutine)(void *ctx, const struct goroutine_info *g);
	/* An event with arguments, after the model was fed with it. */
	void (*on_event)(void *ctx, const struct event_ext *ev);
	void *ctx;
	int err; /* set by one of them: reading ends with it */
};

/* A trace read to its end, its tree and its calls in the order in which they began: for formats of
 * one row a call. The calls lie in a file, so that memory does not grow with them. As export_load;
 * callfile_close too. */
int export_load_calls(struct report *rep, struct export_tree *t, struct callfile *calls,
		      struct trace_reader *r, bool go_edges);

/* Reads r to its end as the report by function does. 0 or -errno (logged); report_free in either
 * case. */
int export_read(struct report *rep, struct trace_reader *r, struct export_watch *w);

/* Questions and the queries that answer them, as they stand in the database; ended by NULLs. */
extern const char *const sqlite_examples[][2];

int export_csv(struct trace_reader *const *r, size_t n, const struct export_options *opt,
	       FILE *out);
int export_folded(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		  FILE *out);
int export_html(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		FILE *out);
int export_sqlite(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		  FILE *out);
int export_perfetto(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		    FILE *out);
int export_chrome(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		  FILE *out);
int export_perun(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		 FILE *out);
int export_pprof(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		 FILE *out);

#endif
