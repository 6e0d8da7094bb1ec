/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks by the goroutine's or thread's number. One file of a client includes this, after it has
 * defined
 *
 *   PAIR_STACK   a struct with `uint32_t index`, and PAIR_ID(s), its number
 *   PAIR_STACKS  a table with `PAIR_STACK **all`, `size_t n, cap`, `struct hash_index by_id` and
 *                `PAIR_STACK *recent[PAIR_RECENT_MAX]`, those that were looked for last
 *   void pair_on_found(t, s)   s was not among those; applies events that concerned all stacks
 */
#include "base/hash_index.h"
#include "base/vec.h"
#include "pair/pair.h"

/* Returns the stack with that number, NULL when it is not there. */
static inline PAIR_STACK *pair_stacks_find(PAIR_STACKS *t, uint64_t id)
{
	PAIR_STACK **recent = PAIR_RECENT(t, id);
	size_t at;

	if (*recent && PAIR_ID(*recent) == id)
		return *recent;
	for (uint32_t i = hash_index_first(&t->by_id, hash_u64(id), &at); i != HASH_NONE;
	     i = hash_index_next(&t->by_id, hash_u64(id), &at))
		if (PAIR_ID(t->all[i]) == id) {
			pair_on_found(t, t->all[i]);
			return *recent = t->all[i];
		}
	return NULL;
}

/* Adds s, whose number must not be there yet. Returns 0 or -ENOMEM. */
static inline int pair_stacks_add(PAIR_STACKS *t, PAIR_STACK *s)
{
	int err = vec_reserve(&t->all, &t->cap, t->n + 1);

	if (!err)
		err = hash_index_put(&t->by_id, hash_u64(PAIR_ID(s)), (uint32_t)t->n);
	if (err)
		return err;
	s->index = (uint32_t)t->n;
	t->all[t->n++] = s;
	*PAIR_RECENT(t, PAIR_ID(s)) = s;
	return 0;
}

/* Removes s. The last stack takes its place in the array. */
static inline void pair_stacks_remove(PAIR_STACKS *t, const PAIR_STACK *s)
{
	PAIR_STACK *last = t->all[--t->n];

	hash_index_remove(&t->by_id, hash_u64(PAIR_ID(s)), s->index);
	if (last != s) {
		hash_index_move(&t->by_id, hash_u64(PAIR_ID(last)), last->index, s->index);
		last->index = s->index;
		t->all[s->index] = last;
	}
	if (*PAIR_RECENT(t, PAIR_ID(s)) == s)
		*PAIR_RECENT(t, PAIR_ID(s)) = NULL;
}
