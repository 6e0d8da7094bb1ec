/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page is one HTML file that shows a trace, or the changes between two traces.
 *
 * This code makes the page's data of a trace. The scripts in page/ draw it. Columns of numbers are
 * strings of base-64 digits. A digit has five bits of a number and a bit for "more follow", lowest
 * first. So small numbers are short, and no digit needs an escape.
 */
#ifndef GOTRACE_HTML_H
#define GOTRACE_HTML_H

#include "analysis/calls/call_series.h"
#include "analysis/calls/call_tree.h"
#include "analysis/diff/diff_verdict.h"
#include "analysis/calls/wait_class.h"
#include "base/json.h"
#include "export/export.h"
#include "export/html/html_slow.h"
#include "export/html/sankey.h"
#include "export/html/timeline.h"

/* ---- columns of numbers */

struct html_text {
	/* ended by a NUL */
	char *s;
	size_t n, cap;
	int err; /* -ENOMEM after memory ran out; later numbers are dropped */
};
void html_put(struct html_text *t, uint64_t v);
/* Writes the numbers of t as `key` and empties t. 0 or t's error. */
int html_column(struct json *j, const char *key, struct html_text *t);

/* ---- goroutines by the place where they began */

/* Goroutines that one go statement started with one function. Group 0 has goroutines whose start
 * was not seen. */
struct html_group {
	uint32_t func;
	uint64_t go_pc;
	uint64_t goroutines; /* 0 when not known */
	uint64_t weight_ns;  /* self time, growth and preemption of all of them */
};

struct html_groups {
	struct html_group *all;
	size_t n, cap;
	/* by node of the tree */
	uint32_t *of_node; /* the group of the node's goroutine */
	bool *outermost;   /* no node above on its goroutine has its function */
};

/* Finds the groups of a tree, whose functions are below n_funcs, or PATH_*. 0 or -ENOMEM;
 * html_groups_free in either case. */
int html_groups_find(struct html_groups *g, const struct call_tree *t, size_t n_funcs);
/* Counts the goroutines of each group. */
struct html_goroutines;
void html_groups_count(struct html_groups *g, const struct call_tree *t,
		       const struct html_goroutines *from);
void html_groups_free(struct html_groups *g);

/* ---- single goroutines */

/* the heaviest goroutines, each of which the page can show */
#define HTML_GOROUTINES 24

/* The calls and times of one goroutine on one path. */
struct html_visit {
	uint32_t path; /* the model's node; after sorting, the tree's */
	uint64_t calls, self_ns, morestack_ns, preempt_ns;
};

struct html_goroutine {
	struct goroutine_info info;
	struct html_visit *visits;
	size_t n_visits;
};

struct html_live; /* goroutines that are alive, while the trace is read */

struct html_goroutines {
	struct html_live *live;
	/* sorted at the end, the heaviest first */
	struct html_goroutine kept[HTML_GOROUTINES];
	size_t n;
	/* heavy goroutines left out, because their calls would have taken too much room */
	uint64_t untracked;
	/* By outermost path of the model: the goroutines that began with it after a go statement.
	 * unstarted counts those that began without one. */
	struct html_started {
		uint32_t root;       /* outermost path of its goroutine */
		uint64_t goroutines; /* goroutines that began here */
		uint64_t last;       /* number of the last goroutine counted */
	} * started;
	size_t n_started, cap_started;
	uint64_t unstarted, n_counted;
	int err;
};

/* To be called when calls and goroutines end, and for stops of prologues (model_options). */
void html_goroutines_call(struct html_goroutines *g, const struct call *c);
void html_goroutines_stop(struct html_goroutines *g, const struct prologue_stop_time *t);
void html_goroutines_end(struct html_goroutines *g, const struct goroutine_info *info,
			 const struct model *m);
/* To be called after the last goroutine. Sorts visits by the tree's nodes, in its order, and
 * corrects them if the trace is corrected. 0 or -ENOMEM. */
int html_goroutines_finish(struct html_goroutines *g, const struct loaded_trace *trace,
			   const struct call_tree *t);
void html_goroutines_free(struct html_goroutines *g);

/* ---- the timeline */

#define HTML_SPANS 160000 /* about 2 MB of a page */
#define HTML_LANES 1000

struct html_loss {
	uint64_t from_ns, to_ns, goid; /* goid 0: of all goroutines */
};

struct html_losses {
	struct html_loss *all;
	size_t n, cap;
};

/* Adds a stretch in which events were lost. 0 or -ENOMEM */
int html_losses_add(struct html_losses *l, uint64_t from_ns, uint64_t to_ns, uint64_t goid);

/* Strips of the timeline. They have the numbers of goroutines that ran, were runnable, or were in a
 * system call at each moment, by STATE_DEPTH. They also have those that waited for the network or
 * the garbage collector. Goroutines without calls count as well. */
/* the key for the time in which the collector's workers run */
#define HTML_LOAD_COLLECTOR UINT32_MAX
struct html_loads {
	struct timeline_strips strips;
	struct wait_classes classes;
	bool known; /* classes are known */
	/* goroutines that waited like the collector's workers */
	struct html_worker {
		uint64_t goid;
		uint32_t image;
	} * workers;
	size_t n_workers, cap_workers;
};

/* To be called when states end. No time before from_ns counts. 0 or -ENOMEM */
int html_loads_add(struct html_loads *l, const struct trace_info *info, uint64_t from_ns,
		   const struct state_span *s);
void html_loads_free(struct html_loads *l);

/* ---- states and reasons */

/* STATE_DEPTH(state, reason) of all states on the page. */
struct html_codes {
	uint32_t *all;
	size_t n, cap;
};

/* Adds a code that the page has. 0 or -ENOMEM */
int html_code(struct html_codes *c, uint32_t code);

/* ---- the page */

struct html_page {
	struct loaded_trace trace;
	struct call_tree tree; /* siblings by weight, the heaviest first */
	struct html_groups groups;
	struct html_goroutines goroutines;
	struct timeline timeline; /* it has no spans when there were no single calls */
	struct html_losses losses;
	struct html_loads loads;
	struct html_slow slow;
	struct html_codes codes;
	struct calls_of_all *calls; /* borrowed, to be filled; may be NULL */
	bool compared;              /* it shows two traces, and its functions are those of both */
	const char *const *program; /* by function of a comparison, borrowed; may be NULL */
	/* the numbers on the page of the trace's functions, or SANKEY_NONE */
	uint32_t *number;
	/* functions on the page, by number; [other] and the timer come after them */
	uint32_t *funcs;
	size_t n_funcs;
};

/* Reads r to its end. raw: keeps times as measured. calls: gets all single calls; may be NULL. 0 or
 * -errno (logged); html_page_free in either case. */
int html_page_load(struct html_page *p, struct trace_reader *r, const struct trace_view *view,
		   bool raw, struct calls_of_all *calls);
/* Numbers the functions that the page shows. 0 or -ENOMEM. */
int html_page_number(struct html_page *p);
void html_page_free(struct html_page *p);
/* Returns the page's number of a node's function. */
uint32_t html_func(const struct html_page *p, uint32_t func);

/* These write keys of the open object. 0 or -ENOMEM. */
int html_write_trace(const struct html_page *p, struct json *j); /* the traced program, notes */
int html_write_funcs(const struct html_page *p, struct json *j);
int html_write_tree(const struct html_page *p, struct json *j);
/* the reasons why nodes waited, where known */
int html_write_waits(struct html_page *p, struct json *j);
/* the goroutines whose waits were left out, and the places, if any */
int html_write_parked(struct html_page *p, struct json *j);
/* groups, goroutines and their pictures */
int html_write_picks(const struct html_page *p, struct json *j);
/* the timeline, where times are known */
int html_write_timeline(struct html_page *p, struct json *j);
/* the slowest calls of functions, with single calls only */
int html_write_slow(struct html_page *p, struct json *j);
/* the names of all codes; to be written last */
int html_write_codes(struct html_page *p, struct json *j);
/* Writes columns of the numbers of t's nodes. v: numbers by node; NULL: the nodes' own. */
int html_write_numbers(const struct call_tree *t, struct json *j, const struct call_stats *v);
/* Writes columns of the states in which self time was spent, in this way. */
int html_write_node_states(const struct call_tree *t, struct json *j, const struct call_stats *v);

/* html_compared.c: writes the changes of functions, with the numbers of `gotrace diff`. The rows
 * compared are p's functions. 0 or -ENOMEM */
int html_write_compared(const struct html_page *p, const struct diff_judge *judge, struct json *j);

/* Writes the data of one page for two traces, r[0] before, r[1] after. 0 or -errno (logged). */
int html_write_changes(struct json *j, struct trace_reader *const r[2],
		       const struct export_options *opt);

#endif
