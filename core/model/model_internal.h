/* SPDX-License-Identifier: BSD-2-Clause */
/* The pairing engine's insides, shared by the files of this folder. */
#ifndef GOTRACE_MODEL_INTERNAL_H
#define GOTRACE_MODEL_INTERNAL_H

#include "base/hash_index.h"
#include "model/holds.h"
#include "model/model.h"
#include "model/paths.h"
#include "model/sampled.h"
#include "model/states.h"
#include "pair/pair.h"

/* flags of a frame, besides PAIR_* */
/* its function is not open below on this stack, so it counts in the function's total */
#define FRAME_OUTERMOST PAIR_OWN
#define FRAME_FIRST     32  /* its path node is not open below, so it counts in the node's total */
#define FRAME_MUTED     64  /* does not count in the model_view */
#define FRAME_CUT       128 /* began before counting did */
#define FRAME_FOLDED    256 /* its node is not below its caller's; `fold` is the reason */

/* A call that has begun. */
struct frame {
	uint64_t start_ns, child_ns; /* child_ns: time inside it that is not self time */
	uint64_t order, label;       /* label: goid in the event */
	uint32_t depth, func, path, tid;
	uint32_t target; /* PAIR_TAILED: the function that it jumped to */
	union {
		uint32_t recursion; /* number of calls of its function one above the other */
		uint32_t fold;      /* FRAME_FOLDED: index into paths.folds, or PATHS_NO_FOLD */
	};
	uint32_t flags;
	uint32_t row; /* the row that counts it: func, unless there are groups */
};

/* A prologue that was stopped and whose entry has not followed yet. */
struct prologue_stop {
	bool active;
	bool classed; /* the running segment's RESUME was seen */
	/* only EV_MORESTACK began the segment, no EV_STOP has been seen */
	bool called;
	uint32_t depth;               /* depth of the stopped function's future frame */
	uint32_t func;                /* its index, STOP_ANY or STOP_UNPROBED */
	uint64_t why;                 /* STOP_* of the segment */
	uint64_t from_ns, resumed_ns; /* begin of the segment, time of its RESUME */
	uint64_t growth_ns, preempt_ns;
	uint64_t growths, preempts, declined;
	/* times in which the goroutine did not run: in segments that are over, in the running
	 * one */
	struct off_times off_done, off_now;
	uint16_t reason; /* the reason of wait_ns in off_done and off_now */
};

/* How often each function is open on one stack. Only stacks that have met PATH_OTHER need it,
 * because that node does not say the function. */
struct open_funcs {
	struct open_func {
		uint32_t func, count;
	} * funcs;
	size_t n, cap; /* n: 0 until the stack has met PATH_OTHER */
	struct hash_index by_func;
};

/* A new stack has room for so many frames. There may be a million stacks, most with few frames. */
#define STACK_FRAMES 4

/* The two kinds of stacks_since. */
enum since { SINCE_WINDOW, SINCE_LOSS, SINCE_KINDS };

/* A stack of open calls: a goroutine's, or a thread's system stack. */
struct stack {
	struct frame *frames;
	size_t n, cap;
	size_t n_muted;              /* how many of the n frames are FRAME_MUTED */
	uint32_t index;              /* in its stack_table */
	uint32_t since[SINCE_KINDS]; /* place in its stack_table's lists, plus 1; 0: in none */
	bool system;
	bool muted;    /* the goroutine does not count */
	bool go_edge;  /* root and root_pc come from EV_CREATE */
	uint32_t root; /* path node below which outermost calls hang */
	uint64_t root_pc;
	uint64_t lost_until_ns; /* calls that begin up to then are suspect */
	uint64_t doubt_order;   /* system: calls of a lower order are suspect */
	uint64_t label;         /* system: goid of the last event */
	struct prologue_stop stop;
	struct open_funcs open;
	/* by frame: the arguments of its call; above the top, those of frames that are gone */
	struct trace_values **values;
	size_t cap_values;
	struct goroutine_info info;
	struct stack_states state;         /* with states; of goroutines only */
	struct frame_states *frame_states; /* by frame */
	size_t cap_frame_states;
	/* for call_waits.c: waits of open calls, the outermost call's first */
	struct call_wait *waits;
	size_t n_waits, cap_waits;
};

/* Stacks by the goroutine's or thread's number; pointers to them stay valid. */
struct stack_table {
	struct stack **all;
	size_t n, cap;
	struct hash_index by_id;
	struct stack *recent[PAIR_RECENT_MAX]; /* NULL: none */
	/* Stacks with events since the list was last taken. The stacks in `recent` belong to all
	 * lists. */
	struct stack_list {
		struct stack **all;
		size_t n, cap;
	} since[SINCE_KINDS];
};

struct model {
	const struct trace_info *info;
	struct model_options opt;
	struct model_options later; /* with view->later, the options from model_view_begin on */
	struct model_totals totals;
	struct pairing pair;
	size_t n_funcs;
	struct call_stats *funcs;
	size_t cap_funcs, cap_hists; /* sizes, when there are rows besides functions */
	/* histograms of funcs until model_finish, close together for the cache */
	struct hist *hists;
	uint64_t off_ns; /* since when recording is off (EV_WINDOW); 0: it is on */
	struct paths paths;
	struct stack_table goroutines, threads;
	struct stack *spare[64]; /* freed ones, for reuse */
	size_t n_spare;
	uint64_t next_order;
	/* EVF_ALL: calls that begin up to then are suspect, on all stacks */
	uint64_t lost_until_ns;
	uint64_t lost_one_until_ns; /* the latest lost_until_ns of a goroutine */
	uint64_t doubt_order;       /* the doubt_order of all system stacks */
	uint64_t loss_steps;        /* steps spent on looking for system stacks */
	uint32_t image;
	bool states;    /* the trace has states, and no_states is not set */
	int states_err; /* -ENOMEM */
	struct waits waits;
	struct sampled sampled;
	struct wakes wakes;
	struct holds holds;
	struct levels levels;
	struct idlers idlers[IDLERS_MAX];
	size_t n_idlers;
	bool image_seen;
	bool begun; /* model_begins_at: totals.first_ns is known */
	/* path_event_code of the event that is being paired: for the call that it begins, and for
	 * the first call that it ends */
	uint8_t entry_code, exit_code;
	/* model_values */
	const struct trace_values *values;
	const struct event *values_ev;
	size_t n_values, next_values;
	bool values_seen;                       /* some event had values */
	const struct trace_values *exit_values; /* values of the exit that is being paired */
	uint32_t exit_func;                     /* the function of that exit */
	struct call_values handed;
	/* for model_allow; frames_room: the sum of all stacks' room for frames */
	uint64_t max_stacks, max_frames_room, frames_room, n_threads;
};

/* stacks.c */
/* The slow half of stack_get. */
struct stack *stack_get_slow(struct model *m, bool system, uint64_t id, uint64_t ts_ns);

/* Returns the stack, and makes it with first_ns when there is none. NULL and errno: ENOMEM,
 * E2BIG. */
static inline struct stack *stack_get(struct model *m, bool system, uint64_t id, uint64_t ts_ns)
{
	struct stack *s = *PAIR_RECENT(system ? &m->threads : &m->goroutines, id);

	return s && s->info.goid == id ? s : stack_get_slow(m, system, id, ts_ns);
}

struct stack *stack_find(struct stack_table *t, uint64_t id); /* NULL: there is none */
/* Returns the stacks of t, in its order, that may have had events since the last call with this
 * kind. Valid until the next stack_find or stack_get. */
struct stack **stacks_since(struct stack_table *t, enum since since, size_t *n);
/* Hands the goroutine out and frees the stack, which has no open call. */
void stack_drop(struct model *m, struct stack *s);
void stack_table_free(struct model *m, struct stack_table *t);
void stack_free(struct model *m, struct stack *s);

/* open_funcs.c: 0 or -ENOMEM */
int open_funcs_add(struct open_funcs *o, uint32_t func, int by);
uint32_t open_funcs_count(const struct open_funcs *o, uint32_t func);
void open_funcs_free(struct open_funcs *o); /* leaves it empty */

/* stacks.c: makes room for another frame. 0, -ENOMEM or -E2BIG */
int stack_grow(struct model *m, struct stack *s);

/* calls.c: 0 or -ENOMEM */
int call_push(struct model *m, struct stack *s, const struct event *e, uint32_t func);
/* Ends the top call, whose end was seen (CALL_FINISHED, CALL_TAIL). */
int call_end_seen(struct model *m, struct stack *s, uint64_t ts_ns, enum call_end end);
/* Ends the top call, whose end was not seen. If its prologue never went on, there was no call. */
int call_end_unseen(struct model *m, struct stack *s, uint64_t ts_ns, enum call_end end);
/* Adds `by` (1, or -1 to uncount) to the number of recursive calls of f's node. Where f is folded,
 * adds it to the calls of its fold. */
void call_count_again(struct model *m, const struct frame *f, int by);
/* Hands a frame to on_entry. */
void call_begun(struct model *m, struct stack *s, struct frame *f);

/* call_values.c: arguments and results of calls */
int call_values_enter_slow(struct model *m, struct stack *s, size_t at, const struct event *e,
			   struct frame *f);
void call_values_leave_slow(struct model *m, const struct event *e, uint32_t func);
void call_values_fill_slow(struct model *m, const struct stack *s, const struct frame *f,
			   bool ended, struct call *c);
void call_values_free(struct stack *s);
/* Takes the arguments of the entry of f, which is frame number `at`, and sets its row. 0 or
 * -errno. */
static inline int call_values_enter(struct model *m, struct stack *s, size_t at,
				    const struct event *e, struct frame *f)
{
	return __builtin_expect(m->values_seen, 0) ? call_values_enter_slow(m, s, at, e, f) : 0;
}
/* Takes the results of an exit of func, before it ends its call. */
static inline void call_values_leave(struct model *m, const struct event *e, uint32_t func)
{
	if (__builtin_expect(m->values_seen, 0))
		call_values_leave_slow(m, e, func);
}
/* Sets the values of the call of f before it is handed out. */
static inline void call_values_fill(struct model *m, const struct stack *s, const struct frame *f,
				    bool ended, struct call *c)
{
	if (__builtin_expect(m->values_seen, 0))
		call_values_fill_slow(m, s, f, ended, c);
}

/* prologue_stops.c */
/* called: EV_MORESTACK began the stop, not EV_STOP. */
void prologue_stop_begin(struct model *m, struct stack *s, uint32_t depth, uint32_t func,
			 bool called, uint64_t ts_ns);
void prologue_stop_resume(struct stack *s, uint64_t why, uint64_t ts_ns);
/* An entry at ts_ns pushed or restarted the top frame. Charges the stop to it, if it is the stopped
 * call. */
void prologue_stop_entered(struct model *m, struct stack *s, uint64_t ts_ns);
/* Another event came, so the stopped function is not probed. Charges the stop to its caller. */
void prologue_stop_settle_slow(struct model *m, struct stack *s, uint64_t ts_ns);

static inline void prologue_stop_settle(struct model *m, struct stack *s, uint64_t ts_ns)
{
	if (__builtin_expect(s->stop.active, 0))
		prologue_stop_settle_slow(m, s, ts_ns);
}

/* ---- the model as a client of core/pair */

#define PAIR_CLIENT struct model
#define PAIR_STACK  struct stack
#define PAIR_FRAME  struct frame

static inline void pair_settle(struct model *m, struct stack *s, uint64_t ts_ns)
{
	prologue_stop_settle(m, s, ts_ns);
}

static inline int pair_on_pop(struct model *m, struct stack *s, uint64_t ts_ns, enum call_end end)
{
	return end == CALL_FINISHED || end == CALL_TAIL ? call_end_seen(m, s, ts_ns, end)
							: call_end_unseen(m, s, ts_ns, end);
}

static inline void pair_on_uncovered(struct model *m, struct stack *s)
{
	(void)m;
	(void)s;
}

#include "pair/frames.h"

/* states_events.c: EV_STATE and EV_WAKE. 0 or -ENOMEM */
int states_apply(struct model *m, const struct event *e);

/* states.c: these functions do nothing for system stacks */
/* Puts s into a state from ts_ns on. */
void states_change(struct model *m, struct stack *s, unsigned state, uint16_t reason,
		   uint64_t ts_ns);
/* Makes s runnable. by and by_func say who woke it, as in state_span. waker is the stack of `by`;
 * NULL: it is not known. */
void states_woken(struct model *m, struct stack *s, uint64_t by, uint32_t by_func,
		  const struct stack *waker, uint64_t ts_ns);
/* Returns the call that gets time now; NULL: none. A call whose prologue is stopped has not
 * begun. */
static inline struct frame *states_charged(const struct stack *s)
{
	size_t n = s->n;

	if (n && s->frames[n - 1].flags & PAIR_STOPPED)
		n--;
	return n ? &s->frames[n - 1] : NULL;
}

/* Sets the state of s, which is made at ts_ns. */
void states_begin(struct model *m, struct stack *s, uint64_t ts_ns);
void states_created(struct model *m, struct stack *s, uint64_t ts_ns);
/* Sets the state of s by the reason `why` (STOP_*) for which its prologue was stopped. */
void states_resume(struct model *m, struct stack *s, uint64_t why, uint64_t ts_ns);
/* Sets the state to unknown, because events may be missing from here on. lost: only an event of a
 * state ends that. */
void states_forget(struct model *m, struct stack *s, uint64_t ts_ns, bool lost);
/* Ends the life of s, on which no call is open. */
void states_end(struct model *m, struct stack *s, uint64_t ts_ns);
/* Begins counting now. */
void states_view_begin(struct model *m, struct stack *s, uint64_t ts_ns);
void states_own_slow(struct model *m, struct stack *s, uint64_t ts_ns);
/* Prepares the next frame of s for a call that begins. 0 or -ENOMEM */
int states_push_slow(struct model *m, struct stack *s, uint64_t ts_ns);
/* Sets *c to the times of the top call in which its goroutine did not run. The call has lasted
 * dur_ns up to now. Returns false where it ran all the time. */
bool states_of_call(struct stack *s, uint64_t dur_ns, uint64_t self_ns, struct call_states *c);
/* Does for times in which the goroutine did not run what paths_pass_over does for all time. */
void states_pass_over(struct paths *t, uint32_t from, uint32_t to, const struct off_times *off);
/* Charges the time up to ts_ns. */
void states_advance(struct model *m, struct stack *s, uint64_t ts_ns);
void states_add_wait(struct model *m, const struct frame *f, uint16_t reason, bool held,
		     uint64_t ns, uint64_t n);

/* wakes.c: counts the wait of s that by_func ends at ts_ns. */
void wakes_add(struct model *m, const struct stack *s, uint32_t by_func, const struct stack *waker,
	       uint64_t ts_ns);

/* holds.c: with model_options.holds. Notes that s waited for a lock up to ts_ns. */
void holds_waited(const struct model *m, struct stack *s, uint64_t ts_ns);
/* Notes that the top call of s ends at ts_ns, after dur_ns. */
void holds_returned(const struct model *m, struct stack *s, uint64_t dur_ns, uint64_t ts_ns);
/* Returns the innermost call of s that does not act for its caller (hold_rules.for_caller); NULL:
 * none. */
const struct frame *holds_own(const struct model *m, const struct stack *s);
/* Counts the hold that ends because a call of waker ends the wait of s. */
void holds_released(struct model *m, const struct stack *s, struct stack *waker, uint64_t ts_ns);

/* places.c: with model_options.on_place. Notes that s changed its state. f is the call that waits,
 * NULL if s does not wait or no call is open. */
void place_began(struct stack *s, const struct frame *f);
/* Notes that s has waited for ns in f. */
void place_waited(struct stack *s, const struct frame *f, uint64_t ns);
/* Calls on_place. The goroutine ends, and its info is complete. */
void place_tell(const struct model *m, const struct stack *s);

/* call_waits.c: with model_options.call_waits. Adds waits of a reason to frame number `at`. The
 * times may be the two's complement of a time to subtract. */
void call_waits_add_slow(struct model *m, struct stack *s, size_t at, uint16_t reason,
			 uint64_t self_ns, uint64_t total_ns);
/* Moves the waits of the top frame to the frame below, because the top call is over or begins
 * now. */
void call_waits_pass_slow(struct model *m, struct stack *s);
/* Adds the waits of the top frame to c, whose other fields are set. */
void call_waits_of_slow(struct stack *s, struct call_states *c);

static inline void call_waits_add(struct model *m, struct stack *s, size_t at, uint16_t reason,
				  uint64_t self_ns, uint64_t total_ns)
{
	if (m->opt.call_waits && (self_ns || total_ns))
		call_waits_add_slow(m, s, at, reason, self_ns, total_ns);
}

static inline void call_waits_pass(struct model *m, struct stack *s)
{
	if (m->opt.call_waits && s->n_waits)
		call_waits_pass_slow(m, s);
}

/* states_stops.c */
/* Ends a segment of the stop and begins another. */
void states_stop_again(struct prologue_stop *p);
/* Takes the stop out of the time of frame number `at`, with the running segment or without. There
 * may be no such frame. */
void states_stop_charge(struct model *m, struct stack *s, size_t at, bool segment, uint64_t ts_ns);
/* Makes the top frame begin now. */
void states_restart(struct model *m, struct stack *s);
/* Charges to the top frame the time since its stop, because it went on unseen. */
void states_ran(struct model *m, struct stack *s);

static inline bool has_states(const struct model *m, const struct stack *s)
{
	return __builtin_expect(m->states, 0) && !s->system;
}

/* Returns whether events at ts_ns may be lost. */
static inline bool states_lost(const struct model *m, const struct stack *s, uint64_t ts_ns)
{
	return ts_ns <= s->lost_until_ns || ts_ns <= m->lost_until_ns;
}

/* Sets s to running, because it made an event itself. */
static inline void states_own(struct model *m, struct stack *s, const struct event *e)
{
	if (has_states(m, s) && s->state.now != STATE_RUNNING && !(e->flags & EVF_BEFORE))
		states_own_slow(m, s, e->ts_ns);
}

/* model_view.c */
/* Returns whether the frame of an entry does not count. */
bool view_mutes(const struct model *m, const struct stack *s, const struct frame *f);
/* Returns whether a goroutine does not count. To be called when its stack is made. */
bool view_mutes_goid(const struct model *m, uint64_t goid);
/* Computes all sums anew, so that calls above those that count have their time. 0 or -ENOMEM */
int view_settle(struct model *m);

/* lifetimes.c: 0 or -ENOMEM */
/* Ends all calls on all stacks as unfinished. */
int lifetimes_end_all(struct model *m, uint64_t ts_ns);
/* Ends the life of a stack that has no open call, and frees it. */
int life_drop(struct model *m, struct stack *s, uint64_t ts_ns, enum call_end end);
/* EV_CREATE. life_created_by handles it for the creator and sets *root to the node that the new
 * goroutine hangs below. life_begin handles it for the new goroutine, whose number no other has. */
int life_created_by(struct model *m, const struct event *e, const uint64_t arg[4], uint32_t *root);
int life_begin(struct model *m, const struct event *e, const uint64_t arg[4], uint32_t root);
int life_image(struct model *m, const struct event *e);

/* Counts an event inside the innermost open call. 0 or -ENOMEM */
static inline int pair_inside(struct model *m, const struct stack *s, const struct event *e)
{
	unsigned how = EVF_HOW(e->flags) <= HOW_MAX ? EVF_HOW(e->flags) : HOW_UNKNOWN;

	return s->n && !(s->frames[s->n - 1].flags & FRAME_MUTED)
		       ? path_events_add(&m->paths.events, s->frames[s->n - 1].path,
					 path_event_code(ROLE_INSIDE, how))
		       : 0;
}

/* windows.c: 0 or -ENOMEM */
int window_apply(struct model *m, const struct event *e, const uint64_t arg[4]);

#endif
