// SPDX-License-Identifier: BSD-2-Clause
/* Which calls held locks that others waited for, and what these calls did meanwhile. */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/model_internal.h"

/* The innermost of the first n frames of s that acts for itself. Returns its number plus 1; 0:
 * none. */
static size_t own(const struct model *m, const struct stack *s, size_t n)
{
	const struct hold_rules *r = m->opt.holds;

	while (n && s->frames[n - 1].func < r->n_funcs && r->for_caller[s->frames[n - 1].func])
		n--;
	return n;
}

const struct frame *holds_own(const struct model *m, const struct stack *s)
{
	const struct frame *charged = states_charged(s);
	const size_t n = charged ? own(m, s, (size_t)(charged - s->frames) + 1) : 0;

	return n ? &s->frames[n - 1] : NULL;
}

static bool is_lock(const struct model *m, const struct stack *s)
{
	return s->state.now == STATE_WAITING && s->state.reason <= REASON_PREEMPTED &&
	       m->opt.holds->locks[s->state.reason];
}

static void begin_again(struct frame_states *f, uint64_t ts_ns, bool released)
{
	f->since_ns = ts_ns;
	f->longest_ns = 0;
	f->released = released;
}

void holds_waited(const struct model *m, struct stack *s, uint64_t ts_ns)
{
	const size_t n = is_lock(m, s) ? own(m, s, s->n) : 0;

	if (n)
		begin_again(&s->frame_states[n - 1], ts_ns, false);
}

void holds_returned(const struct model *m, struct stack *s, uint64_t dur_ns, uint64_t ts_ns)
{
	if (s->n < 2 || own(m, s, s->n) < s->n || own(m, s, s->n - 1) < s->n - 1)
		return;
	struct frame_states *f = &s->frame_states[s->n - 2];
	const uint64_t since_ns = s->frame_states[s->n - 1].since_ns;

	/* A callee that waits for the lock which its caller holds from then on. */
	if (since_ns && ts_ns >= since_ns)
		dur_ns = ts_ns - since_ns;
	if (dur_ns <= f->longest_ns)
		return;
	f->longest_ns = dur_ns;
	f->longest = s->frames[s->n - 1].row;
}

static int put(struct holds *h, const struct hold *what)
{
	uint32_t hash = hash_u64_pair((uint64_t)what->func << 32 | what->by,
				      (uint64_t)what->did << 32 | what->reason);
	size_t at;

	for (uint32_t i = hash_index_first(&h->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&h->index, hash, &at)) {
		struct hold *x = &h->all[i];

		if (x->func != what->func || x->by != what->by || x->did != what->did ||
		    x->reason != what->reason)
			continue;
		x->n++;
		x->ns += what->ns;
		x->did_ns += what->did_ns;
		if (what->ns > x->longest_ns)
			x->longest_ns = what->ns;
		return 0;
	}
	int err = vec_reserve(&h->all, &h->cap, h->n + 1);

	if (!err)
		err = hash_index_put(&h->index, hash, (uint32_t)h->n);
	if (!err)
		h->all[h->n++] = *what;
	return err;
}

/* Returns whether this wake and the last one are of one release. A later release finds no wait that
 * began before the last one. */
static bool goes_on(const struct model *m, const struct stack *s, const struct frame_states *held)
{
	return held->released && m->opt.holds->together[s->state.reason] && !held->longest_ns &&
	       s->state.from_ns < held->since_ns;
}

void holds_released(struct model *m, const struct stack *s, struct stack *waker, uint64_t ts_ns)
{
	const size_t waits = is_lock(m, s) ? own(m, s, s->n) : 0, n = own(m, waker, waker->n);

	if (!waits || !n || waker->system || (s->frames[waits - 1].flags & FRAME_MUTED))
		return;
	const struct frame *f = &waker->frames[n - 1];
	struct frame_states *held = &waker->frame_states[n - 1];

	if (goes_on(m, s, held))
		return;
	const uint64_t since_ns = held->since_ns ? held->since_ns : f->start_ns,
		       ns = ts_ns > since_ns ? ts_ns - since_ns : 0;
	const bool callee = held->longest_ns <= ns && 2 * held->longest_ns >= ns && ns;
	const struct hold one = { .func = s->frames[waits - 1].row,
				  .reason = s->state.reason,
				  .by = f->row,
				  .did = callee ? held->longest : f->row,
				  .n = 1,
				  .ns = ns,
				  .longest_ns = ns,
				  .did_ns = callee ? held->longest_ns : ns };

	if (put(&m->holds, &one))
		m->states_err = -ENOMEM;
	begin_again(held, ts_ns, true);
}

const struct hold *model_holds(const struct model *m, size_t *n)
{
	*n = m->holds.n;
	return m->holds.n ? m->holds.all : NULL;
}

void holds_free(struct holds *h)
{
	free(h->all);
	hash_index_free(&h->index);
	*h = (struct holds){ 0 };
}
