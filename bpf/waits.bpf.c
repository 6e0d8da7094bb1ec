// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What the threads of a process that is not Go's do when they do not execute, and where: an
 * iterator over its tasks reads their registers and walks their stacks. None is stopped; a thread
 * that has run meanwhile is looked at again.
 *
 * Programs for iterators that may sleep: b77fb25dcb34, reading another task's memory: 376040e47334,
 * both Linux 5.18. The threads of one process alone: f0d74c4da1f0, 6.1; before that, all tasks are
 * visited. Storage of a task in a program that may sleep: 0fe4b381a59e, 5.17.
 */
#define WALK_ANOTHER

#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/number.bpf.h"
#include "bpf/sample.h"
#include "bpf/whose.bpf.h"

struct waits_state state;

/* What is used of the kernel's structs (CO-RE: BTF says where it is). */
struct sched_info___local {
	unsigned long long run_delay; /* all but the one that it may be in */
	unsigned long long last_arrival, last_queued;
} __attribute__((preserve_access_index));
struct task_struct___waits {
	int tgid;
	unsigned int __state; /* `state` before Linux 5.14 (2f064a59a11f) */
	int on_cpu, exit_state;
	unsigned long nvcsw, nivcsw; /* how often it has left a processor */
	struct sched_info___local sched_info;
	struct pid___local *thread_pid;
	struct task_struct___waits *group_leader;
	struct mm_struct___local *mm;
} __attribute__((preserve_access_index));

struct bpf_iter_meta___local {
	struct seq_file *seq;
} __attribute__((preserve_access_index));
struct bpf_iter__task___local {
	struct bpf_iter_meta___local *meta;
	struct task_struct *task;
} __attribute__((preserve_access_index));

/* Of a thread: what was found, while it has left a processor so often. */
struct told {
	uint64_t switches;
	uint32_t generation;
	uint32_t go; /* it executes goroutines, of which others tell */
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct told);
} told SEC(".maps");

/* include/linux/sched.h */
#define TASK_INTERRUPTIBLE   0x1
#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_STOPPED         0x4
#define TASK_TRACED          0x8
#define TASK_WAKING          0x200
#define TASK_NEW             0x800

#define TRIES 3 /* of a thread that runs in between */

/* Read there and then: others change it. */
#define NOW(field) (*(volatile typeof(field) *)&(field))

static __always_inline uint64_t switches_of(struct task_struct___waits *t)
{
	return NOW(t->nvcsw) + NOW(t->nivcsw);
}

/* Whom gotrace itself took the processor from would run. Both clocks are one: what is switched out
 * and what is switched in are stamped in one go (sched_info_switch, kernel/sched/stats.h). */
static __always_inline int made_room(struct task_struct___waits *t)
{
	struct task_struct___waits *self = (void *)bpf_get_current_task_btf();

	return bpf_core_field_exists(t->sched_info) &&
	       t->sched_info.last_queued == self->sched_info.last_arrival;
}

/* With what it has queued for by now, which is counted when it gets a processor. gotrace has got
 * its own just now, by the same clock. */
static __always_inline uint64_t delay_of(struct task_struct___waits *t)
{
	struct task_struct___waits *self = (void *)bpf_get_current_task_btf();

	if (!bpf_core_field_exists(t->sched_info))
		return WAITS_NO_DELAY;
	uint64_t now = self->sched_info.last_arrival, queued = NOW(t->sched_info.last_queued);

	return t->sched_info.run_delay + (queued && now > queued ? now - queued : 0);
}

/* Linux 7.2 has another type of on_cpu than kernels before. */
static __always_inline int executes(struct task_struct___waits *t)
{
	return BPF_CORE_READ_BITFIELD_PROBED(t, on_cpu) != 0;
}

static __always_inline uint32_t state_of(struct task_struct___waits *t)
{
	uint32_t now = NOW(t->__state);

	if (executes(t))
		return WAITS_RUNS;
	if (!now || now & (TASK_WAKING | TASK_NEW))
		return made_room(t) ? WAITS_RUNS : WAITS_READY;
	if (now & (TASK_STOPPED | TASK_TRACED))
		return WAITS_STOP;
	return now & TASK_INTERRUPTIBLE ? WAITS_SLEEP : WAITS_BLOCK;
}

struct looking {
	struct walk_context c;
	struct waits_thread now;
	uint64_t switches;
	uint32_t go; /* its goroutine is told of by others */
};

static __always_inline void find_call(struct waits_thread *now, struct task_struct *task)
{
	int64_t call = -1;
	int compat = 0;

	now->call = -1;
	if (read_call((void *)bpf_task_pt_regs(task), &call, &compat))
		return;
	now->call = call >= 0 ? (int32_t)call : -1;
	now->compat = compat;
}

/* Once; 1 when the thread has not run meanwhile. */
static long look(uint32_t i, struct looking *l)
{
	struct task_struct___waits *t = (void *)l->c.task;
	struct walk *w = l->c.w;

	(void)i;
	l->now.flags = l->now.n = 0;
	l->switches = switches_of(t);
	l->now.state = state_of(t);
	begin_stack(w);
	l->c.window->n = 0;
	find_binary(w, (void *)t);
	find_goroutine(&l->c, (void *)t);
	l->go = w->go && w->g;
	if (l->go || l->now.state == WAITS_RUNS)
		return 1;
	w->g = w->curg = 0;
	find_call(&l->now, l->c.task);
	find_saved_registers(w, l->c.task);
	if (w->pc)
		bpf_loop(SAMPLE_FRAMES + SAMPLE_KERNEL_FRAMES + 8, walk_frame, &l->c, 0);
	l->now.flags = w->record.flags & (SAMPLE_CUT | SAMPLE_UNREADABLE);
	l->now.n = w->n;
	if (!executes(t) && switches_of(t) == l->switches)
		return 1;
	l->now.flags = WAITS_CHANGING;
	l->now.n = 0;
	return 0;
}

/* What is known already, or else what a look says. */
static __always_inline void find_out(struct looking *l, const struct told *before)
{
	struct task_struct___waits *t = (void *)l->c.task;

	if (before->generation == state.generation && before->switches == switches_of(t)) {
		l->go = before->go;
		l->now.state = state_of(t);
		find_call(&l->now, l->c.task);
		l->now.flags = WAITS_SAME;
		l->switches = before->switches;
		if (l->go || l->now.state == WAITS_RUNS || switches_of(t) == before->switches)
			return;
	}
	bpf_loop(TRIES, look, l, 0);
}

/* The thread is done with: the next one's turn. */
static __always_inline void pass_on(uint32_t drawn)
{
	state.listed++;
	state.drawn += drawn;
	if (++state.at < state.every)
		return;
	state.at = 0;
	state.pick = state.every > 1 ? bpf_get_prandom_u32() % state.every : 0;
}

/* 0, or not 0: there was no room, and the thread is visited again. */
static __always_inline long tell(struct seq_file *seq, const struct looking *l)
{
	uint32_t n = l->now.n;

	if (n > SAMPLE_FRAMES + SAMPLE_KERNEL_FRAMES ||
	    bpf_seq_write(seq, (void *)&l->now, sizeof(l->now)))
		return -1;
	return n ? bpf_seq_write(seq, l->c.w->record.pcs, n * 8) : 0;
}

static __always_inline void visit(struct seq_file *seq, struct task_struct *task, uint32_t level)
{
	uint32_t zero = 0;
	struct looking l = { .c = { .w = this_walk(),
				    .task = task,
				    .window = bpf_map_lookup_elem(&windows, &zero) } };
	struct told *before = bpf_task_storage_get(&told, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	l.now.tid = number_of(BPF_CORE_READ((struct task_struct___waits *)task, thread_pid), level);
	if (!l.c.w || !l.c.window || !before || !l.now.tid)
		return;
	l.c.w->record.pid = state.pid;
	l.now.delay_ns = delay_of((void *)task);
	find_out(&l, before);
	if (!l.go && tell(seq, &l))
		return;
	pass_on(1);
	state.go += l.go;
	if (!l.go && (l.now.state == WAITS_RUNS || l.now.flags & (WAITS_CHANGING | WAITS_SAME)))
		return;
	before->go = l.go;
	before->switches = l.switches;
	before->generation = state.generation;
}

/* Whether it is of the process that is asked about. */
static __always_inline int is_of(struct task_struct___waits *t, uint32_t level)
{
	if (state.tgid)
		return t->tgid == state.tgid;
	if (number_of(BPF_CORE_READ(t, group_leader, thread_pid), level) != state.pid)
		return 0;
	state.tgid = t->tgid;
	return 1;
}

SEC("iter.s/task") int on_thread(struct bpf_iter__task___local *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_struct___waits *t = (void *)task, *self = (void *)bpf_get_current_task_btf();
	uint32_t level;

	if (!task)
		return 0;
	level = BPF_CORE_READ(self, thread_pid, level);
	if (!is_of(t, level) || t->exit_state || !t->mm)
		return 0;
	if (state.at == state.pick && state.drawn < WAITS_THREADS)
		visit(ctx->meta->seq, task, level);
	else
		pass_on(0);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
