// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Which of gotrace's perf events each thread of a process has, as the kernel keeps them: nothing
 * else tells whether a thread that begins while they are opened has inherited them.
 *
 * An iterator over all tasks, by thread number (iter/task: eaaacd23910f, Linux 5.8).
 */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/number.bpf.h"
#include "bpf/sample.h"

const volatile struct threads_config config;
struct threads_state state;

/* What is used of the kernel's structs (CO-RE: BTF says where it is). */
struct list_head___local {
	struct list_head___local *next;
} __attribute__((preserve_access_index));
struct perf_event_attr___local {
	__u64 sample_period, sample_type;
} __attribute__((preserve_access_index));
struct task_struct___local;
struct perf_event___local {
	struct list_head___local event_entry;
	struct perf_event___local *parent; /* the one that it was inherited from */
	struct perf_event_attr___local attr;
	struct task_struct___local *owner; /* who opened it */
} __attribute__((preserve_access_index));
struct perf_event_context___local {
	struct list_head___local event_list;
} __attribute__((preserve_access_index));
struct task_struct___local {
	int tgid;
	struct pid___local *thread_pid;
	struct task_struct___local *group_leader;
	struct perf_event_context___local *perf_event_ctxp;
	unsigned long long start_time;
} __attribute__((preserve_access_index));
/* One for hardware and one for software, before Linux 6.2 (bd2756811766). */
struct task_struct___two {
	struct perf_event_context___local *perf_event_ctxp[2];
} __attribute__((preserve_access_index));

struct bpf_iter_meta___local {
	struct seq_file *seq;
} __attribute__((preserve_access_index));
struct bpf_iter__task___local {
	struct bpf_iter_meta___local *meta;
	struct task_struct___local *task;
} __attribute__((preserve_access_index));

struct look {
	struct list_head___local *at, *head;
	struct thread_has has;
	int tgid; /* gotrace's */
};

static __always_inline int is(struct perf_event___local *e, const volatile struct thread_event *as)
{
	return BPF_CORE_READ(e, attr.sample_type) == as->sample_type &&
	       BPF_CORE_READ(e, attr.sample_period) == as->period;
}

static long look_at_event(uint32_t i, void *ctx)
{
	struct look *l = ctx;
	struct list_head___local *at = l->at;
	struct perf_event___local *e, *opened;

	(void)i;
	if (!at || at == l->head)
		return 1;
	e = (void *)((char *)at - bpf_core_field_offset(struct perf_event___local, event_entry));
	opened = BPF_CORE_READ(e, parent);
	opened = opened ? opened : e;
	if (BPF_CORE_READ(opened, owner, tgid) == l->tgid) {
		l->has.n_side += is(e, &config.side);
		for (uint32_t k = 0; k < THREAD_EVENTS; k++)
			if (k < config.n && !(l->has.events & 1u << k) && is(e, &config.event[k])) {
				l->has.events |= 1u << k;
				break;
			}
	}
	l->at = BPF_CORE_READ(at, next);
	return 0;
}

/* More events than any thread has. */
#define EVENTS_MAX (1u << 20)

static __always_inline void look_at_context(struct look *l, struct perf_event_context___local *c)
{
	struct list_head___local *head;

	/* A thread that ends has one that is none (TASK_TOMBSTONE): it cannot be read. */
	if (!c)
		return;
	head = (void *)((char *)c + bpf_core_field_offset(c->event_list));
	l->head = head;
	l->at = BPF_CORE_READ(head, next);
	/* e6f2dd0f8067, Linux 5.17 */
	bpf_loop(EVENTS_MAX, look_at_event, l, 0);
}

SEC("iter/task") int on_task(struct bpf_iter__task___local *ctx)
{
	struct task_struct___local *task = ctx->task, *self = (void *)bpf_get_current_task();
	struct task_struct___two *old = (void *)task;
	uint32_t level = BPF_CORE_READ(self, thread_pid, level);
	struct look l = { .tgid = BPF_CORE_READ(self, tgid) };

	if (!task || number_of(BPF_CORE_READ(task, group_leader, thread_pid), level) != state.pid)
		return 0;
	l.has.tgid = BPF_CORE_READ(task, tgid);
	l.has.process_started_ns = BPF_CORE_READ(task, group_leader, start_time);
	l.has.tid = number_of(BPF_CORE_READ(task, thread_pid), level);
	if (bpf_core_field_exists(old->perf_event_ctxp)) {
		look_at_context(&l, BPF_CORE_READ(old, perf_event_ctxp[0]));
		look_at_context(&l, BPF_CORE_READ(old, perf_event_ctxp[1]));
	} else {
		look_at_context(&l, BPF_CORE_READ(task, perf_event_ctxp));
	}
	if (l.has.tid)
		bpf_seq_write(ctx->meta->seq, &l.has, sizeof(l.has));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
