/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which processes are sampled, when the clocks are those of processors: the first ones, and all
 * that they start from then on. The kernel reports each fork, exec and end.
 *
 * A number may belong to another process later, so an entry has the time at which its process
 * started. It stays until the kernel forgets the process. Up to then the kernel takes the process's
 * memory apart, which is processor time as well.
 */
#ifndef GOTRACE_MEMBERS_BPF_H
#define GOTRACE_MEMBERS_BPF_H

#include "bpf/number.bpf.h"
#include "bpf/whose.bpf.h"

/* By the number of the process in the first PID namespace. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLE_MEMBERS);
	__type(key, uint32_t);
	__type(value, uint64_t); /* when the process started */
} members SEC(".maps");

/* The launched process has executed its program. */
uint32_t launched;

struct task_struct___number {
	int pid, tgid;
} __attribute__((preserve_access_index));

static __always_inline uint32_t tgid_of(const void *task)
{
	return (uint32_t)BPF_CORE_READ((const struct task_struct___number *)task, tgid);
}

/* The thread is the first of its process. */
static __always_inline int leads(const void *task)
{
	return BPF_CORE_READ((const struct task_struct___number *)task, pid) ==
	       BPF_CORE_READ((const struct task_struct___number *)task, tgid);
}

static __always_inline uint64_t started_ns(const struct task_struct___local *task)
{
	return BPF_CORE_READ(task, group_leader, start_time);
}

static __always_inline int is_member(const struct task_struct___local *task)
{
	uint32_t tgid = tgid_of(task);
	uint64_t *started = bpf_map_lookup_elem(&members, &tgid);

	return started && *started == started_ns(task);
}

static __always_inline void add_member(const struct task_struct___local *task)
{
	uint32_t tgid = tgid_of(task), zero = 0;
	uint64_t started = started_ns(task);
	struct sample_counters *count;

	if (!bpf_map_update_elem(&members, &tgid, &started, BPF_ANY))
		return;
	count = bpf_map_lookup_elem(&counters, &zero);
	if (count)
		count->members_refused++;
}

/* Arguments: parent, child. */
SEC("tp_btf/sched_process_fork") int on_fork(uint64_t *args)
{
	struct task_struct___local *child = (void *)args[1];

	if (leads(child) && is_member((void *)args[0]))
		add_member(child);
	return 0;
}

/* Argument: the task that has executed a program. */
SEC("tp_btf/sched_process_exec") int on_exec(uint64_t *args)
{
	struct task_struct___local *task = (void *)args[0];

	/* A process outside of gotrace's PID namespace has the number 0 there. */
	if (!config.launched || launched ||
	    number_in(BPF_CORE_READ(task, group_leader, thread_pid), config.pidns_ino) !=
		    config.launched)
		return 0;
	launched = 1;
	add_member(task);
	return 0;
}

/* Argument: the task, of which nothing is left. */
SEC("tp_btf/sched_process_free") int on_free(uint64_t *args)
{
	struct task_struct___local *task = (void *)args[0];
	uint32_t tgid = tgid_of(task);
	uint64_t *started;

	if (!leads(task))
		return 0;
	started = bpf_map_lookup_elem(&members, &tgid);
	if (started && *started == BPF_CORE_READ(task, start_time))
		bpf_map_delete_elem(&members, &tgid);
	return 0;
}

#endif
