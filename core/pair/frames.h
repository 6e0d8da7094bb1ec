/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of open calls on one stack, and how they end. A file includes this once, after it has
 * defined
 *
 *   PAIR_CLIENT  a struct with `struct pairing pair`
 *   PAIR_STACK   one with `PAIR_FRAME *frames`, `size_t n` and `bool system`
 *   PAIR_FRAME   one with `uint32_t depth, func, target` and `flags`, PAIR_*
 *
 * and these functions, which the compiler inlines:
 *
 *   int pair_on_pop(c, s, ts_ns, end)   removes the top frame, whose call ends. 0 or -errno
 *   void pair_on_uncovered(c, s)        a frame of a released function may be the top one now
 *   void pair_settle(c, s, ts_ns)       the prologue that is stopped there, if any, has continued
 */
#include "pair/pair.h"

/* Returns true when a is further from the stack's base than b. */
static inline bool pair_deeper(const PAIR_STACK *s, uint32_t a, uint32_t b)
{
	return s->system ? (int32_t)(a - b) > 0 : a > b;
}

/* Returns the top frame, NULL when no call is open. */
static inline PAIR_FRAME *pair_top(const PAIR_STACK *s)
{
	return s->n ? &s->frames[s->n - 1] : NULL;
}

/* No event will show the end of a call whose function was released. So it ends with the calls open
 * in it, which have ended now. */
__attribute__((unused, noinline)) static int pair_pop_released(PAIR_CLIENT *c, PAIR_STACK *s,
							       uint64_t ts_ns, enum call_end end)
{
	c->pair.n_released_open -= !!(pair_top(s)->flags & PAIR_RELEASED);
	int err = pair_on_pop(c, s, ts_ns, end);

	pair_on_uncovered(c, s);
	while (!err && s->n && pair_top(s)->flags & PAIR_RELEASED) {
		c->pair.n_released_open--;
		err = pair_on_pop(c, s, ts_ns, CALL_UNFINISHED);
	}
	return err;
}

/* Ends the top call. */
static inline int pair_pop(PAIR_CLIENT *c, PAIR_STACK *s, uint64_t ts_ns, enum call_end end)
{
	return __builtin_expect(c->pair.n_released_open != 0, 0)
		       ? pair_pop_released(c, s, ts_ns, end)
		       : pair_on_pop(c, s, ts_ns, end);
}

__attribute__((unused, noinline)) static int pair_pop_deeper_slow(PAIR_CLIENT *c, PAIR_STACK *s,
								  uint32_t depth, uint64_t ts_ns,
								  enum call_end end)
{
	int err = 0;

	while (!err && s->n && pair_deeper(s, pair_top(s)->depth, depth))
		err = pair_pop(c, s, ts_ns, end);
	return err;
}

/* Ends all calls deeper than depth. */
static inline int pair_pop_deeper(PAIR_CLIENT *c, PAIR_STACK *s, uint32_t depth, uint64_t ts_ns,
				  enum call_end end)
{
	return s->n && pair_deeper(s, pair_top(s)->depth, depth)
		       ? pair_pop_deeper_slow(c, s, depth, ts_ns, end)
		       : 0;
}

static inline int pair_pop_all(PAIR_CLIENT *c, PAIR_STACK *s, uint64_t ts_ns, enum call_end end)
{
	int err = 0;

	pair_settle(c, s, ts_ns);
	while (!err && s->n)
		err = pair_pop(c, s, ts_ns, end);
	return err;
}
