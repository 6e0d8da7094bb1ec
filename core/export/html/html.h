/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page: one HTML file that shows a trace, or what changed between two.
 *
 * Here a trace becomes the page's data; what the page makes of it is in page/.
 * Columns of numbers are strings of base-64 digits, five bits and "more follow"
 * in each, lowest first: small numbers are short, and nothing needs an escape.
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
	int err; /* -ENOMEM once memory ran out; what follows is dropped */
};
void html_put(struct html_text *t, uint64_t v);
/* Writes what was put as `key` and empties t. 0 or t's error. */
int html_column(struct json *j, const char *key, struct html_text *t);

/* ---- goroutines by where they began */

/* Goroutines that one go statement started with one function. Group 0: those whose start was not
 * seen. */
struct html_group {
	uint32_t func;
	uint64_t go_pc;
	uint64_t goroutines; /* 0: not known */
	uint64_t weight_ns;  /* self time, growth and preemption of all */
};

struct html_groups {
	struct html_group *all;
	size_t n, cap;
	/* of the tree's nodes */
	uint32_t *of_node; /* the group of its goroutine */
	bool *outermost;   /* nothing above on its goroutine is the same function */
};

/* Of a tree whose functions are below n_funcs, or PATH_*. 0 or -ENOMEM; html_groups_free in either
 * case. */
int html_groups_find(struct html_groups *g, const struct call_tree *t, size_t n_funcs);
/* Counts their goroutines. */
struct html_goroutines;
void html_groups_count(struct html_groups *g, const struct call_tree *t,
		       const struct html_goroutines *from);
void html_groups_free(struct html_groups *g);

/* ---- single goroutines */

#define HTML_GOROUTINES 24 /* the heaviest, which the page can show by themselves */

struct html_visit {    /* what one goroutine did on one path */
	uint32_t path; /* the model's node; sorted: the tree's */
	uint64_t calls, self_ns, morestack_ns, preempt_ns;
};

struct html_goroutine {
	struct goroutine_info info;
	struct html_visit *visits;
	size_t n_visits;
};

struct html_live; /* the goroutines alive, while the trace is read */

struct html_goroutines {
	struct html_live *live;
	/* the heaviest first once finished */
	struct html_goroutine kept[HTML_GOROUTINES];
	size_t n;
	/* heavy goroutines left out: their calls would have taken too much room */
	uint64_t untracked;
	/* By outermost path of the model: goroutines that began with it after a go statement. And
	 * how many began without one. */
	struct html_started {
		uint32_t root;       /* outermost path of its goroutine */
		uint64_t goroutines; /* that began here */
		uint64_t last;       /* number of the one that was counted last */
	} * started;
	size_t n_started, cap_started;
	uint64_t unstarted, n_counted;
	int err;
};

/* To be called as calls and goroutines end, and for what held prologues up (model_options). */
void html_goroutines_call(struct html_goroutines *g, const struct call *c);
void html_goroutines_stop(struct html_goroutines *g, const struct prologue_stop_time *t);
void html_goroutines_end(struct html_goroutines *g, const struct goroutine_info *info,
			 const struct model *m);
/* After the last: visits by the tree's nodes, in its order, corrected as the trace is. 0 or
 * -ENOMEM. */
int html_goroutines_finish(struct html_goroutines *g, const struct loaded_trace *trace,
			   const struct call_tree *t);
void html_goroutines_free(struct html_goroutines *g);

/* ---- the timeline */

#define HTML_SPANS 160000 /* about 2 MB of a page */
#define HTML_LANES 1000

struct html_loss {
	uint64_t from_ns, to_ns, goid; /* goid 0: everybody's */
};

struct html_losses {
	struct html_loss *all;
	size_t n, cap;
};

/* Events were lost. 0 or -ENOMEM */
int html_losses_add(struct html_losses *l, uint64_t from_ns, uint64_t to_ns, uint64_t goid);

/* Strips of the timeline: how many goroutines ran, were runnable, or were in a system call at each
 * moment, by STATE_DEPTH, and how many waited for the network or the garbage collector. Goroutines
 * without calls count as well. */
#define HTML_LOAD_COLLECTOR UINT32_MAX /* the key of what the collector's workers run */
struct html_loads {
	struct timeline_strips strips;
	struct wait_classes classes;
	bool known; /* classes */
	/* goroutines that waited as the collector's workers do */
	struct html_worker {
		uint64_t goid;
		uint32_t image;
	} * workers;
	size_t n_workers, cap_workers;
};

/* As states end; from_ns: nothing begins before it. 0 or -ENOMEM */
int html_loads_add(struct html_loads *l, const struct trace_info *info, uint64_t from_ns,
		   const struct state_span *s);
void html_loads_free(struct html_loads *l);

/* ---- states and reasons */

/* STATE_DEPTH(state, reason) of all that the page tells of. */
struct html_codes {
	uint32_t *all;
	size_t n, cap;
};

/* The page has it. 0 or -ENOMEM */
int html_code(struct html_codes *c, uint32_t code);

/* ---- the page */

struct html_page {
	struct loaded_trace trace;
	struct call_tree tree; /* siblings by weight, the heaviest first */
	struct html_groups groups;
	struct html_goroutines goroutines;
	struct timeline timeline; /* without spans: there were no single calls */
	struct html_losses losses;
	struct html_loads loads;
	struct html_slow slow;
	struct html_codes codes;
	struct calls_of_all *calls; /* lent, to be filled; may be NULL */
	/* of the trace's functions, their numbers on the page; SANKEY_NONE: not on it */
	uint32_t *number;
	/* those on it, by number; [other] and the timer come after them */
	uint32_t *funcs;
	size_t n_funcs;
};

/* Reads r to its end; raw: times stay as measured. calls: to have all single calls, or NULL. 0 or
 * -errno (logged); html_page_free in either case. */
int html_page_load(struct html_page *p, struct trace_reader *r, const struct trace_view *view,
		   bool raw, struct calls_of_all *calls);
/* Gives the functions that the page shows their numbers. 0 or -ENOMEM. */
int html_page_number(struct html_page *p);
void html_page_free(struct html_page *p);
/* A function of a node as the page numbers it. */
uint32_t html_func(const struct html_page *p, uint32_t func);

/* Keys of the object that is open. 0 or -ENOMEM. */
int html_write_trace(const struct html_page *p, struct json *j); /* what was traced, notes */
int html_write_funcs(const struct html_page *p, struct json *j);
int html_write_tree(const struct html_page *p, struct json *j);
/* why nodes waited; nothing where nothing is known of it */
int html_write_waits(struct html_page *p, struct json *j);
/* whose waits were left out, and where; nothing without */
int html_write_parked(struct html_page *p, struct json *j);
/* groups, goroutines and their pictures */
int html_write_picks(const struct html_page *p, struct json *j);
/* when it was; nothing where nothing is known of it */
int html_write_timeline(struct html_page *p, struct json *j);
/* the slowest calls of functions; nothing without single calls */
int html_write_slow(struct html_page *p, struct json *j);
/* what all codes above are called: the last of all that are written */
int html_write_codes(struct html_page *p, struct json *j);
/* Columns of the numbers of t's nodes; v: node 0's, `step` bytes before node 1's. */
int html_write_numbers(const struct call_tree *t, struct json *j, const struct call_stats *v,
		       size_t step);
/* Likewise of the states that self time was spent in. */
int html_write_node_states(const struct call_tree *t, struct json *j, const struct call_stats *v,
			   size_t step);

/* html_compared.c: changes of functions, which are the numbers of `gotrace diff`. The rows compared
 * are p's functions. 0 or -ENOMEM */
int html_write_compared(const struct html_page *p, const struct diff_judge *judge, struct json *j);

/* Two traces as one page: r[0] before, r[1] after. Writes the page's data. 0 or -errno (logged). */
int html_write_changes(struct json *j, struct trace_reader *const r[2],
		       const struct export_options *opt);

#endif
