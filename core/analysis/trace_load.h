/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads a trace up to its end. Every report and every export begins with it. */
#ifndef GOTRACE_TRACE_LOAD_H
#define GOTRACE_TRACE_LOAD_H

#include "analysis/trace_view.h"

/* The estimate of the probes' part of a running time. */
enum correct_by { CORRECT_BY_BETTER, CORRECT_BY_SAMPLES, CORRECT_BY_EVENTS };

struct loaded_trace {
	const struct trace_info *info; /* the reader's */
	uint64_t stored_bytes;         /* bytes of the trace that were read */
	struct model *model;           /* owned */
	const struct model_totals *totals;
	const struct call_stats *funcs; /* by function of info; set after reading */
	size_t n_funcs;
	/* The wanted part; NULL: everything. With a view, `model` has that part, and `whole` has
	 * everything, to say what was left out. */
	const struct trace_view *view;
	struct model_view model_view;
	struct trace_view_rows view_rows;
	struct parked *parked;          /* owned; NULL: no waits are left out (parked.h) */
	bool parked_later;              /* they are not left out yet */
	struct key_groups *groups;      /* owned; NULL: there are no groups of calls */
	const char *request;            /* the view's request, may be NULL */
	struct lock_rules *locks;       /* owned; NULL: holds of locks are not wanted */
	bool locks_lent;                /* a live_trace owns `locks` */
	struct model *whole;            /* owned; NULL: `model` has everything */
	const struct model_totals *all; /* totals of the whole trace */
	bool complete;                  /* it has an end record */
	/* correction_apply was called; it took the cost of probes out of times */
	bool correction_tried, corrected;
	bool folded;                /* set by fold_waits */
	enum correct_by correct_by; /* set between trace_load and correction_apply */
	/* Numbers are from a summary. The trace has no events, or only those of calls that last at
	 * least min_duration_ns. */
	bool summary;
	uint64_t min_duration_ns;
	const struct sample_tables *tables; /* the reader's; may be NULL */
	/* a trace of samples has it (analysis/samples/sample_load.h); otherwise NULL */
	struct loaded_samples *samples;
	bool growing; /* it was still being recorded when it was opened */
};

/* How a reader of single calls handles a trace with a summary of all calls, but with no single
 * calls or only some. It has no effect without callbacks. */
enum trace_calls {
	CALLS_NONE_WILL_DO, /* calls back only for a trace with all single calls */
	CALLS_WELCOME,      /* calls back for the single calls that there are */
	CALLS_SOME,         /* fails without any single calls */
	CALLS_ALL,          /* fails without all single calls */
};

/* Functions called while the trace is read, each with `ctx`. They may be NULL. */
struct trace_watch {
	enum trace_calls calls;
	/* those of model_options */
	void (*on_entry)(void *ctx, const struct call *c);
	void (*on_call)(void *ctx, const struct call *c);
	void (*on_prologue_stop)(void *ctx, const struct prologue_stop_time *t);
	void (*on_goroutine)(void *ctx, const struct goroutine_info *g);
	void (*on_state)(void *ctx, const struct state_span *s);
	/* An event with arguments, after the model was fed with it. */
	void (*on_event)(void *ctx, const struct event_ext *ev);
	bool path_selfs, call_waits, wakes; /* those of model_options */
	bool holds;                         /* wants model_options.holds */
	bool parked;                        /* loaded_trace_leave_out_parked is called later */
	bool mark_parked;                   /* samples of parked goroutines are marked */
	/* Called when a trace of samples was read, while its single samples are in memory. A reader
	 * with this function needs no calls. */
	void (*on_samples)(void *ctx, const struct loaded_trace *t);
	void *ctx;
	int err; /* set by one of them (-errno); it ends reading */
};

/*
 * Reads r to its end. The callbacks may use `info`, `model` and `totals`. view: the part that
 * counts, which must live as long as t; NULL for everything. watch: may be NULL. 0 or -errno
 * (logged, except watch->err), -ENOTSUP when the trace lacks wanted single calls; trace_unload in
 * either case.
 */
int trace_load(struct loaded_trace *t, struct trace_reader *r, const struct trace_view *view,
	       struct trace_watch *watch);
void trace_unload(struct loaded_trace *t);

/* Marks functions with 1, like trace_view_mark. A function's name stands for all of its rows of
 * --key. */
int loaded_trace_mark(const struct loaded_trace *t, const char *option, const char *const *globs,
		      size_t n, uint8_t *funcs);

/* Leaves out the waits of parked goroutines, unless they are left out already, or view->parked is
 * set. The trace must be read with trace_watch.parked. 0 or -ENOMEM. */
int loaded_trace_leave_out_parked(struct loaded_trace *t);

/* Returns the parts that a view shows and leaves out: "shown: 3 of 10 calls, 1.20s of 3.40s (35.3%)
 * ...". The caller frees it. NULL when nothing is left out, or without memory. */
char *loaded_trace_left_out(const struct loaded_trace *t);
/* Returns the time from the first event to the last. */
uint64_t loaded_trace_span_ns(const struct loaded_trace *t);
/* Sets the times, CLOCK_REALTIME, between which samples of the shown part could be taken. False if
 * the trace does not have them. */
bool loaded_trace_stretch(const struct loaded_trace *t, uint64_t *from_ns, uint64_t *to_ns);
/* Returns the length of that stretch, or the time from the first event to the last. */
uint64_t loaded_trace_length_ns(const struct loaded_trace *t);
/* Returns the time that the program ran, or the part of it that was seen. */
uint64_t loaded_trace_wall_ns(const struct loaded_trace *t);
/* Returns whether recording began after the program, or ended before it. */
bool loaded_trace_is_part(const struct loaded_trace *t);
/* Returns the number of calls counted under [other] because the model's tree of paths is full. */
uint64_t loaded_trace_other_calls(const struct loaded_trace *t);

#endif
