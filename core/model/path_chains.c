// SPDX-License-Identifier: BSD-2-Clause
/*
 * A chain may be very long, and there may be very many. So either all that is on the chain is
 * looked at, or all nodes of the function, whether they are on it: what is done first.
 */
#include "model/path_chains.h"

#include <errno.h>

#include "base/vec.h"

/* The index of the last go statement at pc that func made a node of; HASH_NONE: there is none. */
static uint32_t last_go(const struct paths *t, uint32_t func, uint64_t pc)
{
	uint32_t hash = hash_u64_pair(func, pc);
	size_t at;

	for (uint32_t i = hash_index_first(&t->go_lasts, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&t->go_lasts, hash, &at))
		if (t->gos[i].func == func && t->gos[i].pc == pc)
			return i;
	return HASH_NONE;
}

/* A jump leads over as much as the two before it (Myers, Information Processing Letters 17, 1983).
 */
void path_chains_node(struct paths *t, uint32_t node, uint32_t parent)
{
	const struct path_aux *up = &t->aux[parent], *far = &t->aux[up->jump];

	t->aux[node].level = up->level + (node != parent);
	t->aux[node].jump = up->level - far->level == far->level - t->aux[far->jump].level
				    ? far->jump
				    : parent;
}

/* Is a node on the chain from another one up? */
static bool on_chain(const struct paths *t, uint32_t node, uint32_t from)
{
	const uint32_t level = t->aux[node].level;

	while (t->aux[from].level > level)
		from = t->aux[t->aux[from].jump].level >= level ? t->aux[from].jump
								: t->hot[from].parent;
	return from == node;
}

/* Steps up for each look at another node of the same function. */
#define STEPS 16

bool path_chains_has(const struct paths *t, uint32_t parent, uint32_t func)
{
	const uint32_t first = t->aux[t->aux[parent].go_up].level;
	uint32_t up = t->hot[parent].outermost ? parent : t->aux[parent].outer;
	uint32_t same = func < t->cap_last_of ? t->last_of[func] : 0;

	while (up && same) {
		for (unsigned i = 0; i < STEPS && up; i++, up = t->aux[up].outer)
			if (t->hot[up].func == func)
				return true;
		if (t->aux[same].level >= first && on_chain(t, same, parent))
			return true;
		same = t->aux[same].same;
	}
	return false;
}

int path_chains_outermost(struct paths *t, uint32_t node, uint32_t func)
{
	int err = vec_reserve(&t->last_of, &t->cap_last_of, (size_t)func + 1);

	if (err)
		return err;
	t->hot[node].outermost = true;
	t->aux[node].same = t->last_of[func];
	t->last_of[func] = node;
	return 0;
}

uint32_t path_chains_find_go(const struct paths *t, uint32_t parent, uint32_t func, uint64_t pc)
{
	uint32_t up = t->aux[parent].go_up, same = last_go(t, func, pc);

	same = same == HASH_NONE ? 0 : same + 1;
	while (up && same) {
		for (unsigned i = 0; i < STEPS && up; i++)
			if (t->nodes[up].func == func && t->nodes[up].go_pc == pc)
				return up;
			else
				up = t->aux[t->nodes[up].parent].go_up;
		if (on_chain(t, t->gos[same - 1].node, parent))
			return t->gos[same - 1].node;
		same = t->gos[same - 1].before;
	}
	return 0;
}

int path_chains_go(struct paths *t)
{
	const uint32_t i = (uint32_t)t->n_gos - 1;
	struct path_go *g = &t->gos[i];
	const uint32_t hash = hash_u64_pair(g->func, g->pc), before = last_go(t, g->func, g->pc);

	if (before == HASH_NONE)
		return hash_index_put(&t->go_lasts, hash, i);
	g->before = before + 1;
	hash_index_move(&t->go_lasts, hash, before, i);
	return 0;
}
