/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace read to its end: what every report and every export begins with. */
#ifndef GOTRACE_TRACE_LOAD_H
#define GOTRACE_TRACE_LOAD_H

#include "analysis/trace_view.h"

/* Which estimate tells what probes took of a running time. */
enum correct_by { CORRECT_BY_BETTER, CORRECT_BY_SAMPLES, CORRECT_BY_EVENTS };

struct loaded_trace {
	const struct trace_info *info; /* the reader's */
	uint64_t stored_bytes;         /* of the trace, as read so far */
	struct model *model;           /* owned */
	const struct model_totals *totals;
	const struct call_stats *funcs; /* of info's functions; set once all was read */
	size_t n_funcs;
	/* What was asked for; NULL: all. Then `model` has what is asked for, and `whole` has all,
	 * to say what was left out. */
	const struct trace_view *view;
	struct model_view model_view;
	struct trace_view_rows view_rows;
	struct parked *parked;          /* owned; NULL: none is left out (parked.h) */
	bool parked_later;              /* nor is yet */
	struct key_groups *groups;      /* owned; NULL: calls are not told apart */
	const char *request;            /* of the view; NULL: none */
	struct lock_rules *locks;       /* owned; NULL: who held locks is not wanted */
	bool locks_lent;                /* but by a live_trace */
	struct model *whole;            /* owned; NULL: the same as `model` */
	const struct model_totals *all; /* of the whole trace */
	bool complete;                  /* it has an end record */
	/* by correction_apply: it was asked; times are without what probes cost */
	bool correction_tried, corrected;
	bool folded;                /* by fold_waits */
	enum correct_by correct_by; /* set between trace_load and correction_apply */
	/* Numbers are from a summary, and there are no events, or only those of calls of
	 * min_duration_ns and longer. */
	bool summary;
	uint64_t min_duration_ns;
	const struct sample_tables *tables; /* the reader's; NULL: it has none */
	struct loaded_samples
		*samples; /* of a trace of samples (analysis/samples/sample_load.h), else NULL */
	bool growing;     /* it has none yet: it was still being recorded when it was opened */
};

/* What a reader of single calls can do with a trace that has a summary of all and no single calls,
 * or some. Of no matter where nothing is called back. */
enum trace_calls {
	CALLS_NONE_WILL_DO, /* it is called back for a trace with all of them only */
	CALLS_WELCOME,      /* and for those that there are */
	CALLS_SOME,         /* it makes no sense without any */
	CALLS_ALL,          /* nor with some only */
};

/* What is called while the trace is read, each with `ctx`. NULL: not wanted. */
struct trace_watch {
	enum trace_calls calls;
	/* as in model_options */
	void (*on_entry)(void *ctx, const struct call *c);
	void (*on_call)(void *ctx, const struct call *c);
	void (*on_prologue_stop)(void *ctx, const struct prologue_stop_time *t);
	void (*on_goroutine)(void *ctx, const struct goroutine_info *g);
	void (*on_state)(void *ctx, const struct state_span *s);
	/* An event with arguments, after the model was fed with it. */
	void (*on_event)(void *ctx, const struct event_ext *ev);
	bool path_selfs, call_waits, wakes; /* as in model_options */
	bool holds;                         /* model_options.holds are wanted */
	bool parked;                        /* loaded_trace_leave_out_parked is called later */
	bool programs_together;             /* samples of several are one's */
	bool mark_parked;                   /* samples of parked goroutines are marked */
	/* Of a trace of samples: all was read, and its samples one by one are there. Who has it
	 * does without calls. */
	void (*on_samples)(void *ctx, const struct loaded_trace *t);
	void *ctx;
	int err; /* set by one of them (-errno): reading ends with it */
};

/*
 * Reads r to its end; `info`, `model` and `totals` are there for the callbacks already. view: the
 * part that counts, which must live as long as t; NULL: all. watch: NULL for none. 0 or -errno
 * (logged, except watch->err), -ENOTSUP when the trace has no single calls as wanted; trace_unload
 * in either case.
 */
int trace_load(struct loaded_trace *t, struct trace_reader *r, const struct trace_view *view,
	       struct trace_watch *watch);
void trace_unload(struct loaded_trace *t);

/* Marks with 1 like trace_view_mark. A function's name stands for all of its rows of --key. */
int loaded_trace_mark(const struct loaded_trace *t, const char *option, const char *const *globs,
		      size_t n, uint8_t *funcs);

/* Of a trace that was read with trace_watch.parked: leaves out the waits of parked goroutines,
 * unless they are left out, or view->parked. 0 or -ENOMEM. */
int loaded_trace_leave_out_parked(struct loaded_trace *t);

/* What a view shows and what it leaves out: "shown: 3 of 10 calls, 1.20s of 3.40s (35.3%) ...", to
 * be freed; NULL: nothing is left out, or no memory. */
char *loaded_trace_left_out(const struct loaded_trace *t);
/* From the first event to the last. */
uint64_t loaded_trace_span_ns(const struct loaded_trace *t);
/* In CLOCK_REALTIME, when the first and the last sample of the part shown could be taken. False if
 * the trace does not say. */
bool loaded_trace_stretch(const struct loaded_trace *t, uint64_t *from_ns, uint64_t *to_ns);
/* The recording is as long as that stretch, or from the first event to the last. */
uint64_t loaded_trace_length_ns(const struct loaded_trace *t);
/* How long the program ran, or what was seen of it. */
uint64_t loaded_trace_wall_ns(const struct loaded_trace *t);
/* Whether recording began after the program, or ended before it. */
bool loaded_trace_is_part(const struct loaded_trace *t);
/* Calls counted under [other] because the model's tree of paths is full. */
uint64_t loaded_trace_other_calls(const struct loaded_trace *t);

#endif
