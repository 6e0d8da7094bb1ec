// SPDX-License-Identifier: BSD-2-Clause
#include "sample/death_records.h"

#include <errno.h>
#include <inttypes.h>

#include "trace/keys.h"

_Static_assert(SAMPLE_DEATH_THREAD == DEATH_THREAD && SAMPLE_DEATH_SIGNAL == DEATH_SIGNAL &&
		       SAMPLE_DEATH_PANIC == DEATH_PANIC && SAMPLE_DEATH_PARKED == DEATH_PARKED,
	       "handed over as they are");
_Static_assert(SAMPLE_MISSING_PC == STACK_MISSING_PC, "likewise");

/* Where tables say how it goes on, and were not there in time or do not know, rbp is no frame
 * pointer, and what it has led to may be anything. */
static uint32_t resolve_guesses(struct processes *p, const struct sample_record *r,
				uint64_t pcs[SAMPLE_KERNEL_FRAMES + SAMPLE_FRAMES])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_user; i++) {
		uint64_t pc = r->pcs[i];

		if (pc == SAMPLE_GUESS_PC && n &&
		    processes_have_tables(p, r->pid, r->h.ts_ns, pcs[n - 1]))
			pc = STACK_MISSING_PC;
		if (pc != SAMPLE_GUESS_PC &&
		    (pc != STACK_MISSING_PC || !n || pcs[n - 1] != STACK_MISSING_PC))
			pcs[n++] = pc;
	}
	return n;
}

int deaths_take(struct deaths *d, struct trace_writer *w, struct processes *p,
		const struct sample_record *r)
{
	uint64_t pcs[SAMPLE_KERNEL_FRAMES + SAMPLE_FRAMES];
	uint32_t process = processes_known(p, r->pid, r->h.ts_ns);

	if (process == TRACE_NONE)
		return 0;
	struct sample_stack stack = {
		.process = process,
		.n = resolve_guesses(p, r, pcs),
		.pcs = pcs,
		.flags = r->flags & STACK_FLAGS,
	};

	if (stack.n && pcs[stack.n - 1] == STACK_MISSING_PC) {
		stack.n--;
		stack.flags |= STACK_UNREADABLE;
	}
	struct sample_death death = {
		.ts_ns = r->h.ts_ns,
		.goid = r->goid,
		.process = process,
		.tid = r->h.tid,
		.signal = (uint8_t)r->period,
		.kind = (uint8_t)(r->period >> 8),
	};
	int err = trace_writer_stack(w, &stack, &death.stack);

	if (!err)
		err = trace_writer_death(w, &death);
	d->n += !err;
	if (err != -E2BIG && err != -EINVAL)
		return err;
	d->refused++;
	return 0;
}

int deaths_describe(const struct deaths *d, const struct sample_bpf *bpf, struct trace_info *end)
{
	uint64_t lost = d->refused + sample_bpf_counters(bpf).deaths_lost;
	int err = trace_info_setf(end, KEY_END_DEATHS, "%" PRIu64, d->n);

	if (!err && lost)
		err = trace_info_setf(end, KEY_END_DEATHS_LOST, "%" PRIu64, lost);
	if (!err && lost)
		err = trace_info_setf(
			end, KEY_WARN_DEATHS,
			"stacks of %" PRIu64
			" threads and goroutines of processes that died are missing, because there was no room or there were too many",
			lost);
	return err;
}
