// SPDX-License-Identifier: BSD-2-Clause
/* Where inline stubs record entries: the bytes that they displace there. */
#include "binary/x86_64/x86_inline_impl.h"

/* Whether rsp is the same at two places. */
static bool same_sp(const struct body *y, uint32_t a, uint32_t b)
{
	uint16_t at_a, at_b;

	return gocode_sp_at(y, a, &at_a) && gocode_sp_at(y, b, &at_b) && at_a == at_b;
}

/* Makes `in` the next instruction of the window that begins at offset `start`, if it can be. */
static enum window_fate append(const struct body *y, const struct insn *in, uint32_t start,
			       bool jumps, struct code_window *w)
{
	const uint32_t end = in->off + in->len;
	struct code_window with = *w;
	enum window_fate fate = WINDOW_OK;

	with.has_call = in->flow == FLOW_CALL;
	if ((in->flow == FLOW_JCC || in->flow == FLOW_JMP) && jumps)
		fate = inline_add_jump(y, in, &with);
	else if (!with.has_call)
		fate = inline_displace(y, in, &with);
	if (fate == WINDOW_OK && with.n_jump_offs && (with.has_call || !same_sp(y, start, end)))
		fate = WINDOW_FLOW;
	if (fate == WINDOW_OK && gocode_targeted(y, in->off, end - 1))
		fate = WINDOW_TARGET;
	if (fate == WINDOW_OK)
		*w = with;
	return fate;
}

/*
 * From instruction `first` on, up to `stop`: WINDOW_MIN bytes, or what there is of WINDOW_SHORT_MIN
 * and more. A call may be the last. Nothing may go into them.
 */
static struct code_window forward(const struct body *y, size_t first, size_t stop, bool jumps)
{
	struct code_window w = { 0 };
	enum window_fate fate = WINDOW_SHORT;
	uint32_t start, end;

	if (first >= y->n)
		return inline_no_window(WINDOW_SHORT);
	start = end = y->insns[first].off;
	for (size_t i = first; end - start < WINDOW_MIN && i < stop; i++) {
		const struct insn *in = &y->insns[i];

		fate = append(y, in, start, jumps, &w);
		if (fate != WINDOW_OK)
			break;
		end = in->off + in->len;
		if (in->flow != FLOW_NEXT && in->flow != FLOW_JCC)
			break;
	}
	if (end - start < WINDOW_SHORT_MIN)
		return inline_no_window(fate == WINDOW_OK ? WINDOW_SHORT : fate);
	if (end >= y->f->size || !gocode_sp_at(y, start, &w.to_frame_bytes) ||
	    !gocode_sp_at(y, end, &w.to_frame_after_bytes))
		return inline_no_window(WINDOW_SHORT);
	w.off = start;
	w.len = (uint8_t)(end - start);
	w.fate = end - start < WINDOW_MIN && fate != WINDOW_OK ? fate : WINDOW_OK;
	return w;
}

#define FOLLOWED 64 /* instructions that are looked at before flags count as live */

/* Whether flags are read at index `i` or after it before they are written. No call keeps them. */
static bool flags_in_use(const struct body *y, size_t i)
{
	for (unsigned k = 0; k < FOLLOWED && i < y->n; k++) {
		const struct insn *in = &y->insns[i];
		struct touch t;

		if (in->flow == FLOW_JMP && in->target >= 0 && in->target < y->f->size) {
			i = gocode_index_at(y, (uint32_t)in->target);
			continue;
		}
		if (in->flow == FLOW_JCC || in->flow == FLOW_JMP || in->flow == FLOW_JMP_IND)
			return true;
		if (in->flow != FLOW_NEXT)
			return false;
		t = inline_touches(y, in);
		if (t.reads_flags || t.writes_flags)
			return t.reads_flags;
		i++;
	}
	return true;
}

/* What of it that recording changes do instructions from index `from` up to `end` leave something
 * in? After a stack check nothing is. */
struct in_use {
	bool registers, flags;
};

static struct in_use left_behind(const struct body *y, size_t from, size_t end)
{
	struct in_use u = { 0 };

	for (size_t i = from; i < end; i++) {
		struct touch t = inline_touches(y, &y->insns[i]);

		u.registers |= t.writes;
		u.flags |= t.writes_flags;
	}
	u.flags = u.flags && flags_in_use(y, end);
	return u;
}

static bool scratch_in_use(const struct body *y, size_t from, size_t end)
{
	struct in_use u = left_behind(y, from, end);

	return u.registers || u.flags;
}

/* Whether an instruction does nothing but set flags, from what recording keeps at an entry, and
 * works at any address: it can be executed again. */
static bool only_compares(const struct body *y, const struct insn *in)
{
	const struct touch t = inline_touches(y, in);
	const cs_insn *d = y->c->decoder->detail_insn;
	cs_regs reads, writes;
	uint8_t n_reads, n_writes;

	if (in->flow != FLOW_NEXT || in->len > WINDOW_COMPARE_MAX || t.reads || t.reads_flags ||
	    !t.writes_flags || in->class == INSN_REFUSED)
		return false;
	/* Memory that has just been read can be read again. */
	for (uint8_t i = 0; i < d->detail->x86.op_count; i++)
		if (d->detail->x86.operands[i].type == X86_OP_MEM &&
		    d->detail->x86.operands[i].mem.base == X86_REG_RIP)
			return false;
	return cs_regs_access(y->c->decoder->detail, d, reads, &n_reads, writes, &n_writes) ==
		       CS_ERR_OK &&
	       n_writes == 1 && writes[0] == X86_REG_EFLAGS;
}

/* May an instruction from index `from` up to `end` fault? */
static bool faults_between(const struct body *y, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		if (x86_may_fault(y, &y->insns[i]))
			return true;
	return false;
}

/*
 * Whether a jump to the stub may lie on the instruction where other tools, and gotrace without
 * stubs, put their probe (site_jumps_on_probed of plan.h). Their breakpoint takes the place of its
 * first byte, and they put back what the file has. That must not matter: an unconditional jump of
 * either length begins like ours to the stub; a conditional one, whose distance is in the same
 * place as ours, goes to the stub when it is taken.
 */
static bool may_lie_on(const struct body *y, const struct insn *in)
{
	return (in->flow == FLOW_JMP || (in->flow == FLOW_JCC && in->len == 2)) &&
	       inline_plain_branch(y, in);
}

/* Tries a window from index i on, up to `stop`, on the line that begins at index `from`: *best is
 * the longest so far. */
static void try_at(const struct body *y, size_t from, size_t i, size_t stop, bool jumps,
		   struct code_window *best)
{
	const struct in_use u = left_behind(y, from, i);

	if (u.registers || (u.flags && !only_compares(y, &y->insns[i - 1])))
		return;
	struct code_window w = forward(y, i, stop, jumps);

	w.compare_len = w.len && u.flags ? y->insns[i - 1].len : 0;
	if (w.len > best->len || !best->len)
		*best = w;
}

/* Whether every call goes on from instruction i to the next, and nothing else comes there by it. */
static bool goes_straight(const struct body *y, size_t i)
{
	const struct insn *in = &y->insns[i];

	return in->flow == FLOW_NEXT && !gocode_targeted(y, in->off, in->off + in->len - 1);
}

/*
 * Looks further on the line that begins at index `from`, after index `first`. Returns the first
 * window that is long enough, else the longest, or `best` if that is as long. A probe on
 * runtime.sigpanic records calls that fault before it; it takes rsp to be at the return address.
 */
static struct code_window further(const struct body *y, size_t from, size_t first, bool jumps,
				  struct code_window best)
{
	bool faults = false;
	uint16_t down;

	for (size_t i = first + 1;
	     i < y->n && i - first < FOLLOWED && best.len < WINDOW_MIN && goes_straight(y, i - 1);
	     i++) {
		const struct code_window before = best;

		if (x86_may_fault(y, &y->insns[i - 1])) {
			if (!gocode_sp_at(y, y->insns[i - 1].off, &down) || down)
				break;
			faults = true;
		}
		try_at(y, from, i, y->n, jumps, &best);
		if (best.len == before.len)
			continue;
		best.further = true;
		best.past_fault = faults;
	}
	return best;
}

/*
 * On the line to the instruction at `at`, the entry, which every call passes: the first window that
 * is long enough, else the longest. A function's first instruction stays, whoever else may probe
 * it, and so does that at `at`, or it is displaced alone; the window may follow it where the line
 * goes on. A call that faults before the window is not recorded, one that faults after it is. The
 * event of a brief function says that it has returned, so nothing may fault from there on.
 */
static struct code_window on_line(const struct body *y, const struct gocode *out,
				  const struct code_point *at, bool jumps)
{
	const struct check k = x86_check(y);
	size_t from = k.found ? k.jcc + 1 : 0, last = gocode_index_at(y, at->off);
	size_t stop = last + (jumps && may_lie_on(y, &y->insns[last]));
	struct code_window best = inline_no_window(WINDOW_FIXED);

	for (size_t i = from ? from : 1; i < stop && best.len < WINDOW_MIN; i++)
		if (!out->brief || !faults_between(y, i, last))
			try_at(y, from, i, i < last ? last : stop, jumps, &best);
	return further(y, from, last, jumps, best);
}

/* After the prologue's instructions, of which the last is before index i. */
static struct code_window after_prologue(const struct body *y, const struct gocode *out, size_t i,
					 bool jumps)
{
	const struct check k = x86_check(y);

	if (!out->has_check && scratch_in_use(y, 0, gocode_index_at(y, out->entry.off)))
		return inline_no_window(WINDOW_FIXED);
	return further(y, k.found ? k.jcc + 1 : 0, i, jumps, forward(y, i, y->n, jumps));
}

struct code_window inline_entry_window(const struct body *y, const struct gocode *out, bool jumps)
{
	size_t i;

	if (out->has_entry) {
		i = x86_after_prologue(y, out);
		return i < y->n ? after_prologue(y, out, i, jumps)
				: on_line(y, out, &out->entry, jumps);
	}
	if (out->has_past_fault_entry && out->past_fault_entry.class == INSN_EMULATED)
		return on_line(y, out, &out->past_fault_entry, jumps);
	if (out->one_probe_leaf || out->has_past_fault_entry || out->loop_at_start)
		return inline_no_window(WINDOW_FLOW);
	/* The first instruction stays, whoever else may probe it. */
	return further(y, 0, 0, jumps,
		       inline_no_window(y->insns[0].flow == FLOW_NEXT ? WINDOW_FIXED
								      : WINDOW_FLOW));
}
