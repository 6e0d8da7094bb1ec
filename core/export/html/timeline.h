/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When goroutines did what, in bounded memory: calls and states that together fit into a stretch of
 * time become one span. When there are too many spans, goroutines are left out before the stretch
 * grows: those that did least so far, but for some of each go statement, and those that are pinned.
 * These go when the stretch would be too long to see anything.
 */
#ifndef GOTRACE_TIMELINE_H
#define GOTRACE_TIMELINE_H

#include "base/hash_index.h"
#include "export/html/timeline_strips.h"
#include "model/model.h"

#define TIMELINE_STATES UINT32_MAX /* a level: the goroutine's states */

struct timeline_span {
	uint64_t start_ns, end_ns;
	uint64_t busy_ns; /* of what it stands for; the whole span when that is one thing */
	uint64_t lead_ns; /* by how much `what` had more of it than the rest */
	uint32_t lane;
	uint32_t level; /* of its calls: open frames below them */
	/* path of its call, or STATE_DEPTH(state, reason); of several, one that none other has
	 * more time than, if any has half */
	uint32_t what;
	uint32_t n; /* how many calls or states; UINT32_MAX: that many or more */
	/* Of one time runnable: 1 + the function, or WAKE_*, that ended the wait before; 0: it is
	 * not known. */
	uint32_t woken;
	uint64_t by; /* the goroutine that was in it; 0: none */
};

/* A goroutine, or a thread's system stack. */
struct timeline_lane {
	uint64_t id; /* goid or thread id */
	/* self time of its calls without waits: known while the outermost ones go on */
	uint64_t busy_ns;
	uint64_t start_pc; /* of struct goroutine_info, 0: not known */
	uint32_t image;
	bool system;
	bool pinned;         /* it goes last (timeline_pin) */
	uint32_t start_path; /* of an outermost call, 0: not known yet */
	uint32_t start_func; /* with start_go: which go statement began it */
	uint64_t start_go;
	uint32_t n_last;
	uint32_t *last; /* its spans that are the last of states, level 0, 1 and so on */
};

struct timeline {
	uint64_t from_ns; /* nothing begins before it */
	size_t most;      /* spans */
	size_t most_lanes;
	/* NULL: of a lane only outermost calls tell where it began */
	const struct model *model;
	/* Pins lanes before some are left out; NULL: none is pinned. */
	void (*pin)(void *ctx, struct timeline *t);
	void *pin_ctx;
	/* all zero at the beginning: */
	struct timeline_lane *lanes;
	size_t n_lanes, cap_lanes;
	struct hash_index by_id;
	struct timeline_span *spans;
	size_t n, cap;
	uint64_t apart_ns;             /* what fits into so much is one span */
	struct timeline_strips strips; /* by path: in calls of goroutines that began with it */
	uint64_t to_ns;                /* the last end */
	bool left_out;                 /* goroutines */
	uint64_t too_deep;             /* calls, for a span */
	int err;                       /* -ENOMEM: what follows is dropped */
};

/* As calls, states and goroutines end. */
void timeline_call(struct timeline *t, const struct call *c);
void timeline_state(struct timeline *t, const struct state_span *s);
void timeline_goroutine(struct timeline *t, const struct goroutine_info *g);
/* For `pin`: this goroutine is left out last of all. False: it has no lane, or is pinned already.
 */
bool timeline_pin(struct timeline *t, uint64_t id, uint32_t image, bool system);
/* After the last: at most `most` spans of `most_lanes` lanes, those of a lane together, by level
 * and start. 0 or -ENOMEM */
int timeline_finish(struct timeline *t);
void timeline_free(struct timeline *t);

#endif
