// SPDX-License-Identifier: BSD-2-Clause
#include "attach/kernel/costs.h"

#include <inttypes.h>

#include "binary/gocode.h"
#include "trace/keys.h"

static const struct {
	const char *cost, *events;
} keys[COST_CLASSES] = {
	[COST_EMULATED] = { KEY_COST_EMULATED_NS, KEY_END_EVENTS_EMULATED },
	[COST_JUMP] = { KEY_COST_JUMP_NS, KEY_END_EVENTS_JUMP },
	[COST_NOP] = { KEY_COST_NOP_NS, KEY_END_EVENTS_NOP },
	[COST_RET] = { KEY_COST_RET_NS, KEY_END_EVENTS_RET },
	[COST_STEP] = { KEY_COST_STEP_NS, KEY_END_EVENTS_STEP },
	[COST_VALUES] = { NULL, KEY_END_EVENTS_VALUES },
};

const char *cost_class_events_key(enum cost_class c)
{
	return keys[c].events;
}

enum cost_class cost_class_of(const struct plan_site *s, bool in_stub, bool perform_ret)
{
	if (in_stub)
		return s->stub.kind == STUB_JUMP || s->stub.kind == STUB_INLINE ? COST_JUMP
										: COST_NOP;
	if (s->insn_class == INSN_EMULATED)
		return COST_EMULATED;
	return s->plain_ret && perform_ret ? COST_RET : COST_STEP;
}

uint64_t cost_ns(const struct caps *caps, enum cost_class c, enum stub_kind stub)
{
	switch (c) {
	case COST_EMULATED:
		return caps->emulated_ns;
	case COST_JUMP:
		return caps->jump_ns;
	case COST_NOP:
		return stub == STUB_NOP10 ? caps->nop10_ns : caps->nop5_ns;
	case COST_RET:
		return caps->ret_ns;
	default:
		return caps->step_ns;
	}
}

int costs_describe(struct trace_info *info, const struct caps *caps, const struct plan *p,
		   const uint8_t *class)
{
	bool used[COST_CLASSES] = { [COST_EMULATED] = true, [COST_STEP] = true };
	enum stub_kind nop = STUB_NOP5;
	int err = 0;

	for (size_t i = 0; i < p->n_sites; i++) {
		used[class[i]] = true;
		if (class[i] == COST_NOP)
			nop = p->sites[i].stub.kind;
	}
	for (enum cost_class c = 0; c < COST_CLASSES && !err; c++) {
		uint64_t ns = used[c] && keys[c].cost ? cost_ns(caps, c, nop) : 0;

		if (ns)
			err = trace_info_setf(info, keys[c].cost, "%" PRIu64, ns);
	}
	if (!err && caps->before_ns)
		err = trace_info_setf(info, KEY_COST_BEFORE_NS, "%" PRIu64, caps->before_ns);
	if (!err && caps->after_ns)
		err = trace_info_setf(info, KEY_COST_AFTER_NS, "%" PRIu64, caps->after_ns);
	if (!err && caps->after_step_ns)
		err = trace_info_setf(info, KEY_COST_AFTER_STEP_NS, "%" PRIu64,
				      caps->after_step_ns);
	return err;
}
