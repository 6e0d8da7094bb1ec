// SPDX-License-Identifier: BSD-2-Clause
/*
 * The bytes that an inline stub displaces. More than springboard's may: the hook at the signal
 * handler shows Go a fault in a stub at the instruction's own address, and what is relative to rip
 * is rewritten.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "binary/gobin_impl.h"
#include "binary/gocode_impl.h"

#define WINDOW_MAX 64 /* bytes: a few of the longest instructions */

/* What recording changes at an exit: rdx, scratch registers and flags. At an entry rdx is kept. */
static const x86_reg scratch[] = {
	X86_REG_R12,  X86_REG_R12D, X86_REG_R12W, X86_REG_R12B, X86_REG_R13,  X86_REG_R13D,
	X86_REG_R13W, X86_REG_R13B, X86_REG_R15,  X86_REG_R15D, X86_REG_R15W, X86_REG_R15B,
};
static const x86_reg rdx[] = {
	X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH,
};

static bool among(uint16_t reg, const x86_reg *set, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (reg == set[i])
			return true;
	return false;
}

static bool is_scratch(uint16_t reg)
{
	return among(reg, scratch, sizeof(scratch) / sizeof(*scratch));
}

static bool is_rdx(uint16_t reg)
{
	return among(reg, rdx, sizeof(rdx) / sizeof(*rdx));
}

struct touch {
	bool reads, writes; /* scratch registers */
	bool reads_flags, writes_flags;
	bool reads_rdx;
};

/* What an instruction does to what recording changes. */
static struct touch touches(const struct body *y, const struct insn *in)
{
	const uint8_t *p = y->code + in->off;
	size_t len = in->len;
	uint64_t addr = y->f->vaddr + in->off;
	cs_regs reads, writes;
	uint8_t n_reads, n_writes;
	struct touch t = { 0 };

	if (!cs_disasm_iter(y->c->detail, &p, &len, &addr, y->c->detail_insn) ||
	    cs_regs_access(y->c->detail, y->c->detail_insn, reads, &n_reads, writes, &n_writes) !=
		    CS_ERR_OK)
		return (struct touch){ true, true, true, true, true };
	for (uint8_t i = 0; i < n_reads; i++) {
		t.reads |= is_scratch(reads[i]);
		t.reads_flags |= reads[i] == X86_REG_EFLAGS;
		t.reads_rdx |= is_rdx(reads[i]);
	}
	for (uint8_t i = 0; i < n_writes; i++) {
		t.writes |= is_scratch(writes[i]);
		t.writes_flags |= writes[i] == X86_REG_EFLAGS;
	}
	return t;
}

/* Notes the operand relative to rip of the instruction that was decoded last, if it has one. */
static bool add_rip_operand(const struct body *y, const struct insn *in, struct code_window *w)
{
	const cs_x86 *x = &y->c->detail_insn->detail->x86;

	for (uint8_t i = 0; i < x->op_count; i++) {
		if (x->operands[i].type != X86_OP_MEM || x->operands[i].mem.base != X86_REG_RIP)
			continue;
		if (w->n_rip_offs == WINDOW_RIP_MAX || !x->encoding.disp_offset)
			return false;
		w->rip_offs[w->n_rip_offs++] = in->off + x->encoding.disp_offset;
		return true;
	}
	return true;
}

static enum window_fate displaceable(const struct body *y, const struct insn *in,
				     struct code_window *w)
{
	enum window_fate fate = gocode_displaceable(y, in);
	const cs_insn *d = y->c->detail_insn;

	if (fate == WINDOW_FAULT || fate == WINDOW_OK) {
		w->faults |= fate == WINDOW_FAULT;
		if (!add_rip_operand(y, in, w))
			return WINDOW_FIXED;
		return cs_insn_group(y->c->detail, d, CS_GRP_INT) ||
				       cs_insn_group(y->c->detail, d, CS_GRP_PRIVILEGE) ||
				       d->id == X86_INS_SYSCALL
			       ? WINDOW_FLOW
			       : WINDOW_OK;
	}
	if (fate != WINDOW_FIXED || in->fs)
		return fate;
	/* The kernel takes no probe on a lock prefix, and none goes there; a segment's stays. */
	if (in->class == INSN_REFUSED && y->code[in->off] != 0xf0)
		return WINDOW_FIXED;
	w->faults |= gocode_may_fault(y, in);
	return add_rip_operand(y, in, w) ? WINDOW_OK : WINDOW_FIXED;
}

static struct code_window none(enum window_fate why)
{
	return (struct code_window){ .fate = why };
}

/*
 * From instruction `first` on: WINDOW_MIN bytes, or what there is of WINDOW_SHORT_MIN and more. A
 * call may be the last. Nothing may go into them.
 */
static struct code_window forward(const struct body *y, size_t first)
{
	struct code_window w = { 0 };
	enum window_fate fate = WINDOW_SHORT;
	uint32_t start, end;

	if (first >= y->n)
		return none(WINDOW_SHORT);
	start = end = y->insns[first].off;
	for (size_t i = first; end - start < WINDOW_MIN && i < y->n && !w.has_call; i++) {
		const struct insn *in = &y->insns[i];
		struct code_window with = w;

		with.has_call = in->flow == FLOW_CALL;
		fate = with.has_call ? WINDOW_OK : displaceable(y, in, &with);
		if (fate == WINDOW_OK && gocode_targeted(y, in->off, in->off + in->len - 1))
			fate = WINDOW_TARGET;
		if (fate != WINDOW_OK)
			break;
		w = with;
		end = in->off + in->len;
	}
	if (end - start < WINDOW_SHORT_MIN)
		return none(fate == WINDOW_OK ? WINDOW_SHORT : fate);
	if (end >= y->f->size || !gocode_sp_at(y, start, &w.rsp_to_ra_bytes) ||
	    !gocode_sp_at(y, end, &w.rsp_to_ra_after_bytes))
		return none(WINDOW_SHORT);
	w.off = start;
	w.len = (uint8_t)(end - start);
	w.fate = end - start < WINDOW_MIN && fate != WINDOW_OK ? fate : WINDOW_OK;
	return w;
}

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
			fate = displaceable(y, in, &with);
		if (fate != WINDOW_OK)
			break;
		struct touch t = touches(y, in);
		/* What faults has not returned. */
		with.reads |= t.reads || t.reads_flags || t.reads_rdx || with.faults;
		w = with;
		start = in->off;
	}
	if (end - start < WINDOW_SHORT_MIN)
		return none(fate == WINDOW_OK ? WINDOW_SHORT : fate);
	if (!gocode_sp_at(y, start, &w.rsp_to_ra_bytes))
		return none(WINDOW_SHORT);
	w.off = start;
	w.len = (uint8_t)(end - start);
	w.fate = end - start < WINDOW_MIN ? (fate == WINDOW_OK ? WINDOW_SHORT : fate) : WINDOW_OK;
	return w;
}

/* Whether flags are read at index `i` or after it before they are written. No call keeps them. */
static bool flags_in_use(const struct body *y, size_t i)
{
	for (; i < y->n; i++) {
		const struct insn *in = &y->insns[i];
		struct touch t;

		if (in->flow == FLOW_JCC || in->flow == FLOW_JMP || in->flow == FLOW_JMP_IND)
			return true;
		if (in->flow != FLOW_NEXT)
			return false;
		t = touches(y, in);
		if (t.reads_flags || t.writes_flags)
			return t.reads_flags;
	}
	return true;
}

/* Do instructions from index `from` up to `end` leave something in what recording changes? After a
 * stack check nothing is. */
static bool scratch_in_use(const struct body *y, size_t from, size_t end)
{
	bool flags = false;

	for (size_t i = from; i < end; i++) {
		struct touch t = touches(y, &y->insns[i]);

		if (t.writes)
			return true;
		flags |= t.writes_flags;
	}
	return flags && flags_in_use(y, end);
}

/* May an instruction from index `from` up to `end` fault? */
static bool faults_between(const struct body *y, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		if (gocode_may_fault(y, &y->insns[i]))
			return true;
	return false;
}

/*
 * On the line to the instruction at `at`, the entry, which every call passes: the first window that
 * is long enough, else the longest. A function's first instruction stays, whoever else may probe
 * it. What faults before the window has not been recorded, what faults after it has; the event of a
 * brief function says that it has returned, so nothing may fault from there on.
 */
static struct code_window on_line(const struct body *y, const struct gocode *out,
				  const struct code_point *at)
{
	const struct check k = gocode_check(y);
	size_t from = k.found ? k.jcc + 1 : 0, last = gocode_index_at(y, at->off);
	struct code_window best = none(WINDOW_FIXED);

	for (size_t i = from ? from : 1; i <= last && best.len < WINDOW_MIN; i++) {
		if (scratch_in_use(y, from, i) || (out->brief && faults_between(y, i, last)))
			continue;
		struct code_window w = forward(y, i);

		if (w.len > best.len || !best.len)
			best = w;
	}
	return best;
}

static struct code_window entry_window(const struct body *y, const struct gocode *out)
{
	size_t i;

	if (out->has_entry) {
		i = gocode_after_prologue(y, out);
		if (i < y->n &&
		    (out->has_check || !scratch_in_use(y, 0, gocode_index_at(y, out->entry.off))))
			return forward(y, i);
		return i < y->n ? none(WINDOW_FIXED) : on_line(y, out, &out->entry);
	}
	if (out->has_past_fault_entry && out->past_fault_entry.class == INSN_EMULATED)
		return on_line(y, out, &out->past_fault_entry);
	if (out->one_probe_leaf || out->has_past_fault_entry || out->loop_at_start ||
	    y->insns[0].flow != FLOW_NEXT)
		return none(WINDOW_FLOW);
	/* The first instruction stays, whoever else may probe it. */
	if (gocode_may_fault(y, &y->insns[0]))
		return none(WINDOW_FAULT);
	return scratch_in_use(y, 0, 1) ? none(WINDOW_FIXED) : forward(y, 1);
}

/* Whether a branch has one of the encodings whose distance can be changed. */
static bool is_plain(const struct body *y, const struct insn *in)
{
	const uint8_t *p = y->code + in->off;

	switch (in->len) {
	case 2:
		return *p == 0xeb || (*p & 0xf0) == 0x70;
	case 5:
		return *p == 0xe9;
	default:
		return in->len == 6 && *p == 0x0f;
	}
}

static bool goes_on(const struct insn *in)
{
	return in->flow == FLOW_NEXT || in->flow == FLOW_JCC || in->flow == FLOW_CALL ||
	       in->flow == FLOW_CALL_IND;
}

/* The branches to the RET at index `ret`, none of them below `floor_off`, and the window that all
 * others pass. Changes nothing when they are not all ways to it. */
static void find_branches(const struct body *y, size_t ret, uint32_t floor_off,
			  struct code_branches *out, struct code_window *window)
{
	uint32_t at = y->insns[ret].off;
	struct code_branches b = { 0 };
	struct code_window w = none(WINDOW_TARGET);

	if (gocode_in_table(y, at, at))
		return;
	for (size_t i = 0; i < y->n; i++) {
		const struct insn *in = &y->insns[i];

		if ((in->flow != FLOW_JMP && in->flow != FLOW_JCC) || in->target != at)
			continue;
		if (in->off < floor_off || b.n == BRANCHES_MAX || !is_plain(y, in))
			return;
		b.at[b.n++] = (struct code_branch){ .off = in->off, .len = in->len };
	}
	if (ret && goes_on(&y->insns[ret - 1])) {
		w = before_ret(y, ret, floor_off, true);
		if (!w.len)
			return;
	}
	*out = b;
	*window = w;
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

int gocode_inline_windows(const struct body *y, struct gocode *out)
{
	uint32_t floor_off = y->insns[0].len;

	out->ends_in_ret = ends_in_ret(y, out);

	out->inline_entry = entry_window(y, out);
	if (out->has_entry && end_of(&out->entry) > floor_off)
		floor_off = end_of(&out->entry);
	if (out->has_past_fault_entry && out->past_fault_entry.class == INSN_EMULATED &&
	    end_of(&out->past_fault_entry) > floor_off)
		floor_off = end_of(&out->past_fault_entry);
	if (out->inline_entry.len && out->inline_entry.off + out->inline_entry.len > floor_off)
		floor_off = out->inline_entry.off + out->inline_entry.len;
	if (!out->n_rets)
		return 0;
	out->inline_rets = calloc(out->n_rets, sizeof(*out->inline_rets));
	out->inline_branches = calloc(out->n_rets, sizeof(*out->inline_branches));
	if (!out->inline_rets || !out->inline_branches)
		return -ENOMEM;
	for (size_t i = 0; i < out->n_rets; i++) {
		size_t ret = gocode_index_at(y, out->rets[i].off);

		out->inline_rets[i] = before_ret(y, ret, floor_off, false);
		if (out->inline_rets[i].fate == WINDOW_TARGET && !out->inline_rets[i].len)
			find_branches(y, ret, floor_off, &out->inline_branches[i],
				      &out->inline_rets[i]);
	}
	return 0;
}
