// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Counts the processes that the target starts and that are not traced, so that reports can say so,
 * and stops the target when it executes its own binary again, until it is probed anew.
 * An object of its own, since it needs the kernel's type information (tp_btf programs:
 * 9e15db66136a, Linux 5.5; CONFIG_DEBUG_INFO_BTF) and traces must work without.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/file.bpf.h"

#define SIGSTOP 19

const volatile struct target_config target;

struct children_state state;

/* So is this, to tell what is executed. */
struct linux_binprm___local {
	struct file___local *file;
} __attribute__((preserve_access_index));

/* The two fields of task_struct that are used (CO-RE: BTF says where they are). */
struct task_struct___local {
	int pid;
	int tgid;
} __attribute__((preserve_access_index));

static __always_inline int in_target(void)
{
	struct bpf_pidns_info ns;

	return !bpf_get_ns_current_pid_tgid(target.pidns_dev, target.pidns_ino, &ns, sizeof(ns)) &&
	       ns.tgid == target.tgid;
}

/* Arguments: parent, child. A new thread has its parent's tgid. */
SEC("tp_btf/sched_process_fork") int on_fork(uint64_t *args)
{
	struct task_struct___local *child = (void *)args[1];

	if (in_target() && child->pid == child->tgid)
		__sync_fetch_and_add(&state.children, 1);
	return 0;
}

/* Arguments: task, its number before, what is executed. */
SEC("tp_btf/sched_process_exec") int on_exec(uint64_t *args)
{
	struct linux_binprm___local *bprm = (void *)args[2];
	struct file_id id;

	if (!in_target())
		return 0;
	__sync_fetch_and_add(&state.execs, 1);
	file_id_of(&id, bprm->file);
	if (id.ino != target.exe.ino || id.bytes != target.exe.bytes ||
	    id.changed_s != target.exe.changed_s || id.changed_ns != target.exe.changed_ns)
		return 0;
	if (state.stop_own && !bpf_send_signal(SIGSTOP))
		__sync_fetch_and_add(&state.stopped, 1);
	__sync_fetch_and_add(&state.own_execs, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
