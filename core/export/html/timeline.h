/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls and states of goroutines over time, in bounded memory. Calls and states that together
 * fit into a stretch of time become one span. When there are too many spans, goroutines are left
 * out before the stretch grows. Those that did least so far are left out first. Some of each go
 * statement and the pinned ones stay until the stretch would be too long to see anything.
 */
#ifndef GOTRACE_TIMELINE_H
#define GOTRACE_TIMELINE_H

#include "base/hash_index.h"
#include "export/html/timeline_strips.h"
#include "model/model.h"

#define TIMELINE_STATES UINT32_MAX /* a level, that of the goroutine's states */

struct timeline_span {
	uint64_t start_ns, end_ns;
	/* time of its calls or states; the whole span if it has only one */
	uint64_t busy_ns;
	uint64_t lead_ns; /* by how much `what` has more of it than the rest */
	uint32_t lane;
	uint32_t level; /* for calls, the number of open frames below them */
	/* Path of its call, or STATE_DEPTH(state, reason). With several, it is the one with at
	 * least half of the time, if there is one. Otherwise it is one of them. */
	uint32_t what;
	uint32_t n; /* number of calls or states; UINT32_MAX for that many or more */
	/* For a single runnable state, 1 + the function or WAKE_* that ended the wait before; 0
	 * when not known. */
	uint32_t woken;
	uint64_t by; /* the goroutine that executed it; 0 for none */
};

/* A goroutine, or a thread's system stack. */
struct timeline_lane {
	uint64_t id; /* goid or thread id */
	/* self time of its calls without waits, also while outermost calls go on */
	uint64_t busy_ns;
	uint64_t start_pc; /* that of struct goroutine_info, 0 when not known */
	uint32_t image;
	bool system;
	bool pinned;         /* it is left out last (timeline_pin) */
	uint32_t start_path; /* path of an outermost call, 0 before one is known */
	uint32_t start_func; /* start_func and start_go: the go statement that began it */
	uint64_t start_go;
	uint32_t n_last;
	uint32_t *last; /* its last spans of states, of level 0, of level 1 and so on */
};

struct timeline {
	uint64_t from_ns; /* no span begins before it */
	size_t most;      /* most spans */
	size_t most_lanes;
	/* NULL: only outermost calls show where a lane began */
	const struct model *model;
	/* Pins lanes before some are left out; may be NULL. */
	void (*pin)(void *ctx, struct timeline *t);
	void *pin_ctx;
	/* the rest is zero at the beginning */
	struct timeline_lane *lanes;
	size_t n_lanes, cap_lanes;
	struct hash_index by_id;
	struct timeline_span *spans;
	size_t n, cap;
	uint64_t apart_ns;             /* the length of a stretch that becomes one span */
	struct timeline_strips strips; /* by path: time in calls of goroutines that began with it */
	uint64_t to_ns;                /* the latest end */
	bool left_out;                 /* some goroutines were left out */
	uint64_t too_deep;             /* calls too deep for a span */
	int err;                       /* -ENOMEM: later calls are dropped */
};

/* To be called when calls, states and goroutines end. */
void timeline_call(struct timeline *t, const struct call *c);
void timeline_state(struct timeline *t, const struct state_span *s);
void timeline_goroutine(struct timeline *t, const struct goroutine_info *g);
/* For `pin`: makes a goroutine one of the last to be left out. Returns false when it has no lane,
 * or is pinned already. */
bool timeline_pin(struct timeline *t, uint64_t id, uint32_t image, bool system);
/* To be called after the last call. Leaves at most `most` spans in at most `most_lanes` lanes.
 * Spans of a lane stand together, sorted by level and start. 0 or -ENOMEM */
int timeline_finish(struct timeline *t);
void timeline_free(struct timeline *t);

#endif
