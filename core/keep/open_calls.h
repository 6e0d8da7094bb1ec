/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows the open calls of each stack while events pass. By them clients decide whether an event
 * is recorded. It follows the rules of core/pair, without times and paths, for a fraction of their
 * cost. Memory grows with living goroutines and open calls.
 */
#ifndef GOTRACE_OPEN_CALLS_H
#define GOTRACE_OPEN_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "pair/pair.h"
#include "trace/trace.h"

/* Flags of an open_call, besides PAIR_*. */
#define OPEN_RAN PAIR_OWN /* calls were made in it */
/* The client sets these. */
#define OPEN_TOLD    32  /* the call is in the trace */
#define OPEN_OUTER   64  /* it is an outermost call of the trigger */
#define OPEN_BEFORE  128 /* it began before recording did */
#define OPEN_WATCHED 256
#define OPEN_HIT     512 /* it has taken too long, and that is in the trace */

/* The reason why an open call's goroutine is recorded, or is not. */
enum open_state {
	OPEN_OUT,  /* outside of the trigger */
	OPEN_KEPT, /* its events are to be recorded */
	OPEN_SKIP, /* inside a call of the trigger that is not recorded */
};

struct open_call {
	uint64_t start_ns;
	uint64_t label; /* the goid in its event */
	uint32_t depth, func, target, tid;
	uint32_t site, tail_site; /* sites of its entry and of its jump */
	uint16_t flags;
	uint8_t state;  /* enum open_state, set by the client */
	uint32_t level; /* set by the client */
	/* set by the client: index of the nearest call from here down that is OPEN_TOLD */
	uint32_t under;
	/* set by the client: events left out in it, by how they came about (two ways, hows[i]) */
	uint32_t left_out[2];
	uint8_t hows[2];
};

/* A goroutine's stack, or a thread's system stack. */
struct open_stack {
	struct open_call *frames;
	size_t n, cap;
	size_t n_doubted; /* number of calls, from the outermost on, that are all PAIR_SUSPECT */
	uint64_t losses;  /* number of the losses in open_stacks that are applied to it */
	uint64_t id;      /* goid, or thread id */
	uint32_t index;
	bool system;
	uint64_t creator, create_pc, start_pc; /* values of its EV_CREATE */
	uint64_t last_ns;
	bool created; /* its EV_CREATE was seen */
	/* With states: the depth of EV_STATE, and its time. state_lost is set while the state is
	 * unknown until an event of a state. */
	uint32_t state;
	bool state_lost;
	/* STATE_OFF_CPU: the state before, and the thread whose switch ends it */
	uint32_t off_was, off_tid;
	uint64_t state_ns, lost_until_ns;
	/* Set by the client. base is the state that calls begin with. The others are true when the
	 * goroutine, its last EV_STOP, or its states are in the trace. */
	uint8_t base;
	bool told, stop_told, states_told;
	/* Set by the client: a call of func at depth is expected in the place of a stopped
	 * prologue. */
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
	/* losses is the number of records of lost events that concern all stacks. For the last one,
	 * lost_ns is its time, and states_lost is true when states are lost. */
	uint64_t losses, lost_ns;
	bool states_lost;
};

struct open_calls {
	const struct trace_info *info; /* borrowed */
	struct pairing pair;
	struct open_stacks goroutines, threads;
	struct open_change *change; /* the change of the present event */
	bool image_seen, any_call;
	bool states; /* there are EV_STATE and EV_WAKE */
	uint64_t last_ns, lost_until_ns, lost_one_until_ns;
	uint64_t n_events, loss_steps; /* loss_steps: steps of the search for system stacks */
	size_t bytes;                  /* bytes of stacks and their calls */
	/* called before a call with one of these flags is removed; may be NULL */
	unsigned ended_flags;
	/* inferred is true when its end was not seen, but a later event shows that it is over */
	void (*ended)(void *ctx, struct open_stack *s, struct open_call *c, uint64_t ts_ns,
		      bool inferred);
	void *ctx;
};

/* The changes made by an event. */
struct open_change {
	/* the stack that it happened on; for EV_STATE and EV_WAKE the stack that it reports; NULL
	 * for none */
	struct open_stack *stack;
	struct open_call *call; /* the call that it began (again), NULL for none */
	bool again;             /* the first entry of that call was seen before */
	/* It shows that `stack` is in another state. Not set for EV_STATE and EV_WAKE, which report
	 * the state. */
	bool restated;
	/* true when an exit, a tail jump or a call of morestack belongs to the call that was
	 * open */
	bool found;
	bool own_told; /* That call is OPEN_TOLD. For EV_UNWIND and EV_END: one that it ended is. */
	/* Calls that are OPEN_TOLD ended although their own end was not seen, from over_depth
	 * on. */
	bool over;
	uint32_t over_depth;
	uint32_t func; /* EV_STOP: the stopped function; TRACE_NONE when not probed, or not known */
	/* EV_CREATE: the stack of the new goroutine. `stack` is the creator's, NULL for none. */
	struct open_stack *child;
	bool child_over; /* another goroutine of that number had calls that are OPEN_TOLD */
};

/* Zeroes all that is not given. Borrows info. Returns 0 or -ENOMEM. The caller calls
 * open_calls_free in either case. */
int open_calls_init(struct open_calls *o, const struct trace_info *info);
void open_calls_free(struct open_calls *o);

/* Applies an event. *change is valid until the next one. Returns 0 or -ENOMEM. */
int open_calls_apply(struct open_calls *o, const struct event *e, const uint64_t arg[4],
		     struct open_change *change);
/* Applies the rest of an entry-exit or entry-tail that was applied up to its entry. */
void open_calls_end(struct open_calls *o, const struct event *e, struct open_change *change);
/* Removes a goroutine, after its EV_END was looked at. */
void open_calls_drop(struct open_calls *o, struct open_stack *s);
/* Drops stacks without a call on which nothing has happened since before_ns and whose `base` is
 * OPEN_OUT. It is needed when ends of goroutines are not seen. */
void open_calls_sweep(struct open_calls *o, uint64_t before_ns);

static inline struct open_call *open_top(const struct open_stack *s)
{
	return s->n ? &s->frames[s->n - 1] : NULL;
}

/* Applies all losses to all stacks, for callers that visit stacks without open_calls_find. */
void open_calls_settle(struct open_calls *o);

/* Forgets open calls, but not goroutines. */
void open_calls_forget(struct open_calls *o);

/* Returns the stack with that number, NULL when nothing is known of it. */
struct open_stack *open_calls_find(struct open_calls *o, bool system, uint64_t id);

#endif
