// SPDX-License-Identifier: BSD-2-Clause
/*
 * Why each open call waited: for those who ask for single calls (model_options.call_waits).
 *
 * A goroutine has one list, a part of it for each open call, the outermost's first. A part has each
 * reason once, with the waits of that call and of those below it that are over: so it is as long as
 * there are reasons, however long the call lasts, and is whole as the call ends, when it is added
 * to the part below.
 */
#include <errno.h>
#include <string.h>

#include "base/vec.h"
#include "model/model_internal.h"

/* Where the part of frame number `at` ends. */
static size_t part_end(const struct stack *s, size_t at)
{
	return at + 1 < s->n ? s->frame_states[at + 1].waits : s->n_waits;
}

void call_waits_add_slow(struct model *m, struct stack *s, size_t at, uint16_t reason,
			 uint64_t self_ns, uint64_t total_ns)
{
	size_t i = s->frame_states[at].waits, end = part_end(s, at);

	while (i < end && s->waits[i].reason != reason)
		i++;
	if (i == end) {
		if (vec_reserve(&s->waits, &s->cap_waits, s->n_waits + 1)) {
			m->states_err = -ENOMEM;
			return;
		}
		memmove(&s->waits[end + 1], &s->waits[end],
			(s->n_waits++ - end) * sizeof(*s->waits));
		s->waits[end] = (struct call_wait){ .reason = reason };
		for (size_t above = at + 1; above < s->n; above++)
			s->frame_states[above].waits++;
	}
	s->waits[i].self_ns += self_ns;
	s->waits[i].total_ns += total_ns;
}

void call_waits_pass_slow(struct model *m, struct stack *s)
{
	size_t at = s->n - 1, from = s->frame_states[at].waits, n = s->n_waits;

	/* The part stays where it is until all of it is in the one below, which grows at its end,
	 * before the part: that moves it. */
	for (size_t i = from; at && i < n; i++) {
		const struct call_wait w = s->waits[i + (s->n_waits - n)];

		if (w.total_ns)
			call_waits_add_slow(m, s, at - 1, (uint16_t)w.reason, 0, w.total_ns);
	}
	s->n_waits = s->frame_states[at].waits;
}

static uint64_t take(uint64_t ns, uint64_t *left)
{
	ns = (int64_t)ns < 0 ? 0 : ns < *left ? ns : *left;
	*left -= ns;
	return ns;
}

void call_waits_of_slow(struct stack *s, struct call_states *c)
{
	size_t from = s->frame_states[s->n - 1].waits;
	uint64_t self_left = c->self.wait_ns, total_left = c->total.wait_ns;

	/* A broken trace may run backwards: no more than there is. */
	for (size_t i = from; i < s->n_waits; i++) {
		struct call_wait *w = &s->waits[i];

		w->self_ns = take(w->self_ns, &self_left);
		w->total_ns = take(w->total_ns, &total_left);
	}
	c->waits = &s->waits[from];
	c->n_waits = s->n_waits - from;
}
