/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes calls of events, and a call tree with statistics of the calls. The code is pure. It needs
 * no kernel, no privilege and no clock. Memory grows with goroutines alive, open calls, functions
 * and distinct paths, never with the number of events.
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
 * The times in which a goroutine did not run, ns, in traces with states (EV_STATE). It ran in the
 * rest of its time. unknown_ns is time whose events may have been lost.
 */
struct off_times {
	uint64_t runnable_ns, wait_ns, syscall_ns, unknown_ns, off_cpu_ns;
};
/* A reason that Go does not have. The goroutine was stopped in a prologue for the garbage
 * collector. */
#define REASON_PREEMPTED 256

static inline uint64_t off_times_sum(const struct off_times *t)
{
	return t->runnable_ns + t->wait_ns + t->syscall_ns + t->unknown_ns + t->off_cpu_ns;
}

void off_times_add(struct off_times *into, const struct off_times *from);

struct call_stats {
	/* calls = finished + unfinished + unwound + calls that end CALL_INFERRED. A model of
	 * samples counts here the samples that have it innermost. self_ns is their weight, and
	 * finished is 0. */
	uint64_t calls;
	/* samples that have it anywhere on the stack; total_ns is their weight */
	uint64_t samples;
	uint64_t finished, unfinished, unwound, suspect;
	uint64_t begun_before;      /* the part of unfinished whose end was seen */
	uint64_t total_ns, self_ns; /* with suspect calls; see suspect_ns */
	/* The times that model_correct took out of self_ns (probe_ns) and of total_ns (inside_ns).
	 * uncertainty_ns says how wrong probe_ns may be, as a time and as a share of the sum of
	 * all functions. */
	uint64_t probe_ns, inside_ns, uncertainty_ns;
	/* How wrong the corrected time may be in which it ran. run_chance_ns is two standard errors
	 * by chance, and another recording has others. run_bias_ns has one cause in all recordings
	 * that probe alike. */
	uint64_t run_chance_ns, run_bias_ns;
	/* the cost of its own events, wherever it was charged; set by model_correct */
	uint64_t cost_ns;
	/* parts of probe_ns and inside_ns that were taken out of off_cpu_ns */
	uint64_t off_probe_ns, off_inside_ns;
	/* parts of probe_ns and inside_ns that were taken out of runnable_ns */
	uint64_t ready_probe_ns, ready_inside_ns;
	uint64_t left_out_ns; /* the time that model_leave_out took out of total_ns */
	/* part of self_ns that model_give added, by samples since the function was released */
	uint64_t sampled_ns;
	bool corrected;
	/* Parts of self_ns and of total_ns in which the goroutine did not run; 0 without states.
	 * Only off_cpu_ns and runnable_ns of them lose the cost of probes. */
	struct off_times off_self, off_total;
	/* With samples, the squares of the standard errors of self_ns and total_ns; 0 when not
	 * known */
	double self_square_ns2, total_square_ns2;
	uint64_t suspect_ns;             /* the part of total_ns in suspect calls */
	uint64_t min_ns, max_ns, sum_ns; /* finished calls; valid when finished > 0 */
	uint64_t morestack_ns, morestack_count;
	uint64_t preempt_ns, preempt_count, declined_count;
	/* Durations of finished calls. Only functions have it. It is empty in a path_node, because
	 * there may be a million nodes. */
	struct hist hist;
};

/*
 * Returns whether finished calls have durations. Calls whose entry and exit are one event
 * (EV_ENTRY_EXIT, EV_ENTRY_TAIL) have none, and the longest of them took 0 ns. A call of two events
 * takes 0 ns only where the clock did not advance between them, because it is coarse or was set
 * back. The duration of such a call is not known either.
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
	bool go_edge;                       /* a go statement leads to it */
	uint64_t go_pc;                     /* the address of that statement, 0 when not known */
	uint64_t recursive;                 /* calls that their own function made */
	struct call_stats stats;
	/* outermost calls on goroutines that had made a recorded call before; 0 in a summary */
	uint64_t again;
};
/*
 * A path never ends with the same sequence of up to this many functions twice in a row. A call that
 * would repeat a sequence counts for the path that ends with the first of the two. So do the calls
 * below it. A sequence of one function is direct recursion. A path's total is the time in which the
 * path of the innermost call was this path or one below it.
 */
#define PATHS_CYCLE_MAX 32
#define PATH_ROOT       0xffffffffu
/* a node for calls that came after the tree's cap was reached */
#define PATH_OTHER 0xfffffffeu
/* The node "runtime timer" has goroutines that no goroutine created. A system stack created
 * them. */
#define PATH_TIMER 0xfffffffdu

struct goroutine_info {
	uint64_t goid, creator;       /* creator 0: not known */
	uint32_t image;               /* which process image */
	uint64_t first_ns, last_ns;   /* times of its first and last event, CLOCK_MONOTONIC */
	uint64_t create_pc, start_pc; /* 0: not known */
	uint64_t calls, started;      /* started: goroutines that its go statements started */
	/* the time of its outermost calls and of the stops of their prologues: self_ns +
	 * morestack_ns + preempt_ns */
	uint64_t total_ns;
	uint64_t self_ns, morestack_ns, preempt_ns;
	/* With states, the part of its life that counts. Its life lasts from its creation or first
	 * event to its end or the end of the trace. `off` has the parts of life_ns in which it did
	 * not run. */
	uint64_t life_ns;
	struct off_times off;
	bool ended;  /* its end was seen */
	bool system; /* a thread's system stack: goid is the thread id */
};

/* The arguments and the results of a call; NULL when not known. Valid until the callback
 * returns. */
struct call_values {
	const struct trace_values *args, *results;
};

/* The waits of one reason in one call. self_ns is its own wait, total_ns is that of the call with
 * all calls below it. */
struct call_wait {
	uint64_t self_ns, total_ns;
	uint32_t reason; /* one of struct path_waits */
};

/* The parts of a call's self time and of its duration in which its goroutine did not run. */
struct call_states {
	struct off_times self, total;
	/* The call's waits, each reason once; with model_options.call_waits. Their sums are wait_ns
	 * of self and of total. */
	const struct call_wait *waits;
	size_t n_waits;
};

/* A goroutine's time in one state. It is never empty, and the spans of a goroutine have no gaps. */
struct state_span {
	uint64_t goid, from_ns, to_ns;
	/* In STATE_RUNNABLE, the goroutine that made this one runnable (EV_WAKE). 0: no goroutine,
	 * or not known. */
	uint64_t by;
	uint32_t image;
	/* the function that `by` was in, or WAKE_*; WAKE_NONE where no waker is known */
	uint32_t by_func;
	uint16_t state, reason; /* state: STATE_*; reason: 0 except in STATE_WAITING */
};
/* Values of by_func that are no function. */
#define WAKE_NONE 0xffffffffu /* no waker is known */
/* the runtime on a system stack, for example for a timer or the network */
#define WAKE_RUNTIME 0xfffffffeu
#define WAKE_NO_CALL 0xfffffffdu /* a goroutine outside all recorded calls */

/* Waits of one reason in the calls of a path. */
struct path_waits {
	uint32_t path, func; /* func tells apart the functions in PATH_OTHER */
	uint32_t reason;
	bool held;      /* waits in stopped prologues: part of totals, of no self time */
	uint64_t ns, n; /* n: waits that began, or were going on when counting began */
};

/* A call. The model hands it out when it ends. */
struct call {
	uint64_t start_ns, end_ns, self_ns;
	uint64_t goid;  /* on a system stack, the goroutine that it worked for, 0 if none */
	uint64_t order; /* ordinal of its entry event in the whole trace */
	uint32_t func, path, level; /* level: open frames below it on its goroutine */
	uint32_t tid;               /* thread of its entry event */
	uint32_t image;             /* process image, 0: the first; each image has its own goids */
	union {
		/* NULL: no values. on_entry gets arguments only. */
		const struct call_values *values;
		/* for code that keeps the call (analysis/calls/kept_values.h); 0: no values */
		uint64_t kept;
	};
	/* Set for on_call in traces with states. Valid until the callback returns. NULL: the
	 * goroutine ran all the time, or nothing is known. */
	const struct call_states *states;
	enum call_end end : 8;
	bool suspect;
	bool system;
	/* its own function made it: direct recursion, in one path node with its caller */
	bool recursive;
	bool begun_before; /* CALL_UNFINISHED, but its end was seen */
};

/* Returns false for a finished call of 0 ns, as call_stats_timed does. */
static inline bool call_timed(const struct call *c)
{
	return c->end_ns > c->start_ns || (c->end != CALL_FINISHED && c->end != CALL_TAIL);
}

/* The stops of a prologue. The model hands them out when it charges them to a path. Their sums are
 * morestack_ns and preempt_ns of the nodes, and of the goroutines. */
struct prologue_stop_time {
	uint64_t goid; /* system: the thread id */
	uint32_t path;
	bool system;
	uint64_t morestack_ns, preempt_ns;
};

/* The role that an event has for its path. */
enum event_role {
	ROLE_ENTRY,  /* the event begins a call of the path */
	ROLE_EXIT,   /* it ends a call */
	ROLE_BOTH,   /* it begins and ends a call */
	ROLE_INSIDE, /* neither: it happened inside a call of the path */
	ROLES,
};

/* The number of a path's events with one role and one way. */
struct path_events {
	uint32_t path;
	uint8_t role, how; /* enum event_role; HOW_*, never HOW_UNKNOWN */
	uint64_t n;
};

/* Sums of the processor time for which samples (EV_SAMPLE) stand, ns. */
struct model_sampled {
	uint64_t n, ns;      /* all samples */
	uint64_t probe_ns;   /* in probes */
	uint64_t outside_ns; /* outside all recorded calls */
	/* While a prologue was stopped, events were lost, or the goroutine did not run. No path has
	 * this time. */
	uint64_t apart_ns;
};

struct model_totals {
	uint64_t events, calls, orphan_exits;
	uint64_t lost_events, loss_records;
	/* suspect_ns: the self time of suspect calls, so that no time counts twice */
	uint64_t suspect_calls, suspect_ns;
	/* root_ns: the sum of goroutine_info.total_ns, with system stacks. model_correct takes
	 * probe_ns out of it. */
	uint64_t root_ns, probe_ns;
	uint64_t first_ns, last_ns;
	/* begin of the time that counts: first_ns, or the time of model_view_begin */
	uint64_t from_ns;
	uint64_t goroutines, images; /* the first image counts after its first event */
	/* calls put under PATH_OTHER because there were too many nodes; deeper calls count, too */
	uint64_t folded_nodes;
	uint64_t bad_events; /* unknown site or kind */
	uint64_t released;   /* number of released functions, see model_released_ns */
	/* From EV_WINDOW: how often recording began, why it first began (WINDOW_BY_*), and for how
	 * long it was off between the first and the last event. left_out: events left out inside
	 * calls. */
	uint64_t windows, window_why, off_ns, left_out;
	/* A summary made while the recording went on has all events up to this time. 0: not
	 * known */
	uint64_t up_to_ns;
	/* From WINDOW_HIT: the number of hits. Then the time of the last hit, how long its call had
	 * taken, its goroutine and its function. */
	uint64_t hits, hit_ns, hit_took_ns, hit_goid;
	uint32_t hit_func;
	/* states: the trace has states. Then life_ns is the sum of all goroutines' lives, and `off`
	 * has the parts in which they did not run. */
	bool states;
	uint64_t life_ns;
	struct off_times off;
	/* The part of these that belongs to goroutines without a call, mostly those of the
	 * runtime. */
	uint64_t idlers, idle_life_ns;
	struct off_times idle_off;
	struct model_sampled sampled;
};

/* Calls made in path `from` that count for path `to`, which is above `from`. They are calls of the
 * function of `to`, two or more functions after its last call. The function of the parent of `to`
 * made them. */
struct path_fold {
	uint32_t from, to;
	uint64_t calls;
};

/*
 * Selects the part of a trace that counts. The rest is paired, so that paths are whole. But no
 * number includes it, and it is not handed out. A call above those that count has only their time
 * in its total.
 */
struct model_view {
	const uint8_t *funcs; /* VIEW_* of each function; may be NULL */
	bool focus;           /* only paths with a VIEW_FOCUS function count */
	const uint64_t *goids;
	size_t n_goids; /* only these goroutines count; 0: all goroutines count */
	bool later;     /* nothing counts before model_view_begin */
	/* Returns VIEW_* of a row of model_options.group, added to those of its function. May be
	 * NULL. */
	uint8_t (*row)(void *ctx, uint32_t row);
	void *row_ctx;
};
#define VIEW_FOCUS  1 /* the function and all below it count */
#define VIEW_IGNORE 2 /* the function and all below it do not count */

struct goroutine_place;
struct hold_rules;

struct model_options {
	const struct model_view *view; /* NULL: everything counts */
	uint32_t max_paths;            /* 0: a million */
	bool path_selfs;               /* computes model_path_selfs, at some cost */
	bool no_states;                /* leaves out states, where the trace has some */
	bool call_waits, wakes;        /* computes call_states.waits, model_wakes, at some cost */
	/* for model_holds (model/holds.h), borrowed; NULL: computes no holds */
	const struct hold_rules *holds;
	/* Called when a call begins and when it ends; may be NULL. A call whose prologue was
	 * stopped (EV_MORESTACK) begins once more, with the same order and a later start. When its
	 * prologue never went on, there was no call, and on_call is not called. */
	void (*on_entry)(void *ctx, const struct call *c); /* end fields not set yet */
	void (*on_call)(void *ctx, const struct call *c);
	void (*on_prologue_stop)(void *ctx, const struct prologue_stop_time *t); /* may be NULL */
	/* Called when a goroutine's span ends; may be NULL. */
	void (*on_state)(void *ctx, const struct state_span *s);
	/* Called when a goroutine's state is freed, and at the end for the others. */
	void (*on_goroutine)(void *ctx, const struct goroutine_info *g);
	void *ctx;
	/* Called before on_goroutine, in traces with states (model/places.h); may be NULL. */
	void (*on_place)(void *ctx, const struct goroutine_place *p);
	void *place_ctx;
	/*
	 * Separates calls of one function by their arguments. Sets *row to the row that counts a
	 * call of func with these arguments, in the numbers of functions and paths. Calls that are
	 * handed out keep their own function. The number of a new row is the next one after all
	 * rows and functions of info so far. 0 or -errno. May be NULL.
	 */
	int (*group)(void *ctx, uint32_t func, const struct trace_values *v, uint32_t *row);
	void *group_ctx;
};

struct model;

/* Borrows info, which may grow (pcs, kvs) but not shrink. NULL and errno. */
struct model *model_new(const struct trace_info *info, const struct model_options *opt);
/* Feeds an event. Events come in file order. 0 or -ENOMEM. An event that makes no sense is counted,
 * and is no error. */
int model_feed(struct model *m, const struct event_ext *ev);
int model_feed_span(struct model *m, const struct trace_span *span); /* faster than one by one */
/* Sets arguments and results of events in the array `ev`, which is fed next, or a part of it. v->at
 * is the index of an event in the array. Borrowed until the next call. n 0: there are no values. */
void model_values(struct model *m, const struct trace_values *v, size_t n, const struct event *ev);
/*
 * Limits memory, because a trace of few bytes may claim millions of goroutines, open calls and
 * paths. The limit grows with stored_bytes, the bytes of the trace read so far. Above the limit
 * model_feed returns -E2BIG, and calls of new paths count under [other]. Without model_allow there
 * is no limit.
 */
void model_allow(struct model *m, uint64_t stored_bytes);
/*
 * Begins counting at ts_ns and forgets all numbers so far. Open calls begin there once more. They
 * end CALL_UNFINISHED, because their begin does not count. 0 or -ENOMEM.
 */
int model_view_begin(struct model *m, uint64_t ts_ns);
/* Ends counting at ts_ns; calls open there are unfinished. To be called before model_finish. */
void model_view_end(struct model *m, uint64_t ts_ns);
/* Samples with one stack. */
struct model_sample {
	const uint32_t *funcs; /* indices, the outermost first */
	size_t n;
	uint64_t samples, weight_ns;
	uint64_t first_ns, last_ns; /* the times of the first and the last of them */
	unsigned state;             /* STATE_*; STATE_RUNNING where no state is known */
	/* The reason, as in struct path_waits. In STATE_SYSCALL it is the number of the system
	 * call, 0 when not known. */
	uint32_t reason;
};
/* Counts samples. The model must not be fed with events. A function right below itself shares its
 * node. Sets *path, which may be NULL, to the node of the stack, 0 for an empty stack. 0 or
 * -ENOMEM. */
int model_sample(struct model *m, const struct model_sample *s, uint32_t *path);
/* Sets the square of the standard error, ns^2, of a function's or a path's total or self time. To
 * be called after model_finish. */
void model_sample_error(struct model *m, bool of_func, size_t row, bool total, double square_ns2);
/* Ends all open calls. To be called once, before the getters. */
int model_finish(struct model *m);
void model_free(struct model *m);

const struct model_totals *model_totals(const struct model *m);
/* Returns statistics of each function of info, by its index. Recursive calls count once in
 * total_ns. */
const struct call_stats *model_funcs(const struct model *m, size_t *n);
const struct path_node *model_paths(const struct model *m, size_t *n);
/* The shortest and the longest self time of the finished calls of each path, by its index. Valid
 * for paths that have some. NULL without model_options.path_selfs. */
struct path_selfs {
	uint64_t min_ns, max_ns;
};
const struct path_selfs *model_path_selfs(const struct model *m);
/* Returns the folds of all pairs of paths that have some. After some millions of pairs, new pairs
 * are not stored. */
const struct path_fold *model_path_folds(const struct model *m, size_t *n);
/* Returns the time, CLOCK_MONOTONIC, since which a function was not recorded any more
 * (EV_RELEASED). Its counts and times are those up to then. 0: it was recorded to the end. */
uint64_t model_released_ns(const struct model *m, uint32_t func);
/* Returns the function of a row of model_options.group, and for any other function itself. */
uint32_t model_plain_func(const struct model *m, uint32_t func);
/* Moves ns of the running time of a path's caller to the path, whose function is released. It moves
 * no more than the caller has, and returns how much. To be called after model_finish, before
 * model_correct. */
uint64_t model_give(struct model *m, uint32_t path, uint64_t ns);
/* Calls `tell` for each path, role and way with the number of its events. Events whose way is not
 * known are left out. To be called after model_finish. */
void model_path_events(const struct model *m, void (*tell)(void *ctx, const struct path_events *e),
		       void *ctx);

/* Returns the times in which some goroutine was runnable. The index is the number of other
 * goroutines that executed meanwhile, each on a processor of Go's scheduler (P). The last of the *n
 * times stands for so many and more. To be called after model_finish. */
const uint64_t *model_levels(const struct model *m, size_t *n);

/* Returns the waits of all paths, n of them, in no order; NULL: none. The sum of those that are not
 * held is off_self.wait_ns. With samples it also includes off_self.syscall_ns of system calls that
 * are known. To be called after model_finish. */
const struct path_waits *model_waits(const struct model *m, size_t *n);

/* Samples of the processor time in the calls of a path, without the calls below. They are apart for
 * the program and for probes. Each has the number of samples, the time that they stand for in ns,
 * and the sum of the squares of that time in us^2. */
struct path_sampled {
	uint32_t path;
	uint64_t n, ns, squares;
	uint64_t probe_n, probe_ns, probe_squares;
};
/* Returns the paths that have samples, n of them, in no order. To be called after model_finish. */
const struct path_sampled *model_path_sampled(const struct model *m, size_t *n);

/* Errors of a corrected time, as struct call_stats has them. */
struct correction_errors {
	uint64_t uncertainty_ns, run_chance_ns, run_bias_ns;
};

/* The cost of probes in the calls of a path, without the calls below. */
struct path_correction {
	uint64_t probe_ns;
	struct correction_errors errors;
	uint64_t cost_ns; /* the cost of its own events, with the part that its callers have */
	/* The part of the cost in the time in which its thread had no processor, because the thread
	 * waited longer while probes had the processor. */
	uint64_t off_cpu_ns;
	/* The part in the time in which its goroutine was runnable, because others ran longer. */
	uint64_t runnable_ns;
};
/*
 * Subtracts the probes' cost from the times of all paths, functions and of the root. The cost of
 * path i is of[i]. No more is subtracted than the time that the path ran, had no processor or was
 * runnable. The errors of function i are func_errors[i]; with NULL they are the sums of its
 * paths'. Totals lose the cost below them on their goroutine, so that all sums hold as before.
 * Calls and goroutines handed out, distributions, stops of prologues and PATH_OTHER stay unchanged.
 * To be called once, after model_finish. 0 or -ENOMEM.
 */
int model_correct(struct model *m, const struct path_correction *of,
		  const struct correction_errors *func_errors);

/*
 * Makes calls of some functions (funcs[i] is not 0) parts of their callers, where they called
 * nothing else and started no goroutine. The callers get their self times and waits, and their
 * paths become empty. Calls without a recorded caller stay. All sums hold as before, except for
 * model_wakes, model_holds and distributions, which stay. To be called last. 0 or -ENOMEM.
 */
int model_fold(struct model *m, const uint8_t *funcs);

#endif
