// SPDX-License-Identifier: BSD-2-Clause
/* Where inline stubs record exits: the bytes that they displace there. */
#include <errno.h>
#include <stdlib.h>

#include "binary/x86_64/x86_inline_impl.h"

#define WINDOW_MAX 64 /* bytes: a few of the longest instructions */

/* The bytes right before the RET at index `ret`, none of them below `floor_off`. Branches may go to
 * the RET only if `enterable`. */
static struct code_window before_ret(const struct body *y, size_t ret, uint32_t floor_off,
				     bool enterable)
{
	struct code_window w = { 0 };
	enum window_fate fate = WINDOW_OK;
	uint32_t end = y->insns[ret].off, start = end;

	/* A branch may go to the first, where the jump is, not to another, nor to the RET.
	 */
	for (size_t i = ret; end - start < WINDOW_MIN && end - start < WINDOW_MAX && i > 0;) {
		const struct insn *in = &y->insns[--i];
		struct code_window with = w;

		if (!(enterable && start == end) && gocode_targeted(y, start, start))
			fate = WINDOW_TARGET;
		else if (in->off < floor_off)
			fate = WINDOW_SHORT;
		else
			fate = inline_displace(y, in, &with);
		if (fate != WINDOW_OK)
			break;
		struct touch t = inline_touches(y, in);
		/* What faults has not returned. */
		with.reads |= t.reads || t.reads_flags || t.reads_rdx || with.faults;
		w = with;
		start = in->off;
	}
	if (end - start < WINDOW_SHORT_MIN)
		return inline_no_window(fate == WINDOW_OK ? WINDOW_SHORT : fate);
	if (!gocode_sp_at(y, start, &w.to_frame_bytes))
		return inline_no_window(WINDOW_SHORT);
	w.off = start;
	w.len = (uint8_t)(end - start);
	w.fate = end - start < WINDOW_MIN ? (fate == WINDOW_OK ? WINDOW_SHORT : fate) : WINDOW_OK;
	return w;
}

static bool goes_on(const struct insn *in)
{
	return in->flow == FLOW_NEXT || in->flow == FLOW_JCC || in->flow == FLOW_CALL ||
	       in->flow == FLOW_CALL_IND;
}

/* The branches to instruction `to`, which only goes on to the RET at index `ret` or is it, none of
 * them below `floor_off`, and the window that all others pass. Changes nothing when they are not
 * all ways to it. */
static void find_branches(const struct body *y, size_t to, size_t ret, uint32_t floor_off,
			  struct code_branches *out, struct code_window *window)
{
	uint32_t at = y->insns[to].off;
	struct code_branches b = { .to = at };
	struct code_window w = inline_no_window(WINDOW_TARGET);

	if (gocode_in_table(y, at, y->insns[ret].off) ||
	    (to != ret && !gocode_sp_at(y, at, &b.to_frame_bytes)))
		return;
	for (size_t i = 0; i < y->n; i++) {
		const struct insn *in = &y->insns[i];

		if ((in->flow != FLOW_JMP && in->flow != FLOW_JCC) || in->target != at)
			continue;
		if (in->off < floor_off || b.n == BRANCHES_MAX || !inline_plain_branch(y, in))
			return;
		b.at[b.n++] = (struct code_branch){ .off = in->off, .len = in->len };
	}
	if (to && goes_on(&y->insns[to - 1])) {
		w = before_ret(y, to, floor_off, true);
		if (!w.len)
			return;
		/* Those that branch are recorded with rsp as it is there. */
		w.reads |= to != ret;
		w.to_frame_after_bytes = b.to_frame_bytes;
	}
	*out = b;
	*window = w;
}

/* It goes on, and does nothing that matters to an event before it. */
static bool is_quiet(const struct body *y, const struct insn *in)
{
	struct code_window w = { 0 };
	struct touch t;

	if (inline_displace(y, in, &w) != WINDOW_OK || w.faults)
		return false;
	t = inline_touches(y, in);
	return !t.reads && !t.reads_flags && !t.reads_rdx;
}

/* Index of the last instruction before the RET at index `ret`, or the RET, that branches go to; all
 * from there on are quiet. 0: there is none. */
static size_t last_target(const struct body *y, size_t ret)
{
	for (size_t i = ret; i > 0; i--) {
		if (gocode_targeted(y, y->insns[i].off, y->insns[i].off))
			return i;
		if (!is_quiet(y, &y->insns[i - 1]))
			return 0;
	}
	return 0;
}

static uint32_t end_of(const struct code_point *p)
{
	return p->off + p->len;
}

static bool ends_in_ret(const struct body *y, const struct gocode *out)
{
	const struct code_point *last = out->n_rets ? &out->rets[out->n_rets - 1] : NULL;

	if (!last || !last->plain_ret)
		return false;
	for (uint32_t off = last->off + 1; off < y->f->size; off++)
		if (y->code[off] != 0xcc)
			return false;
	return last->off + 1 == y->f->size || !gocode_targeted(y, last->off + 1, y->f->size - 1);
}

/* The first byte after the entry's instruction and window. */
static uint32_t end_of_entry(const struct body *y, const struct gocode *out)
{
	uint32_t floor_off = y->insns[0].len;

	if (out->has_entry && end_of(&out->entry) > floor_off)
		floor_off = end_of(&out->entry);
	if (out->has_past_fault_entry && out->past_fault_entry.class == INSN_EMULATED &&
	    end_of(&out->past_fault_entry) > floor_off)
		floor_off = end_of(&out->past_fault_entry);
	if (out->inline_entry.len && out->inline_entry.off + out->inline_entry.len > floor_off)
		floor_off = out->inline_entry.off + out->inline_entry.len;
	return floor_off;
}

/* Fills the windows of the RETs; how many have one. */
static size_t find_rets(const struct body *y, struct gocode *out)
{
	const uint32_t floor_off = end_of_entry(y, out);
	size_t found = 0;

	for (size_t i = 0; i < out->n_rets; i++) {
		size_t ret = gocode_index_at(y, out->rets[i].off);
		struct code_window *w = &out->inline_rets[i];
		struct code_branches *b = &out->inline_branches[i];

		b->n = 0;
		*w = before_ret(y, ret, floor_off, false);
		const size_t to = w->fate == WINDOW_TARGET && !w->len ? last_target(y, ret) : 0;
		if (to)
			find_branches(y, to, ret, floor_off, b, w);
		found += w->len || b->n;
	}
	return found;
}

/* Fills the windows of the RETs, and makes that of the entry such that most have one. */
static void find_all(const struct body *y, struct gocode *out)
{
	const size_t found = find_rets(y, out);

	if (found == out->n_rets || out->brief || !out->inline_entry.n_jump_offs)
		return;
	/* Without a jump the entry's window is shorter, which may leave room for an exit's. */
	struct code_window with = out->inline_entry;

	out->inline_entry = inline_entry_window(y, out, false);
	if (find_rets(y, out) == found) {
		out->inline_entry = with;
		find_rets(y, out);
	}
}

int x86_inline_windows(const struct body *y, struct gocode *out)
{
	out->ends_in_ret = ends_in_ret(y, out);
	out->inline_entry = inline_entry_window(y, out, true);
	if (!out->n_rets)
		return 0;
	out->inline_rets = calloc(out->n_rets, sizeof(*out->inline_rets));
	out->inline_branches = calloc(out->n_rets, sizeof(*out->inline_branches));
	if (!out->inline_rets || !out->inline_branches)
		return -ENOMEM;
	find_all(y, out);
	return inline_find_rooms(y, out);
}
