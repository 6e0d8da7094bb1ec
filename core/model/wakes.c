// SPDX-License-Identifier: BSD-2-Clause
/* Who ended the waits of a function's calls (EV_WAKE). */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/model_internal.h"

/* Boyer and Moore, 1981. */
static void vote(struct func_wakes *x, const struct func_wakes *more)
{
	if (x->via == more->via) {
		x->via_ns += more->via_ns;
	} else if (x->via_ns >= more->via_ns) {
		x->via_ns -= more->via_ns;
	} else {
		x->via = more->via;
		x->via_ns = more->via_ns - x->via_ns;
	}
}

int wakes_put(struct wakes *w, const struct func_wakes *what)
{
	uint32_t hash = hash_u64_pair((uint64_t)what->func << 32 | what->by, what->reason);
	size_t at;

	for (uint32_t i = hash_index_first(&w->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&w->index, hash, &at)) {
		struct func_wakes *x = &w->all[i];

		if (x->func == what->func && x->reason == what->reason && x->by == what->by) {
			x->ns += what->ns;
			x->n += what->n;
			vote(x, what);
			return 0;
		}
	}
	int err = vec_reserve(&w->all, &w->cap, w->n + 1);

	if (!err)
		err = hash_index_put(&w->index, hash, (uint32_t)w->n);
	if (!err)
		w->all[w->n++] = *what;
	return err;
}

/* For how long of the wait that begins at from_ns the waker had waited itself. */
static uint64_t waited_too(const struct stack *waker, uint64_t from_ns)
{
	const struct stack_states *w = waker ? &waker->state : NULL;

	if (!w || w->last_to_ns <= from_ns)
		return 0;
	return w->last_to_ns - (w->last_from_ns > from_ns ? w->last_from_ns : from_ns);
}

void wakes_add(struct model *m, const struct stack *s, uint32_t by_func, const struct stack *waker,
	       uint64_t ts_ns)
{
	const struct stack_states *st = &s->state;
	const struct frame *f = states_charged(s);

	if (!f || f->flags & FRAME_MUTED || s->stop.active || ts_ns <= st->from_ns)
		return;
	/* a call cannot begin while its goroutine waits, but what counts of it may */
	const struct func_wakes w = { .func = f->row,
				      .reason = st->reason,
				      .by = by_func,
				      .ns = ts_ns - st->from_ns,
				      .n = 1,
				      .via = waker ? waker->state.last_reason : 0,
				      .via_ns = waited_too(waker, st->from_ns) };

	if (wakes_put(&m->wakes, &w))
		m->states_err = -ENOMEM;
}

const struct func_wakes *model_wakes(const struct model *m, size_t *n)
{
	*n = m->wakes.n;
	return m->wakes.n ? m->wakes.all : NULL;
}

void wakes_free(struct wakes *w)
{
	free(w->all);
	hash_index_free(&w->index);
	*w = (struct wakes){ 0 };
}
