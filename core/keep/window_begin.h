/* SPDX-License-Identifier: BSD-2-Clause */
/* Emits events for open calls and states, at the place where recording begins. */
#ifndef GOTRACE_WINDOW_BEGIN_H
#define GOTRACE_WINDOW_BEGIN_H

#include "keep/open_calls.h"

struct window_begin {
	void (*emit)(void *ctx, const struct event_ext *ev);
	void *ctx;
	uint64_t ts_ns; /* time when recording begins */
};

/* Emits the creation of the goroutine, if that is known. tid is the thread of the event. */
void window_begin_goroutine(const struct window_begin *t, const struct open_stack *s, uint32_t tid);
/* Emits an entry for an open call, and its tail jump if it has made one. The caller leaves out
 * calls of released functions, and those in their prologue. */
void window_begin_call(const struct window_begin *t, const struct open_stack *s,
		       const struct open_call *c);
/* Emits the state of the goroutine, after its calls, if that is known. If only an event of a state
 * can show it, emits that it is not known. */
void window_begin_state(const struct window_begin *t, const struct open_stack *s, uint32_t tid);
/* Emits everything: the beginning of recording with its reason, the released functions, and the
 * open calls and states. */
void window_begin_all(const struct window_begin *t, struct open_calls *o, uint32_t why);

#endif
