// SPDX-License-Identifier: BSD-2-Clause
/* Code that can be moved to stubs to make room for jumps, near windows that are too short. */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "binary/x86_64/x86_inline_impl.h"

static bool overlaps(const struct insn *in, uint32_t off, uint32_t len)
{
	return in->off < off + len && off < in->off + in->len;
}

static bool is_point(const struct insn *in, const struct code_point *at)
{
	return overlaps(in, at->off, at->len);
}

/* Whether the instruction is probed, or displaced for an event, or branches to a stub. */
static bool is_taken(const struct gocode *out, const struct insn *in)
{
	bool taken = (out->has_entry && is_point(in, &out->entry)) ||
		     (out->has_past_fault_entry && is_point(in, &out->past_fault_entry)) ||
		     (out->has_values_entry && is_point(in, &out->values_entry)) ||
		     overlaps(in, out->inline_entry.off, out->inline_entry.len);

	for (size_t i = 0; i < out->n_tails && !taken; i++)
		taken = is_point(in, &out->tails[i].at);
	for (size_t i = 0; i < out->n_rets && !taken; i++) {
		const struct code_branches *b = &out->inline_branches[i];
		const struct code_window *w = &out->inline_rets[i];

		taken = is_point(in, &out->rets[i]) || overlaps(in, w->off, w->len);
		for (uint8_t k = 0; k < b->n && !taken; k++)
			taken = overlaps(in, b->at[k].off, b->at[k].len);
	}
	return taken;
}

/* A room that begins with instruction `first`; len 0: there is none. */
static struct code_window room_at(const struct body *y, const struct gocode *out, size_t first)
{
	const struct code_window none = inline_no_window(WINDOW_FLOW);
	const uint32_t start = y->insns[first].off;
	struct code_window w = { .off = start };

	for (size_t i = first; w.len < INLINE_ROOM_MIN; i++) {
		const struct insn *in = i < y->n ? &y->insns[i] : NULL;
		const bool jump = in && (in->flow == FLOW_JMP || in->flow == FLOW_JCC);

		/* A branch may go to the first, where the jump is. */
		if (!in || is_taken(out, in) ||
		    gocode_targeted(y, in->off + (i == first), in->off + in->len - 1) ||
		    (jump ? inline_add_jump(y, in, &w) : inline_displace(y, in, &w)) != WINDOW_OK)
			return none;
		w.len = (uint8_t)(in->off + in->len - start);
		/* Nothing goes on from it. What would come after any other must be there. */
		if (in->flow == FLOW_JMP)
			return w.len < INLINE_ROOM_MIN ? none : w;
	}
	return start + w.len < y->f->size ? w : none;
}

/* How often it runs: 0, only where the stack grows; 1, in no loop; 2, in one. */
static int heat(const struct body *y, const struct code_window *w)
{
	const struct check k = x86_check(y);
	const int64_t end = k.found ? y->insns[k.jcc].target : y->f->size;

	if (w->off >= end)
		return 0;
	for (size_t i = 0; i < y->n && y->insns[i].off < end; i++) {
		const struct insn *in = &y->insns[i];

		if ((in->flow == FLOW_JMP || in->flow == FLOW_JCC) && in->off >= w->off &&
		    in->target >= 0 && in->target <= w->off)
			return 2;
	}
	return 1;
}

/* The first instruction that no tool is likely to probe: after those of the prologue. */
static size_t first_free(const struct body *y, const struct gocode *out)
{
	const struct check k = x86_check(y);
	size_t i = k.found ? k.jcc + 1 : 1, after = y->n;

	if (out->has_entry)
		after = x86_after_prologue(y, out);
	return after < y->n && after > i ? after : i;
}

static bool is_short(const struct code_window *w)
{
	return w->len && w->len < WINDOW_MIN;
}

static bool has_short_branch(const struct code_branches *b)
{
	for (uint8_t i = 0; i < b->n; i++)
		if (b->at[i].len < WINDOW_MIN)
			return true;
	return false;
}

static bool needs_rooms(const struct gocode *out)
{
	bool needs = is_short(&out->inline_entry);

	for (size_t i = 0; i < out->n_rets && !needs; i++)
		needs = is_short(&out->inline_rets[i]) ||
			has_short_branch(&out->inline_branches[i]);
	return needs;
}

int inline_find_rooms(const struct body *y, struct gocode *out)
{
	size_t cap = 0;

	if (!out->n_rets || !needs_rooms(out))
		return 0;
	for (int wanted = 0; wanted <= 2; wanted++) {
		for (size_t i = first_free(y, out); i < y->n; i++) {
			const struct code_window w = room_at(y, out, i);

			if (!w.len)
				continue;
			while (i + 1 < y->n && y->insns[i + 1].off < w.off + w.len)
				i++;
			if (heat(y, &w) != wanted)
				continue;
			if (vec_reserve(&out->inline_rooms, &cap, out->n_inline_rooms + 1))
				return -ENOMEM;
			out->inline_rooms[out->n_inline_rooms++] = w;
		}
	}
	return 0;
}
