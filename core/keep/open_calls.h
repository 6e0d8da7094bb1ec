/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which calls are open on which stack, while events go by: what decides whether an event is
 * recorded. By the rules of core/pair, without times and paths, for a fraction of what these cost.
 * Memory grows with goroutines alive and open calls.
 */
#ifndef GOTRACE_OPEN_CALLS_H
#define GOTRACE_OPEN_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "pair/pair.h"
#include "trace/trace.h"

/* flags of an open_call, besides PAIR_* */
#define OPEN_RAN PAIR_OWN /* calls were made in it */
/* the user's */
#define OPEN_TOLD    32  /* it is in the trace */
#define OPEN_OUTER   64  /* an outermost call of the trigger */
#define OPEN_BEFORE  128 /* it began before recording did */
#define OPEN_WATCHED 256
#define OPEN_HIT     512 /* it has taken too long, which was told */

/* What an open call's goroutine is recorded for. */
enum open_state {
	OPEN_OUT,  /* outside of the trigger */
	OPEN_KEPT, /* what it does is to be recorded */
	OPEN_SKIP, /* inside a call of the trigger that is not */
};

struct open_call {
	uint64_t start_ns;
	uint64_t label; /* goid in its event */
	uint32_t depth, func, target, tid;
	uint32_t site, tail_site; /* that told of its entry, of its jump */
	uint16_t flags;
	uint8_t state;  /* enum open_state; the user's */
	uint32_t level; /* the user's */
	uint32_t under; /* the user's: index of the nearest call from here down that is OPEN_TOLD */
	/* the user's: events left out in it, by how they came about (two ways, hows[i]) */
	uint32_t left_out[2];
	uint8_t hows[2];
};

/* A goroutine's stack, or a thread's system stack. */
struct open_stack {
	struct open_call *frames;
	size_t n, cap;
	size_t n_doubted; /* from the outermost on: all of these are PAIR_SUSPECT */
	uint64_t losses;  /* of open_stacks: so many are applied to it */
	uint64_t id;      /* goid, or thread id */
	uint32_t index;
	bool system;
	uint64_t creator, create_pc, start_pc; /* of its EV_CREATE */
	uint64_t last_ns;
	bool created; /* it was seen */
	/* with states: as EV_STATE tells it, since when; unknown, until an event of a state tells
	 */
	uint32_t state;
	bool state_lost;
	uint32_t off_was, off_tid; /* STATE_OFF_CPU: the state before, and whose switch ends it */
	uint64_t state_ns, lost_until_ns;
	/* the user's: what calls begin with; the goroutine is in the trace; the last EV_STOP is;
	 * its states are */
	uint8_t base;
	bool told, stop_told, states_told;
	/* the user's: of a prologue that was stopped, in whose place a call of func at depth is
	 * going to be */
	struct {
		bool active;
		uint8_t state;
		uint32_t depth, func;
	} ahead;
};

struct open_stacks {
	struct open_stack **all;
	size_t n, cap;
	struct hash_index by_id;
	struct open_stack *recent[PAIR_RECENT_MAX]; /* all losses are applied to them */
	/* records of lost events that concern all; of the last one: its time, and whether states
	 * are lost */
	uint64_t losses, lost_ns;
	bool states_lost;
};

struct open_calls {
	const struct trace_info *info; /* borrowed */
	struct pairing pair;
	struct open_stacks goroutines, threads;
	struct open_change *change; /* of the event that is being applied */
	bool image_seen, any_call;
	bool states; /* there are EV_STATE and EV_WAKE */
	uint64_t last_ns, lost_until_ns, lost_one_until_ns;
	uint64_t n_events, loss_steps; /* loss_steps: that looking for system stacks took */
	size_t bytes;                  /* of stacks and their calls */
	/* called before a call is taken off, if it has one of these flags; NULL: never */
	unsigned ended_flags;
	/* inferred: its end was not seen, a later event shows that it is over */
	void (*ended)(void *ctx, struct open_stack *s, struct open_call *c, uint64_t ts_ns,
		      bool inferred);
	void *ctx;
};

/* What an event did. */
struct open_change {
	/* that it happened on, EV_STATE and EV_WAKE: that it tells of; NULL: none */
	struct open_stack *stack;
	struct open_call *call; /* that it began (again), NULL: none */
	bool again;             /* its first entry was seen before */
	/* it shows that `stack` is in another state; not EV_STATE and EV_WAKE, which tell of it */
	bool restated;
	bool found;    /* an exit, tail jump or call of morestack: of the call that was open */
	bool own_told; /* that one is OPEN_TOLD; EV_UNWIND, EV_END: one that it ended is */
	/* calls that are OPEN_TOLD ended although their own end was not seen: from this depth on */
	bool over;
	uint32_t over_depth;
	uint32_t func; /* EV_STOP: the stopped one, TRACE_NONE: not probed, or not known */
	/* EV_CREATE: of the new goroutine. `stack` is the creator's, NULL: none */
	struct open_stack *child;
	bool child_over; /* another goroutine of that number had calls that are OPEN_TOLD */
};

/* Zeroes what is not given. Borrows info. 0 or -ENOMEM; open_calls_free in either case. */
int open_calls_init(struct open_calls *o, const struct trace_info *info);
void open_calls_free(struct open_calls *o);

/* Applies an event; *change is valid until the next one. 0 or -ENOMEM. */
int open_calls_apply(struct open_calls *o, const struct event *e, const uint64_t arg[4],
		     struct open_change *change);
/* An entry-exit or entry-tail was applied up to its entry: applies the rest. */
void open_calls_end(struct open_calls *o, const struct event *e, struct open_change *change);
/* After EV_END was looked at: the goroutine is gone. */
void open_calls_drop(struct open_calls *o, struct open_stack *s);
/* Drops stacks without a call on which nothing has happened since before_ns and whose `base` is
 * OPEN_OUT: for when ends of goroutines are not seen. */
void open_calls_sweep(struct open_calls *o, uint64_t before_ns);

static inline struct open_call *open_top(const struct open_stack *s)
{
	return s->n ? &s->frames[s->n - 1] : NULL;
}

/* Applies all losses to all stacks: for those who go through them without open_calls_find. */
void open_calls_settle(struct open_calls *o);

/* What is open is not known any more. Goroutines are. */
void open_calls_forget(struct open_calls *o);

/* NULL: nothing is known of it. */
struct open_stack *open_calls_find(struct open_calls *o, bool system, uint64_t id);

#endif
