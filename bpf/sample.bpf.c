// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* gotrace sample: the stack of what a perf event has interrupted. */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>

#include "arch.bpf.h"
#include "bpf/labels.bpf.h"
#include "bpf/members.bpf.h"
#include "bpf/python.bpf.h"
#include "bpf/sample.h"
#include "bpf/whose.bpf.h"

/* Registers of the program, also when it was interrupted in the kernel. */
static __always_inline void find_registers(struct walk *w, struct bpf_perf_event_data *ctx,
					   struct task_struct *task)
{
	if (REGS_OF_USER(&ctx->regs)) {
		w->returns = 0;
		w->by_rows = 1;
		w->pc = REG_PC(&ctx->regs);
		w->sp = REG_SP(&ctx->regs);
		w->bp = REG_FP(&ctx->regs);
		return;
	}
	w->record.flags |= SAMPLE_IN_KERNEL;
	find_saved_registers(w, task);
}

SEC("perf_event") int on_event(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct walk *w = this_walk();
	struct walk_context c = { .w = w };
	struct sample_counters *count;
	uint32_t zero = 0, n;

	count = bpf_map_lookup_elem(&counters, &zero);
	if (!w || !count || (config.some && !is_member((void *)task)))
		return 0;
	count->samples++;
	begin(w, SAMPLE_RECORD_STACK);
	w->record.period = ctx->sample_period;
	find_binary(w, (void *)task);
	find_goroutine(&c, (void *)task);
	find_registers(w, ctx, task);
	if (config.kernel && w->record.flags & SAMPLE_IN_KERNEL) {
		long bytes = bpf_get_stack(ctx, w->record.pcs, SAMPLE_KERNEL_FRAMES * 8, 0);

		w->record.n_kernel = w->n = bytes > 0 ? (uint32_t)bytes / 8u : 0;
	}
	read_python(w, (void *)task);
	if (w->pc)
		/* More than there is room for, so that want of room is what cuts a stack off. */
		bpf_loop(SAMPLE_FRAMES + SAMPLE_KERNEL_FRAMES + 8, walk_python_frame, &c, 0);
	if (w->sched)
		w->record.goid = 0;
	if (config.labels && w->go && w->record.goid)
		send_labels(w, count);
	send_python(w, count);
	n = w->n;
	if (n > SAMPLE_FRAMES + SAMPLE_KERNEL_FRAMES)
		return 0;
	w->record.n_user = n - w->record.n_kernel;
	if (bpf_ringbuf_output(&ring, &w->record,
			       __builtin_offsetof(struct sample_record, pcs) + n * 8,
			       ring_wakeup())) {
		count->lost++;
		count->lost_period += w->record.period;
	}
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
