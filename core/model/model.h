/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From events to calls to a call tree with statistics. Pure: no kernel, no
 * privilege, no clock. Memory grows with goroutines alive, open calls,
 * functions and distinct paths, never with the number of events.
 */
#ifndef GOTRACE_MODEL_H
#define GOTRACE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/event.h"
#include "model/hist.h"
#include "pair/pair.h"
#include "trace/trace.h"

/*
 * What a goroutine does besides running, ns: in traces with states (EV_STATE). The rest of the time
 * that they are a part of was spent running. unknown_ns: lost events may have told of it.
 */
struct off_times {
	uint64_t runnable_ns, wait_ns, syscall_ns, unknown_ns, off_cpu_ns;
};
#define REASON_PREEMPTED 256 /* besides Go's: stopped in a prologue, for the garbage collector */

static inline uint64_t off_times_sum(const struct off_times *t)
{
	return t->runnable_ns + t->wait_ns + t->syscall_ns + t->unknown_ns + t->off_cpu_ns;
}

void off_times_add(struct off_times *into, const struct off_times *from);

struct call_stats {
	/* = finished + unfinished + unwound + those CALL_INFERRED. Of samples: those in which it is
	 * innermost, and self_ns is their weight; none of them is finished */
	uint64_t calls;
	uint64_t samples; /* in which it is anywhere on the stack; total_ns is their weight */
	uint64_t finished, unfinished, unwound, suspect;
	uint64_t begun_before;      /* those of unfinished whose end was seen */
	uint64_t total_ns, self_ns; /* suspect calls included; see suspect_ns */
	/* What model_correct has taken out of self_ns and of total_ns, and how far off the former
	 * may be. */
	uint64_t probe_ns, inside_ns, uncertainty_ns;
	uint64_t
		cost_ns; /* what its own events cost, wherever that was charged; by model_correct */
	uint64_t off_probe_ns,
		off_inside_ns; /* parts of probe_ns and inside_ns: off_cpu_ns lost them */
	uint64_t ready_probe_ns, ready_inside_ns; /* likewise, runnable_ns */
	uint64_t left_out_ns;                     /* model_leave_out took it out of total_ns */
	uint64_t sampled_ns; /* part of self_ns: by samples, since it is released; of model_give */
	bool corrected;
	/* Parts of self_ns and of total_ns, in which the goroutine did not run; 0 without states.
	 * Of these, what probes cost is taken out of off_cpu_ns and runnable_ns only. */
	struct off_times off_self, off_total;
	/* Of samples: squares of the standard errors of self_ns and total_ns; 0: not known */
	double self_square_ns2, total_square_ns2;
	uint64_t suspect_ns;             /* part of total_ns that suspect calls have */
	uint64_t min_ns, max_ns, sum_ns; /* finished calls; valid when finished > 0 */
	uint64_t morestack_ns, morestack_count;
	uint64_t preempt_ns, preempt_count, declined_count;
	/* durations of finished calls; of functions only: empty in a path_node, of which there may
	 * be a million */
	struct hist hist;
};

/*
 * True when finished calls have durations. Calls whose entry and exit are one event
 * (EV_ENTRY_EXIT, EV_ENTRY_TAIL) have none, and the longest of them took 0 ns. A call of two events
 * takes 0 ns only where the clock did not advance between them, because it is coarse or was set
 * back. Then nobody knows how long the call took, either.
 */
static inline bool call_stats_timed(const struct call_stats *st)
{
	return st->finished && st->max_ns;
}

/* Adds counts and times, without the histogram. */
void call_stats_add(struct call_stats *into, const struct call_stats *from);

/* A node of the path tree. Index 0 is the root, no function. */
struct path_node {
	uint32_t parent;
	uint32_t func;                      /* index into funcs, or PATH_* */
	uint32_t first_child, next_sibling; /* 0: none */
	uint32_t max_recursion;             /* depth of direct recursion folded in here, 1 = none */
	bool go_edge;                       /* reached by a go statement */
	uint64_t go_pc;                     /* of that statement, 0 when not known */
	uint64_t recursive;                 /* calls made by their own function */
	struct call_stats stats;
};
/*
 * A path never ends with the same sequence of up to this many functions twice in a row. A call that
 * would make it so counts as the path that ends with the first of the two. So do the calls below
 * it. With one function that is direct recursion. A path's total is the time in which it, or one
 * below it, was the innermost call's.
 */
#define PATHS_CYCLE_MAX 32
#define PATH_ROOT       0xffffffffu
#define PATH_OTHER      0xfffffffeu /* folded: the tree's cap was reached */
/* "runtime timer": goroutines made on a system stack by no goroutine */
#define PATH_TIMER 0xfffffffdu

struct goroutine_info {
	uint64_t goid, creator;       /* creator 0: not known */
	uint32_t image;               /* which process image */
	uint64_t first_ns, last_ns;   /* of its events, CLOCK_MONOTONIC */
	uint64_t create_pc, start_pc; /* 0: not known */
	uint64_t calls, started;      /* started: goroutines, by go statements */
	/* outermost calls and what held up their prologues: = self_ns + morestack_ns + preempt_ns
	 */
	uint64_t total_ns;
	uint64_t self_ns, morestack_ns, preempt_ns;
	/* With states, the time from its creation or first event to its end or the end of the
	 * trace, as far as it counts; and the parts of that in which it did not run */
	uint64_t life_ns;
	struct off_times off;
	bool ended;  /* its end was seen */
	bool system; /* a thread's system stack: goid is the thread id */
};

/* What a call was given and gave back; NULL: nothing of it is known. There until the callback
 * returns. */
struct call_values {
	const struct trace_values *args, *results;
};

/* Waits of one reason in one call: in itself, and with all below it. */
struct call_wait {
	uint64_t self_ns, total_ns;
	uint32_t reason; /* of struct path_waits */
};

/* When a call's goroutine did not run: parts of its self time and of its duration. */
struct call_states {
	struct off_times self, total;
	/* With model_options.call_waits: each reason once. They add up to wait_ns of self and of
	 * total. */
	const struct call_wait *waits;
	size_t n_waits;
};

/* A goroutine's time in one state, never empty; those of a goroutine have no gaps. */
struct state_span {
	uint64_t goid, from_ns, to_ns;
	uint64_t by; /* STATE_RUNNABLE: the goroutine that made it so (EV_WAKE); 0: none, or unknown
		      */
	uint32_t image;
	uint32_t by_func;       /* the function that `by` was in, or WAKE_*; WAKE_NONE without */
	uint16_t state, reason; /* STATE_*; of STATE_WAITING, else 0 */
};
/* In place of a function: of what made a goroutine runnable. */
#define WAKE_NONE    0xffffffffu /* nothing that is known did */
#define WAKE_RUNTIME 0xfffffffeu /* the runtime on a system stack: a timer, the network */
#define WAKE_NO_CALL 0xfffffffdu /* a goroutine that was in no recorded call */

/* Waits of one reason in the calls of a path. */
struct path_waits {
	uint32_t path, func; /* func: tells apart what PATH_OTHER stands for */
	uint32_t reason;
	bool held;      /* in prologues that were stopped: in totals, in nobody's self time */
	uint64_t ns, n; /* n: waits that began, or were going on as what counts did */
};

/* A call, handed out when it ends. */
struct call {
	uint64_t start_ns, end_ns, self_ns;
	uint64_t goid;              /* system: of the goroutine it worked for, 0 if none */
	uint64_t order;             /* ordinal of its entry event over the whole trace */
	uint32_t func, path, level; /* level: open frames below it on its goroutine */
	uint32_t tid;               /* thread at the entry */
	uint32_t image;             /* process image, 0: the first; goids are its own */
	union {
		const struct call_values *values; /* NULL: none. As it begins, arguments only */
		uint64_t kept; /* for whoever keeps it: analysis/calls/kept_values.h. 0: none */
	};
	/* As it ends, in traces with states; valid until the callback returns. NULL: it only ran,
	 * or nothing is known. */
	const struct call_states *states;
	enum call_end end : 8;
	bool suspect;
	bool system;
	/* made by its own function: direct recursion, one path node with its caller */
	bool recursive;
	bool begun_before; /* CALL_UNFINISHED, but its end was seen */
};

/* False of a finished call of 0 ns, as in call_stats_timed. */
static inline bool call_timed(const struct call *c)
{
	return c->end_ns > c->start_ns || (c->end != CALL_FINISHED && c->end != CALL_TAIL);
}

/* What held up a prologue, handed out as it is charged to a path. The sum of all is morestack_ns
 * and preempt_ns of the nodes, and of the goroutines. */
struct prologue_stop_time {
	uint64_t goid; /* system: the thread id */
	uint32_t path;
	bool system;
	uint64_t morestack_ns, preempt_ns;
};

/* The part that an event has in the calls around it. */
enum event_role {
	ROLE_ENTRY,  /* it begins a call of the path */
	ROLE_EXIT,   /* it ends one */
	ROLE_BOTH,   /* at once */
	ROLE_INSIDE, /* neither: something else that happened in a call of the path */
	ROLES,
};

/* How many events of a path came about in one way. */
struct path_events {
	uint32_t path;
	uint8_t role, how; /* enum event_role; HOW_*, never HOW_UNKNOWN */
	uint64_t n;
};

/* Samples of the processor time (EV_SAMPLE): what they stand for, ns. */
struct model_sampled {
	uint64_t n, ns;      /* all of them */
	uint64_t probe_ns;   /* in probes */
	uint64_t outside_ns; /* in no recorded call */
	/* while a prologue was stopped, events were lost, or the goroutine did not run: in no
	 * path's */
	uint64_t apart_ns;
};

struct model_totals {
	uint64_t events, calls, orphan_exits;
	uint64_t lost_events, loss_records;
	/* suspect_ns: their self time, so that none counts twice */
	uint64_t suspect_calls, suspect_ns;
	/* sum of goroutine_info.total_ns, system stacks too; model_correct takes probe_ns out of it
	 */
	uint64_t root_ns, probe_ns;
	uint64_t first_ns, last_ns;
	uint64_t from_ns; /* where that begins which counts: first_ns, or model_view_begin's */
	uint64_t goroutines, images; /* images: the first counts once something is known of it */
	/* calls put under PATH_OTHER for want of a node, deeper ones apart */
	uint64_t folded_nodes;
	uint64_t bad_events; /* unknown site or kind */
	uint64_t released;   /* functions, see model_released_ns */
	/* EV_WINDOW: how often recording began, why it did first (WINDOW_BY_*), for how long it
	 * was off between the first and the last event, events left out inside calls */
	uint64_t windows, window_why, off_ns, left_out;
	/* Of a summary made while the recording went on: all events up to then are in it. 0: not
	 * known */
	uint64_t up_to_ns;
	/* WINDOW_HIT: how many; the last one: when, after how long, of which goroutine and function
	 */
	uint64_t hits, hit_ns, hit_took_ns, hit_goid;
	uint32_t hit_func;
	/* The trace has states: what goroutines did in all their lives. */
	bool states;
	uint64_t life_ns;
	struct off_times off;
	/* Of them, goroutines without a call: mostly those of the runtime. */
	uint64_t idlers, idle_life_ns;
	struct off_times idle_off;
	struct model_sampled sampled;
};

/* Calls made in path `from` that count as path `to`, which is above it: of the function of `to`,
 * two or more functions after its last call. Their caller's function is that of the parent of `to`.
 */
struct path_fold {
	uint32_t from, to;
	uint64_t calls;
};

/*
 * What counts of a trace. The rest is paired, so that paths are whole, but is in no number and is
 * not handed out. Of calls above those that count, only the part of their total that is spent in
 * these counts.
 */
struct model_view {
	const uint8_t *funcs; /* VIEW_* of each function; NULL: of no function */
	bool focus;           /* only what has a VIEW_FOCUS function on its path */
	const uint64_t *goids;
	size_t n_goids; /* only what these goroutines did; 0: all did */
	bool later;     /* nothing counts before model_view_begin */
	/* VIEW_* of a row of model_options.group, besides those of its function; NULL: none */
	uint8_t (*row)(void *ctx, uint32_t row);
	void *row_ctx;
};
#define VIEW_FOCUS  1 /* it and all below it count */
#define VIEW_IGNORE 2 /* it and all below it do not */

struct goroutine_place;
struct hold_rules;

struct model_options {
	const struct model_view *view; /* NULL: all counts */
	uint32_t max_paths;            /* 0: a million */
	bool path_selfs;               /* for model_path_selfs, at some cost */
	bool no_states;                /* states are left out, also where there are some */
	bool call_waits, wakes;        /* for call_states.waits, model_wakes, at some cost */
	const struct hold_rules
		*holds; /* for model_holds (model/holds.h), borrowed; NULL: not wanted */
	/* Called as each call begins / ends; NULL: not wanted. A call whose prologue was stopped
	 * (EV_MORESTACK) begins once more, with the same order and a later start; or gets no
	 * on_call when it never went on: it was none. */
	void (*on_entry)(void *ctx, const struct call *c); /* end fields not set yet */
	void (*on_call)(void *ctx, const struct call *c);
	void (*on_prologue_stop)(void *ctx,
				 const struct prologue_stop_time *t); /* NULL: not wanted */
	/* Called as a goroutine's span ends; NULL: not wanted. */
	void (*on_state)(void *ctx, const struct state_span *s);
	/* Called when a goroutine's state is freed, and at the end for the others. */
	void (*on_goroutine)(void *ctx, const struct goroutine_info *g);
	void *ctx;
	/* Called before that, in traces with states (model/places.h); NULL: not wanted. */
	void (*on_place)(void *ctx, const struct goroutine_place *p);
	void *place_ctx;
	/*
	 * Separates calls of one function by their arguments. Sets *row to the function that a call
	 * of func with these arguments counts as, in the numbers of functions and paths. Calls that
	 * are handed out keep their own function. A new row is the next after those so far, of info
	 * too. 0 or -errno. May be NULL.
	 */
	int (*group)(void *ctx, uint32_t func, const struct trace_values *v, uint32_t *row);
	void *group_ctx;
};

struct model;

/* Borrows info, which may grow (pcs, kvs) but not shrink. NULL and errno. */
struct model *model_new(const struct trace_info *info, const struct model_options *opt);
/* Events in file order. 0 or -ENOMEM. An event that makes no sense is counted, never fatal. */
int model_feed(struct model *m, const struct event_ext *ev);
int model_feed_span(struct model *m, const struct trace_span *span); /* faster than one by one */
/* Arguments and results of events of the array `ev`, of which some are fed next: those of
 * ev[v->at]. Borrowed until the next call. n 0: there are none. */
void model_values(struct model *m, const struct trace_values *v, size_t n, const struct event *ev);
/*
 * A trace of few bytes may claim millions of goroutines, open calls and paths: no more than so many
 * bytes of it account for are believed. stored_bytes: of the trace, as read so far. Above it
 * model_feed returns -E2BIG, paths are counted under [other]. Without a call all is believed.
 */
void model_allow(struct model *m, uint64_t stored_bytes);
/*
 * What counts begins at ts_ns: forgets all numbers so far. What is open begins there once more, and
 * its end is CALL_UNFINISHED, as it is not seen whole. 0 or -ENOMEM.
 */
int model_view_begin(struct model *m, uint64_t ts_ns);
/* It ends at ts_ns, before model_finish: what is open there is unfinished. */
void model_view_end(struct model *m, uint64_t ts_ns);
/* Samples that are alike: one stack, once or several times. */
struct model_sample {
	const uint32_t *funcs; /* indices, the outermost first */
	size_t n;
	uint64_t samples, weight_ns;
	uint64_t first_ns, last_ns; /* the times of two of them */
	unsigned state;             /* STATE_*; STATE_RUNNING where nothing is said */
	uint32_t reason; /* of struct path_waits; of STATE_SYSCALL which one, 0: not known */
};
/* Counts them, in place of events: of a model that was fed with none. A function right below itself
 * is one node with it. *path: where they hang, 0 of an empty stack; a NULL is allowed. 0 or
 * -ENOMEM.
 */
int model_sample(struct model *m, const struct model_sample *s, uint32_t *path);
/* After model_finish: the square of the standard error, ns, of a function's or a path's total or
 * self time. */
void model_sample_error(struct model *m, bool of_func, size_t row, bool total, double square_ns2);
/* Ends everything that is open. To be called once, before the getters. */
int model_finish(struct model *m);
void model_free(struct model *m);

const struct model_totals *model_totals(const struct model *m);
/* One per function of info, same index; recursive calls count once in total_ns. */
const struct call_stats *model_funcs(const struct model *m, size_t *n);
const struct path_node *model_paths(const struct model *m, size_t *n);
/* The shortest and the longest self time of the finished calls of each path, same index; valid
 * where there are some. Needs model_options.path_selfs, else NULL. */
struct path_selfs {
	uint64_t min_ns, max_ns;
};
const struct path_selfs *model_path_selfs(const struct model *m);
/* Of whatever paths there are such calls. Above some millions of pairs they are not told apart. */
const struct path_fold *model_path_folds(const struct model *m, size_t *n);
/* From when on, CLOCK_MONOTONIC, a function was not recorded any more (EV_RELEASED): its counts and
 * times are those up to then. 0: it was recorded to the end. */
uint64_t model_released_ns(const struct model *m, uint32_t func);
/* The function that a row of model_options.group is of; any other function itself. */
uint32_t model_plain_func(const struct model *m, uint32_t func);
/* After model_finish, before model_correct: ns of the running time of a path's caller were spent in
 * the path's function, which is released. No more than the caller has. Returns how much. */
uint64_t model_give(struct model *m, uint32_t path, uint64_t ns);
/* Tells of the events of each path, in each role and way; only of those of which it is known how
 * they came about. After model_finish. */
void model_path_events(const struct model *m, void (*tell)(void *ctx, const struct path_events *e),
		       void *ctx);

/* The times in which some goroutine was runnable, by how many others executed meanwhile on a
 * processor of Go's scheduler (P) each. The last of the *n times is of so many and more. After
 * model_finish. */
const uint64_t *model_levels(const struct model *m, size_t *n);

/* The waits of all paths, n of them, in no order; NULL: none. Those that are not held add up to
 * off_self.wait_ns; of samples with system calls that are known, and off_self.syscall_ns, too.
 * After model_finish. */
const struct path_waits *model_waits(const struct model *m, size_t *n);

/* Samples of the processor time in the calls of a path, those below not included: the program's and
 * the probes'. How many, what they stand for in ns, and the sum of the squares of that in us^2. */
struct path_sampled {
	uint32_t path;
	uint64_t n, ns, squares;
	uint64_t probe_n, probe_ns, probe_squares;
};
/* Of the paths that have some, n of them, in no order. After model_finish. */
const struct path_sampled *model_path_sampled(const struct model *m, size_t *n);

/* What probes cost in the calls of a path, those below not included. */
struct path_correction {
	uint64_t probe_ns, uncertainty_ns;
	uint64_t cost_ns; /* of its own events, for its callers too */
	/* Of the time in which its thread had no processor: for as long as probes had it, others
	 * waited longer. */
	uint64_t off_cpu_ns;
	/* Likewise of the time in which its goroutine was runnable: others ran longer. */
	uint64_t runnable_ns;
};
/*
 * Subtracts the probes' cost from the times of all paths, functions and of the root. of[i] is path
 * i's cost; at most the time that the path ran, had no processor or was runnable is subtracted.
 * func_errors_ns[i] is the uncertainty of function i; without them it is the sum of its paths'.
 * Totals lose the cost below them on their goroutine, so that everything adds up as before. To be
 * called once, after model_finish. Leaves alone calls and goroutines handed out, distributions,
 * stops of prologues and PATH_OTHER. 0 or -ENOMEM.
 */
int model_correct(struct model *m, const struct path_correction *of,
		  const uint64_t *func_errors_ns);

/*
 * Makes calls of these functions (funcs[i] is not 0) parts of the calls that made them, where they
 * called nothing else and started no goroutine. Self times and waits then are their callers', and
 * their paths are empty. Calls without a recorded caller stay. Everything adds up as before,
 * but for distributions, which stay, model_wakes and model_holds. To be called last. 0 or -ENOMEM.
 */
int model_fold(struct model *m, const uint8_t *funcs);

#endif
