/* SPDX-License-Identifier: BSD-2-Clause */
/* The head of a function: where an entry probe can be. */
#include "binary/gocode_impl.h"

/*
 * The first emulated instruction but a RET from index `i` on that is reached by nothing
 * but falling through. Stops where the line ends, after a call (which may
 * unwind or never return), where the stack pointer is no longer known, and at an instruction
 * that may fault: a call that panics there has been entered all the same; with past_faults
 * only where the stack pointer is not at the return address. *out is where it stopped.
 */
static enum line_end find_on_line(const struct body *y, size_t i, bool past_faults,
				  struct code_point *out)
{
	const struct arch_code *arch = y->c->arch;
	int64_t down = 0;
	bool closure = true; /* its register is still what the caller put there */

	for (; i < y->n; i++) {
		const struct insn *in = &y->insns[i];

		*out = point(in, down);
		if (in->class == INSN_EMULATED && in->flow != FLOW_RET)
			return LINE_FOUND;
		if (in->flow != FLOW_NEXT)
			return LINE_FLOW;
		if ((!past_faults || down) && arch->may_fault(y, in) &&
		    !(closure && arch->reads_closure(y, in)))
			return LINE_FAULT;
		closure = closure && !arch->writes_closure(y, in);
		if (!arch->follow_sp(y, in, &down) || down < 0 || down > UINT16_MAX)
			return LINE_SP;
	}
	return LINE_FLOW;
}

/* `end` is where the line from the start ended. */
static bool is_straight(const struct body *y, const struct code_point *end)
{
	size_t i = 0;

	while (i < GOCODE_BRIEF_MAX && i < y->n && y->insns[i].off != end->off &&
	       !y->insns[i].loops)
		i++;
	return i > 0 && i < GOCODE_BRIEF_MAX && i < y->n && y->insns[i].flow == FLOW_RET &&
	       y->insns[i].off == end->off && end->to_frame_bytes == 0 &&
	       !gocode_targeted(y, 0, end->off);
}

static void find_late(const struct body *y, struct gocode *out)
{
	enum line_end end = find_on_line(y, 0, true, &out->past_fault_entry);

	if (end == LINE_FOUND)
		out->has_past_fault_entry = !gocode_targeted(y, 0, out->past_fault_entry.off);
	else if (end == LINE_FLOW && is_straight(y, &out->past_fault_entry)) {
		out->past_fault_entry = out->rets[0];
		out->has_past_fault_entry = true;
	}
}

/* Fills the entry with the check's jump, if it has one that nothing else goes to. */
static bool take_check(const struct body *y, const struct check *k, struct gocode *out)
{
	const struct insn *jcc = &y->insns[k->jcc];

	if (!k->found || jcc->class != INSN_EMULATED ||
	    gocode_targeted(y, k->restart + 1, jcc->off))
		return false;
	out->entry = point(jcc, 0);
	out->entry.check_jcc = true;
	out->has_entry = true;
	return true;
}

void gocode_entry(const struct body *y, const struct check *k, struct gocode *out)
{
	/* After a check, a branch to the start belongs to another call or to morestack. */
	uint32_t lo = k->found ? k->restart + 1 : 0;

	out->line_end = LINE_LOOP;
	if (out->loop_at_start)
		return;
	if (y->c->arch->entry_at_check && take_check(y, k, out)) {
		out->line_end = LINE_FOUND;
		return;
	}
	out->line_end = find_on_line(y, k->found ? k->jcc + 1 : 0, false, &out->entry);
	if (out->line_end == LINE_FOUND && gocode_targeted(y, lo, out->entry.off))
		out->line_end = LINE_TARGET;
	if (out->line_end == LINE_FOUND) {
		out->has_entry = true;
		return;
	}
	out->one_probe_leaf = out->line_end == LINE_FLOW && !k->found &&
			      is_straight(y, &out->entry);
	out->entry = (struct code_point){ 0 };
	take_check(y, k, out);
	if (out->line_end == LINE_FAULT && !k->found)
		find_late(y, out);
}

void gocode_values_entry(const struct body *y, const struct check *k, struct gocode *out)
{
	const struct insn *jcc = &y->insns[k->jcc], *next = jcc + 1;
	bool after;

	if (out->loop_at_start)
		return;
	out->has_values_entry = true;
	out->values_entry = out->start;
	if (!k->found) {
		out->has_values_entry = out->start.class != INSN_REFUSED;
		return;
	}
	after = k->jcc + 1 < y->n && !gocode_targeted(y, k->restart + 1, next->off) &&
		next->class != INSN_REFUSED;
	if (after && next->class == INSN_EMULATED) {
		out->values_entry = point(next, 0);
	} else if (jcc->class == INSN_EMULATED && !gocode_targeted(y, k->restart + 1, jcc->off)) {
		out->values_entry = point(jcc, 0);
		out->values_entry.check_jcc = true;
	} else if (after) {
		out->values_entry = point(next, 0);
	} else {
		out->has_values_entry = false;
	}
}
