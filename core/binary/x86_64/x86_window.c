/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of a function that can be executed at another address, in a stub. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "binary/x86_64/x86_code.h"

#define WINDOW_MAX 64 /* bytes: a few of the longest instructions */

/* Whether capstone's last word on the instruction names a place by its distance. */
static bool rip_relative(const cs_insn *d)
{
	for (uint8_t i = 0; i < d->detail->x86.op_count; i++)
		if (d->detail->x86.operands[i].type == X86_OP_MEM &&
		    d->detail->x86.operands[i].mem.base == X86_REG_RIP)
			return true;
	return false;
}

/* Can this instruction be executed elsewhere? */
enum window_fate x86_displaceable(const struct body *y, const struct insn *in)
{
	if (in->flow != FLOW_NEXT)
		return WINDOW_FLOW;
	if (in->tls || in->class == INSN_REFUSED)
		return WINDOW_FIXED;
	if (x86_may_fault(y, in))
		return WINDOW_FAULT;
	/* It has just been decoded with all its details. */
	const cs_insn *d = y->c->decoder->detail_insn;

	if (rip_relative(d))
		return WINDOW_FIXED;
	if (cs_insn_group(y->c->decoder->detail, d, CS_GRP_INT) ||
	    cs_insn_group(y->c->decoder->detail, d, CS_GRP_PRIVILEGE) || d->id == X86_INS_SYSCALL)
		return WINDOW_FLOW;
	return WINDOW_OK;
}

static struct code_window none(enum window_fate why)
{
	return (struct code_window){ .fate = why };
}

/* From instruction `first` on as many as WINDOW_MIN bytes take. Nothing may go into
 * them, to the first neither unless `enterable`. */
static struct code_window forward(const struct body *y, size_t first, bool enterable)
{
	uint32_t start, end;
	struct code_window w = { 0 };

	if (first >= y->n)
		return none(WINDOW_SHORT);
	start = end = y->insns[first].off;
	for (size_t i = first; end - start < WINDOW_MIN; i++) {
		if (i >= y->n)
			return none(WINDOW_SHORT);
		enum window_fate fate = x86_displaceable(y, &y->insns[i]);
		if (fate != WINDOW_OK)
			return none(fate);
		end = y->insns[i].off + y->insns[i].len;
	}
	if (gocode_targeted(y, start + enterable, end - 1))
		return none(WINDOW_TARGET);
	/* What follows must exist: it is jumped back to. */
	if (end >= y->f->size || !gocode_sp_at(y, start, &w.to_frame_bytes) ||
	    !gocode_sp_at(y, end, &w.to_frame_after_bytes))
		return none(WINDOW_SHORT);
	w.off = start;
	w.len = (uint8_t)(end - start);
	return w;
}

/* The bytes right before the RET at index `ret`, none of them below `floor_off`. */
static struct code_window before_ret(const struct body *y, size_t ret, uint32_t floor_off)
{
	uint32_t end = y->insns[ret].off, start = end;
	struct code_window w = { 0 };

	for (size_t i = ret; end - start < WINDOW_MIN;) {
		if (i-- == 0 || y->insns[i].off < floor_off)
			return none(WINDOW_SHORT);
		enum window_fate fate = x86_displaceable(y, &y->insns[i]);
		if (fate != WINDOW_OK)
			return none(fate);
		start = y->insns[i].off;
	}
	if (end - start > WINDOW_MAX)
		return none(WINDOW_SHORT);
	/* A branch may go to the first of them, where the jump is. */
	if (gocode_targeted(y, start + 1, end))
		return none(WINDOW_TARGET);
	if (!gocode_sp_at(y, start, &w.to_frame_bytes))
		return none(WINDOW_SHORT);
	w.off = start;
	w.len = (uint8_t)(end - start);
	return w;
}

size_t x86_after_prologue(const struct body *y, const struct gocode *out)
{
	size_t i = gocode_index_at(y, out->entry.off);
	const uint8_t *push = y->code + out->entry.off;

	if (out->entry.check_jcc)
		return i + 1;
	if (out->entry.len != 1 || *push != 0x55)
		return y->n;
	i++;
	if (i < y->n && y->insns[i].len == 3 &&
	    memcmp(y->code + y->insns[i].off, "\x48\x89\xe5", 3) == 0)
		i++;
	return i;
}

/* After the stack check, which keeps the function preemptible. */
static struct code_window after_check(const struct body *y, const struct gocode *out)
{
	size_t i = x86_after_prologue(y, out);

	return i < y->n ? forward(y, i, false) : none(WINDOW_FLOW);
}

static uint32_t end_of(const struct code_window *w)
{
	return w->len ? w->off + w->len : 0;
}

static uint32_t later(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

int x86_windows(const struct body *y, struct gocode *out)
{
	/* The function's first instruction stays, whoever else may probe it, and so does our entry.
	 */
	uint32_t floor_off = y->insns[0].len;

	if (out->has_entry && out->has_check)
		out->check_window = after_check(y, out);
	if (!out->has_entry && !out->one_probe_leaf && !out->has_past_fault_entry &&
	    !out->loop_at_start && y->insns[0].flow == FLOW_NEXT) {
		out->leaf_window = x86_may_fault(y, &y->insns[0]) ? none(WINDOW_FAULT)
								  : forward(y, 1, false);
	} else {
		out->leaf_window = none(WINDOW_FLOW);
	}
	if (out->has_entry)
		floor_off = later(floor_off, out->entry.off + out->entry.len);
	if (out->has_past_fault_entry && out->past_fault_entry.class == INSN_EMULATED)
		floor_off = later(floor_off, out->past_fault_entry.off + out->past_fault_entry.len);
	floor_off = later(floor_off, later(end_of(&out->check_window), end_of(&out->leaf_window)));
	if (!out->n_rets)
		return 0;
	out->ret_windows = calloc(out->n_rets, sizeof(*out->ret_windows));
	if (!out->ret_windows)
		return -ENOMEM;
	for (size_t i = 0; i < out->n_rets; i++)
		out->ret_windows[i] = before_ret(y, gocode_index_at(y, out->rets[i].off),
						 floor_off);
	return 0;
}
