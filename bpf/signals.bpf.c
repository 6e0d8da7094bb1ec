// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Notes which signals the tracer and the command that it launched were sent, and by whom: so that
 * the tracer passes on what was meant for both but sent to it alone, and only that. Needs the
 * kernel's type information, as children.bpf.c does.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/event.h"

const volatile struct signals_config config;

struct signals_state state;

/* The two fields of task_struct that are used (CO-RE: BTF says where they are). */
struct task_struct___local {
	int pid;
	int tgid;
} __attribute__((preserve_access_index));

/* The front of kernel_siginfo, which is that of siginfo_t on x86-64 (ABI). */
struct siginfo_front {
	int32_t signo, error, code, pad;
	int32_t pid;
};

static __always_inline int in_tracer(void)
{
	struct bpf_pidns_info ns;

	return !bpf_get_ns_current_pid_tgid(config.tracer.pidns_dev, config.tracer.pidns_ino, &ns,
					    sizeof(ns)) &&
	       ns.tgid == config.tracer.tgid;
}

/* Arguments: parent, child. Numbers of the first pid namespace, as all below. */
SEC("tp_btf/sched_process_fork") int on_launch(uint64_t *args)
{
	struct task_struct___local *child = (void *)args[1];

	if (!state.launching || !in_tracer() || child->pid != child->tgid)
		return 0;
	state.tracer = bpf_get_current_pid_tgid() >> 32;
	state.target = child->tgid;
	return 0;
}

/* Arguments: signal, siginfo (or 0: from a process, 1: from the kernel), task, group, result. It is
 * called for every signal sent to anybody, by the sender. */
SEC("tp_btf/signal_generate") int on_signal(uint64_t *args)
{
	uint32_t signo = args[0];
	struct task_struct___local *to = (void *)args[2];
	struct siginfo_front info = {};

	if (signo >= 32 || !(config.signals & 1u << signo) || !state.tracer)
		return 0;
	uint32_t tgid = to->tgid;
	/* What a program sends itself is its own affair. */
	if ((tgid != state.tracer && tgid != state.target) ||
	    (args[1] != 1 && bpf_get_current_pid_tgid() >> 32 == tgid))
		return 0;
	if (args[1] > 1)
		bpf_probe_read_kernel(&info, sizeof(info), (void *)args[1]);
	uint32_t i = __sync_fetch_and_add(&state.n, 1) % SIGNALS_NOTED;
	struct signal_note *note = &state.notes[i % SIGNALS_NOTED];
	note->ns = bpf_ktime_get_ns();
	note->sender = args[1] == 1 || info.code > 0 ? 0 : info.pid;
	note->signo = signo;
	note->to_target = tgid == state.target;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
