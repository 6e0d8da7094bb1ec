/* SPDX-License-Identifier: BSD-2-Clause */
/* The pairing engine's insides, shared by the files of this folder. */
#ifndef GOTRACE_MODEL_INTERNAL_H
#define GOTRACE_MODEL_INTERNAL_H

#include "base/hash_index.h"
#include "model/model.h"
#include "model/paths.h"

#define FRAME_SUSPECT 1
/* its function is not open below on this stack: counts in the function's total */
#define FRAME_OUTERMOST 2
#define FRAME_FIRST     4 /* its path node is not open below: counts in the node's total */
/* its prologue called morestack (thesis): the next entry is this call again */
#define FRAME_STOPPED 8
#define FRAME_TAILED  16 /* jumped to a probed function, whose exit ends it too */
#define FRAME_MUTED   32 /* of a model_view: it does not count */
#define FRAME_CUT     64 /* it began before what counts */
/* its end will not be recorded, its function was released: it ends with the call open in it */
#define FRAME_RELEASED 128

/* A call that has begun. */
struct frame {
	uint64_t start_ns, child_ns; /* child_ns: time inside that is not self time */
	uint64_t order, label;       /* label: goid in the event */
	uint32_t depth, func, path, tid;
	uint32_t target;    /* FRAME_TAILED: where to */
	uint32_t recursion; /* calls folded into one node here */
	uint32_t flags;
};

/* A prologue that was stopped and whose entry has not followed yet. */
struct prologue_stop {
	bool active;
	bool classed; /* the running segment's RESUME was seen */
	/* only EV_MORESTACK began the segment, no EV_STOP has been seen */
	bool called;
	uint32_t depth;               /* that the stopped function's frame will have */
	uint32_t func;                /* its index, STOP_ANY or STOP_UNPROBED */
	uint64_t why;                 /* STOP_* of the segment */
	uint64_t from_ns, resumed_ns; /* of the segment */
	uint64_t growth_ns, preempt_ns;
	uint64_t growths, preempts, declined;
};
#define STOP_ANY      0xffffffffu /* not known */
#define STOP_UNPROBED 0xfffffffeu

/* How often each function is open on one stack; kept only for stacks that have
 * met PATH_OTHER, where the node does not say which function it is. */
struct open_funcs {
	struct open_func {
		uint32_t func, count;
	} * funcs;
	size_t n, cap; /* n: 0 until the stack has met PATH_OTHER */
	struct hash_index by_func;
};

/* A stack of open calls: a goroutine's, or a thread's system stack. */
struct stack {
	struct frame *frames;
	size_t n, cap;
	size_t n_muted; /* of n */
	uint32_t index; /* in its stack_table */
	bool system;
	bool muted;    /* not a goroutine that counts */
	bool go_edge;  /* root and root_pc come from EV_CREATE */
	uint32_t root; /* path node below which outermost calls hang */
	uint64_t root_pc;
	uint64_t lost_until_ns; /* calls that begin up to then are suspect */
	uint64_t label;         /* system: goid of the last event */
	struct prologue_stop stop;
	struct open_funcs open;
	struct goroutine_info info;
};

/* Stacks by the goroutine's or thread's number; pointers to them stay valid. */
struct stack_table {
	struct stack **stacks;
	size_t n, cap;
	struct hash_index by_id;
	struct stack *recent[64]; /* asked for lately, by stack_recent; NULL: none */
};

struct model {
	const struct trace_info *info;
	struct model_options opt;
	struct model_options later; /* with view->later: opt, from model_view_begin on */
	struct model_totals totals;
	struct site_ref {
		uint32_t func, target;
	} * sites;
	size_t n_sites, n_funcs;
	struct call_stats *funcs;
	struct hist *hists; /* of funcs, until model_finish: close together in the cache */
	struct func_range {
		uint64_t vaddr;
		uint32_t size, func;
	} * ranges; /* by vaddr */
	size_t n_ranges;
	struct paths paths;
	struct stack_table goroutines, threads;
	struct stack *spare[64]; /* freed ones, for reuse */
	size_t n_spare;
	uint64_t next_order;
	uint64_t lost_until_ns;     /* EVF_ALL */
	uint64_t lost_one_until_ns; /* of any goroutine */
	uint32_t image;
	bool image_seen;
	uint64_t *released_ns; /* by function: since when it is released, 0: not; NULL: none is */
	uint64_t n_released_open; /* frames with FRAME_RELEASED */
	/* path_event_code of the event that is being paired, for the call that it begins, and for
	 * the first that it ends */
	uint8_t entry_code, exit_code;
	/* model_allow; frames_room: that all stacks have room for */
	uint64_t max_stacks, max_frames_room, frames_room, n_threads;
};

/* a is further from the stack's base than b. */
static inline bool deeper(const struct stack *s, uint32_t a, uint32_t b)
{
	return s->system ? (int32_t)(a - b) > 0 : a > b;
}

static inline struct frame *top(struct stack *s)
{
	return s->n ? &s->frames[s->n - 1] : NULL;
}

/* stacks.c */
/* Where t keeps a stack of that id close at hand. */
static inline struct stack **stack_recent(struct stack_table *t, uint64_t id)
{
	return &t->recent[id * 0x9e3779b97f4a7c15ull >> 58];
}

/* The slow half of stack_get. */
struct stack *stack_get_slow(struct model *m, bool system, uint64_t id, uint64_t ts_ns);

/* Finds, or makes with first_ns; NULL and errno: ENOMEM, E2BIG. */
static inline struct stack *stack_get(struct model *m, bool system, uint64_t id, uint64_t ts_ns)
{
	struct stack *s = *stack_recent(system ? &m->threads : &m->goroutines, id);

	return s && s->info.goid == id ? s : stack_get_slow(m, system, id, ts_ns);
}

struct stack *stack_find(struct stack_table *t, uint64_t id); /* NULL: not there */
/* Reports the stack and gives it back; no call is open on it. */
void stack_drop(struct model *m, struct stack *s);
void stack_table_free(struct model *m, struct stack_table *t);
void stack_free(struct model *m, struct stack *s);

/* open_funcs.c: 0 or -ENOMEM */
int open_funcs_add(struct open_funcs *o, uint32_t func, int by);
uint32_t open_funcs_count(const struct open_funcs *o, uint32_t func);
void open_funcs_free(struct open_funcs *o); /* leaves it empty */

/* stacks.c: room for another frame. 0, -ENOMEM or -E2BIG */
int stack_grow(struct model *m, struct stack *s);

/* calls.c: 0 or -ENOMEM */
int call_push(struct model *m, struct stack *s, const struct event *e, uint32_t func);
int call_pop(struct model *m, struct stack *s, uint64_t ts_ns, enum call_end end);
/* call_pop, or no call at all where the prologue never went on. */
int call_pop_for(struct model *m, struct stack *s, uint64_t ts_ns, enum call_end end);
/* Hands a frame to on_entry. */
void call_begun(struct model *m, struct stack *s, struct frame *f);
/* Ends all frames deeper than depth. */
int call_pop_deeper_slow(struct model *m, struct stack *s, uint32_t depth, uint64_t ts_ns,
			 enum call_end end);

static inline int call_pop_deeper(struct model *m, struct stack *s, uint32_t depth, uint64_t ts_ns,
				  enum call_end end)
{
	if (!s->n || !deeper(s, s->frames[s->n - 1].depth, depth))
		return 0;
	return call_pop_deeper_slow(m, s, depth, ts_ns, end);
}

int call_pop_all(struct model *m, struct stack *s, uint64_t ts_ns, enum call_end end);

/* prologue_stops.c */
/* called: by EV_MORESTACK, not by EV_STOP. */
void prologue_stop_begin(struct model *m, struct stack *s, uint32_t depth, uint32_t func,
			 bool called, uint64_t ts_ns);
void prologue_stop_resume(struct stack *s, uint64_t why, uint64_t ts_ns);
/* An entry at ts_ns pushed or restarted the top frame: charge it if it is the stopped one. */
void prologue_stop_entered(struct model *m, struct stack *s, uint64_t ts_ns);
/* Another event: the stopped function is not probed, its caller is charged. */
void prologue_stop_settle_slow(struct model *m, struct stack *s, uint64_t ts_ns);

static inline void prologue_stop_settle(struct model *m, struct stack *s, uint64_t ts_ns)
{
	if (__builtin_expect(s->stop.active, 0))
		prologue_stop_settle_slow(m, s, ts_ns);
}

uint32_t prologue_stop_func(const struct model *m, uint64_t pc);

/* view.c */
/* Does the frame of an entry not count? */
bool view_mutes(const struct model *m, const struct stack *s, const struct frame *f);
/* Of a goroutine, as its stack is made. */
bool view_mutes_goid(const struct model *m, uint64_t goid);
/* Calls above what counts get their part of it, all sums are made anew. */
int view_settle(struct model *m);

/* pairing.c: ends all that is open on all stacks, unfinished. 0 or -ENOMEM */
int pair_end_all(struct model *m, uint64_t ts_ns);

/* losses.c: 0 or -ENOMEM */
int loss_apply(struct model *m, const struct event *e, const uint64_t arg[4]);

/* releases.c: 0 or -ENOMEM */
int release_apply(struct model *m, const struct event *e);

static inline bool is_released(const struct model *m, uint32_t func)
{
	return __builtin_expect(m->released_ns != NULL, 0) && func < m->n_funcs &&
	       m->released_ns[func];
}

#endif
