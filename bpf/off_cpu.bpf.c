// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * When a goroutine runs, or the kernel does for it in a system call, and its thread has no
 * processor: EV_STATE with STATE_OFF_CPU and STATE_ON_CPU, into the rings of the probes, whose maps
 * are this object's.
 *
 * An object of its own, since it needs the kernel's type information and traces must work without:
 * tp_btf programs (9e15db66136a, Linux 5.5), sched_switch with the state that the thread was in
 * (fa2c3254d7cf, 5.18).
 */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "arch.bpf.h"
#include "bpf/event.h"
#include "bpf/hit.bpf.h"

/* include/linux/sched.h */
#define PF_EXITING        0x4      /* it has no memory, or soon has none */
#define PF_FORKNOEXEC     0x40     /* forked, and not executed */
#define PF_KTHREAD        0x200000 /* one of the kernel's */
#define SIGNAL_GROUP_EXIT 4        /* include/linux/sched/signal.h: all threads are about to end */

/*
 * What is used of the kernel's structs (CO-RE: BTF says where it is). Pointers are read by a
 * helper: for each that is loaded, on each way to it, the verifier looks a name up in all of the
 * kernel's types.
 */
struct signal_struct___local {
	unsigned flags;
} __attribute__((preserve_access_index));
struct task_struct___local {
	struct thread_struct___local thread;
	struct signal_struct___local *signal;
	int pid;
	int tgid;
	unsigned flags;
	unsigned in_execve : 1;
	struct task_struct___local *group_leader;
} __attribute__((preserve_access_index));

struct left {
	uint64_t goid;  /* 0: it executes none, and no event tells of it */
	uint64_t ns;    /* when it left */
	uint32_t state; /* STATE_RUNNING, or STATE_SYSCALL */
	uint32_t why;   /* OFF_CPU_* */
};

/* key: thread without a processor. value: of the goroutine that it executes. Entries are made
 * ahead: where this runs the scheduler's locks are held, nothing can be allocated. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, uint32_t);
	__type(value, struct left);
} off_cpu SEC(".maps");

struct off_cpu_state own SEC(".bss.own"); /* .bss is the probes' */

static __always_inline int is_process(const volatile struct target_config *t)
{
	struct bpf_pidns_info ns;

	return !bpf_get_ns_current_pid_tgid(t->pidns_dev, t->pidns_ino, &ns, sizeof(ns)) &&
	       ns.tgid == t->tgid;
}

/* The goroutine that the current thread runs, or whose system call it makes; goid 0: none. -1: it
 * cannot be read, and is not tried again: the scheduler waits. */
static __always_inline int look(struct task_struct___local *task, struct left *l)
{
	uint64_t tls = TLS_BASE(task), g = 0, m = 0, curg = 0, of = 0;
	uint32_t status = 0;

	/* Not of a thread that begins, nor of the process that gotrace forks before it executes the
	 * program; while it does, its memory is the new program's and the base of its local storage
	 * still the old one's.
	 */
	if (!tls || BPF_CORE_READ(task, group_leader, flags) & PF_FORKNOEXEC ||
	    (bpf_core_field_exists(task->in_execve) &&
	     BPF_CORE_READ_BITFIELD_PROBED(task, in_execve)))
		return 0;
	if (read_u64(tls + config.tls_g, &g))
		return -1;
	if (!g) /* it is not one of Go's */
		return 0;
	if (read_u64(g + config.g_m, &m) || (m && read_u64(m + config.m_curg, &curg)))
		return -1;
	if (!curg)
		return 0;
	if (bpf_probe_read_user(&status, sizeof(status), (const void *)(curg + config.g_status)))
		return -1;
	status &= ~G_SCAN;
	l->state = status == G_SYSCALL ? STATE_SYSCALL : STATE_RUNNING;
	if (status == G_RUNNING || status == G_SYSCALL)
		return read_u64(curg + config.g_goid, &l->goid);
	/*
	 * It runs all the same: its stack is copied, or casgstatus has told that it runs and has
	 * not made it so yet. If casgstatus told that it runs no more, the reader has that event,
	 * too. A goroutine that ends, or that other threads may execute, has no m.
	 */
	if (read_u64(curg + config.g_m, &of))
		return -1;
	return status != G_DEAD && of == m ? read_u64(curg + config.g_goid, &l->goid) : 0;
}

static __always_inline int tell(uint64_t goid, uint32_t tid, uint32_t depth)
{
	struct hit h = { .goid = goid, .cpu = bpf_get_smp_processor_id() };
	struct event *e;

	h.count = cpu_count(h.cpu);
	h.depth = depth;
	e = h.count ? reserve(&h, sizeof(*e)) : 0;
	if (!e)
		return -1;
	fill(e, &h, (uint32_t)-1, EV_STATE);
	e->tid = tid;
	e->ts_ns = bpf_ktime_get_ns();
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Its process ends: none of its threads executes the program any more. Each needs a processor to
 * end all the same, and beside a busy machine the last gets it long after the first. */
static __always_inline int ends(const struct task_struct___local *task)
{
	return BPF_CORE_READ(task, signal, flags) & SIGNAL_GROUP_EXIT;
}

static __always_inline void comes(const struct task_struct___local *next)
{
	uint32_t tid = next->pid;
	struct left *known = bpf_map_lookup_elem(&off_cpu, &tid), left;

	if (!known)
		return;
	left = *known;
	bpf_map_delete_elem(&off_cpu, &tid);
	if (left.why == OFF_CPU_GOTRACE)
		__sync_fetch_and_add(&own.gotrace_ns, bpf_ktime_get_ns() - left.ns);
	/* Behind the end of the recording nothing tells who leaves, and this would only make it
	 * longer. */
	if (left.goid && !ends(next) && state.paused != PAUSED_ALL)
		tell(left.goid, tid, STATE_ON_CPU(left.state));
}

static __always_inline void leaves(struct task_struct___local *prev, struct left *left)
{
	uint32_t tid = prev->pid;

	/* The kernel does not always tell who comes: seen where a thread left of which a hardened
	 * kernel tells nothing. */
	if (bpf_map_lookup_elem(&off_cpu, &tid))
		__sync_fetch_and_add(&own.missed, 1);
	left->ns = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&off_cpu, &tid, left, BPF_ANY))
		__sync_fetch_and_add(&own.missed, 1);
	else if (left->goid && tell(left->goid, tid, STATE_DEPTH(STATE_OFF_CPU, left->why)))
		bpf_map_delete_elem(&off_cpu, &tid);
}

/* Arguments: whether it was preempted, who leaves, who comes, the state that it leaves in (0: it
 * would go on). */
SEC("tp_btf/sched_switch") int on_switch(uint64_t *args)
{
	struct task_struct___local *prev = (void *)args[1], *next = (void *)args[2];
	struct left left = {};

	comes(next);
	if (prev->flags & (PF_KTHREAD | PF_EXITING))
		return 0;
	if (!own.tracer && is_process(&config.tracer))
		own.tracer = prev->tgid;
	if (!in_target() || !may_record(args, 1) || ends(prev))
		return 0;
	if (look(prev, &left))
		__sync_fetch_and_add(&own.missed, 1);
	/* A thread that is preempted on its way to sleep goes on. */
	const int asleep = args[3] && !args[0];

	/* Asleep in a system call is in a system call. */
	if (asleep && (!left.goid || left.state == STATE_SYSCALL))
		return 0;
	if (asleep)
		left.why = OFF_CPU_ASLEEP;
	else if (own.tracer && (uint32_t)next->tgid == own.tracer)
		left.why = OFF_CPU_GOTRACE;
	leaves(prev, &left);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
