// SPDX-License-Identifier: BSD-2-Clause
/* Functions so short that one event is enough for a call. */
#include "binary/gocode_impl.h"

/* May control go on from here for longer than the instruction looks: a loop, a call, a jump out of
 * the function, a string instruction? */
static bool takes_long(const struct body *y, const struct insn *in)
{
	switch (in->flow) {
	case FLOW_JMP:
	case FLOW_JCC:
		return in->target <= in->off || in->target >= y->f->size;
	case FLOW_NEXT:
		return in->loops;
	case FLOW_RET:
	case FLOW_TRAP:
		return false;
	default:
		return true;
	}
}

/*
 * Whether nothing after `at` may fault. On the straight line up to there it notes registers that
 * memory was read through without a fault. A later read through one of them does not fault either,
 * until that register is written: there are no loops, so code that runs later is at a higher
 * address.
 */
static bool cannot_fault(const struct body *y, size_t end, const struct code_point *at)
{
	uint32_t valid = 0;

	for (size_t i = 0; i < end; i++) {
		const struct insn *in = &y->insns[i];

		if (in->flow != FLOW_NEXT)
			continue;
		const struct memory_use m = y->c->arch->memory(y, in);

		if (in->off > at->off && m.faults && (m.others || (m.bases & ~valid)))
			return false;
		if (in->off < at->off && m.faults && !m.others)
			valid |= m.bases;
		valid &= ~m.written;
	}
	return true;
}

static bool is_brief(const struct body *y, size_t end, const struct code_point *at)
{
	for (size_t i = 0; i < end; i++)
		if (takes_long(y, &y->insns[i]))
			return false;
	return cannot_fault(y, end, at);
}

/* Index of the first instruction that calls morestack or prepares to; y->n without a check. */
static size_t body_end(const struct body *y, const struct check *k)
{
	size_t i = 0;

	while (k->found && i < y->n && y->insns[i].off < y->insns[k->jcc].target)
		i++;
	return k->found ? i : y->n;
}

void gocode_brief(const struct body *y, const struct check *k, struct gocode *out)
{
	const struct code_point *at = out->has_entry ? &out->entry : &out->past_fault_entry;
	size_t end = body_end(y, k);

	if ((!out->has_entry && !out->has_past_fault_entry) || at->class != INSN_EMULATED ||
	    at->check_jcc)
		return;
	out->brief = out->n_rets > 0 && !out->n_tails && !out->loop_at_start &&
		     end <= GOCODE_BRIEF_MAX && is_brief(y, end, at);
}
