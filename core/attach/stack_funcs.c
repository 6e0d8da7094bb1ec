// SPDX-License-Identifier: BSD-2-Clause
#include "attach/stack_funcs.h"

#include <string.h>

#include "binary/gobin.h"
#include "trace/trace.h"

#define FRAMES 32 /* so many are looked at, recorded or not */

void stack_funcs(const struct probe_places *p, uint64_t text_bias,
		 const struct cpu_sample_record *record, uint32_t funcs[SAMPLED_FUNCS])
{
	uint64_t pc = record->e.arg[2] - text_bias, at = 0;
	unsigned n = 0;

	memset(funcs, 0, SAMPLED_FUNCS * sizeof(*funcs));
	for (unsigned i = 0; p->binary && i < FRAMES && n < SAMPLED_FUNCS; i++) {
		/* a return address is behind its call, which may end the function */
		const uint64_t in = i ? pc - 1 : pc;
		const uint32_t func = probe_places_func(p, in);
		const struct gofunc *f = gobin_func_at(p->binary, in);
		int32_t delta = -1;

		if (func != TRACE_NONE)
			funcs[n++] = func + 1;
		if (!f || gobin_sp_delta(p->binary, f, in, &delta) || delta < 0 ||
		    at + (uint32_t)delta + sizeof(pc) > sizeof(record->stack))
			return;
		memcpy(&pc, record->stack + at + (uint32_t)delta, sizeof(pc));
		pc -= text_bias;
		at += (uint32_t)delta + sizeof(pc);
	}
}
