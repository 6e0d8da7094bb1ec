/* SPDX-License-Identifier: BSD-2-Clause */
/* What is open as events, for where recording begins. */
#ifndef GOTRACE_WINDOW_BEGIN_H
#define GOTRACE_WINDOW_BEGIN_H

#include "keep/open_calls.h"

struct window_begin {
	void (*emit)(void *ctx, const struct event_ext *ev);
	void *ctx;
	uint64_t ts_ns; /* when recording begins */
};

/* Where the goroutine is from, if that is known; tid: a thread to name. */
void window_begin_goroutine(const struct window_begin *t, const struct open_stack *s, uint32_t tid);
/* A call that is open: not one of a released function, or in its prologue. */
void window_begin_call(const struct window_begin *t, const struct open_stack *s,
		       const struct open_call *c);
/* Which state the goroutine is in, if that is known; that it is not, if only an event of a state
 * can tell; after its calls. */
void window_begin_state(const struct window_begin *t, const struct open_stack *s, uint32_t tid);
/* Everything: that recording begins, for a reason, what is released, and what is open. */
void window_begin_all(const struct window_begin *t, struct open_calls *o, uint32_t why);

#endif
