// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Where the target's processor time goes while it is traced: a perf event of each processor notes
 * the program's pc. User space tells by it what is a probe's: a trap leaves the pc at the probed
 * instruction or where it goes on, a stub has its own.
 *
 * An object of its own, since it needs the kernel's type information: bpf_get_current_task_btf
 * (3ca1032ab7ab, Linux 5.11), bpf_task_pt_regs (dd6e10fbd9fb, 5.15). Traces work without.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/event.h"

const volatile struct target_config target;

struct cpu_samples_state state;

/* key: pc of the program. Room for all is there from the start: a perf event may interrupt whoever
 * holds the allocator's lock. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PCS_SAMPLED);
	__type(key, uint64_t);
	__type(value, struct pc_samples);
} pcs SEC(".maps");

/* Where the kernel puts instructions to step over them (kernel/events/uprobes.c). CO-RE: BTF says
 * where the fields are. */
struct xol_area___local {
	unsigned long vaddr;
} __attribute__((preserve_access_index));
struct uprobes_state___local {
	struct xol_area___local *xol_area;
} __attribute__((preserve_access_index));
struct mm_struct___local {
	struct uprobes_state___local uprobes_state;
} __attribute__((preserve_access_index));
struct task_struct___local {
	struct mm_struct___local *mm;
} __attribute__((preserve_access_index));

#define STEPPING_BYTES 4096
#define NR_UPROBE      336 /* arch/x86/entry/syscalls/syscall_64.tbl, Linux 6.18 */

static __always_inline int in_target(void)
{
	struct bpf_pidns_info ns;

	return !bpf_get_ns_current_pid_tgid(target.pidns_dev, target.pidns_ino, &ns, sizeof(ns)) &&
	       ns.tgid == target.tgid;
}

static __always_inline int is_stepping(struct task_struct___local *task, uint64_t pc)
{
	struct mm_struct___local *mm = task->mm;
	struct xol_area___local *area = mm ? mm->uprobes_state.xol_area : 0;

	return area && pc - area->vaddr < STEPPING_BYTES;
}

SEC("perf_event") int on_clock(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task;
	struct pc_samples *at, none = {};
	struct pt_regs regs;
	int in_user = (ctx->regs.cs & 3) == 3;
	uint64_t pc = ctx->regs.rip;

	if (!state.on || !in_target())
		return 0;
	task = bpf_get_current_task_btf();
	__sync_fetch_and_add(&state.samples, 1);
	if (!in_user) {
		if (bpf_probe_read_kernel(&regs, sizeof(regs), (void *)bpf_task_pt_regs(task))) {
			__sync_fetch_and_add(&state.unplaced, 1);
			return 0;
		}
		pc = regs.rip;
	}
	if (is_stepping((void *)task, pc)) {
		__sync_fetch_and_add(&state.stepping, 1);
		return 0;
	}
	at = bpf_map_lookup_elem(&pcs, &pc);
	if (!at) {
		bpf_map_update_elem(&pcs, &pc, &none, BPF_NOEXIST);
		at = bpf_map_lookup_elem(&pcs, &pc);
	}
	if (!at)
		__sync_fetch_and_add(&state.unplaced, 1);
	else if (in_user)
		__sync_fetch_and_add(&at->user, 1);
	else
		__sync_fetch_and_add(&at->kernel, 1);
	if (at && !in_user && regs.orig_rax == NR_UPROBE)
		__sync_fetch_and_add(&at->uprobe_calls, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
