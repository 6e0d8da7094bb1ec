// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * gotrace sample: the stack of what a perf event has interrupted.
 *
 * It needs the kernel's type information: bpf_get_current_task_btf (3ca1032ab7ab, Linux 5.11),
 * bpf_task_pt_regs (dd6e10fbd9fb, 5.15), bpf_loop (e6f2dd0f8067, 5.17).
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>

#include "bpf/labels.bpf.h"
#include "bpf/sample.h"
#include "bpf/walk.bpf.h"

const volatile struct sample_config config;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct sample_counters);
} counters SEC(".maps");

/* What is known of Go binaries, by executable file: right from the first sample of any process that
 * executes one, forked or executed a moment ago. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLE_BINARIES);
	__type(key, struct sample_key);
	__type(value, struct sample_binary);
} binaries SEC(".maps");

/* What is used of the kernel's structs (CO-RE: BTF says where it is). */
struct inode___local {
	unsigned long i_ino;
	long long i_size;
} __attribute__((preserve_access_index));
struct file___local {
	struct inode___local *f_inode;
} __attribute__((preserve_access_index));
struct mm_struct___local {
	unsigned long start_code;
	struct file___local *exe_file;
} __attribute__((preserve_access_index));
struct thread_struct___local {
	unsigned long fsbase;
} __attribute__((preserve_access_index));
struct task_struct___local {
	struct thread_struct___local thread;
	struct mm_struct___local *mm;
} __attribute__((preserve_access_index));

/* ---- whose stack it is */

static __always_inline void find_binary(struct walk *w, struct task_struct___local *task)
{
	struct mm_struct___local *mm = task->mm;
	struct file___local *file = mm ? mm->exe_file : 0;
	struct inode___local *inode = file ? file->f_inode : 0;
	struct sample_binary *b;

	w->go = 0;
	w->record.exe.ino = inode ? inode->i_ino : 0;
	w->record.exe.bytes = inode ? inode->i_size : 0;
	b = bpf_map_lookup_elem(&binaries, &w->record.exe);
	if (!b) {
		w->record.flags |= SAMPLE_NO_BINARY;
		return;
	}
	w->binary = *b;
	w->go = b->n_rows != 0; /* else it is no Go binary */
	w->bias = mm ? mm->start_code - b->start_code : 0;
}

static __always_inline void find_goroutine(struct walk *w, struct task_struct___local *task)
{
	uint64_t fsbase = task->thread.fsbase, m = 0, g0 = 0, gsignal = 0;

	w->g = w->curg = w->record.goid = 0;
	if (!w->go || !fsbase || read_word(fsbase + w->binary.tls_g, &w->g) || !w->g)
		return;
	if (read_word(w->g + w->binary.g_m, &m) || read_word(m + w->binary.m_g0, &g0) ||
	    read_word(m + w->binary.m_gsignal, &gsignal) ||
	    read_word(m + w->binary.m_curg, &w->curg)) {
		/* a goroutine that is not running has no m: what the slot holds is not one */
		w->g = w->curg = 0;
		return;
	}
	if (w->g == g0)
		w->record.flags |= SAMPLE_SYSTEM;
	else if (w->g == gsignal)
		w->record.flags |= SAMPLE_SIGNAL;
	read_word((w->record.flags & (SAMPLE_SYSTEM | SAMPLE_SIGNAL) && w->curg ? w->curg : w->g) +
			  w->binary.g_goid,
		  &w->record.goid);
}

/* arch/x86/entry/syscalls/syscall_64.tbl */
#define NR_EXECVE   59
#define NR_EXECVEAT 322

/* Registers of the program, also when it was interrupted in the kernel. */
static __always_inline void find_registers(struct walk *w, struct bpf_perf_event_data *ctx,
					   struct task_struct *task)
{
	struct pt_regs *regs, in_kernel;

	w->returns = 0;
	w->by_rows = 1;
	if ((ctx->regs.cs & 3) == 3) {
		w->pc = ctx->regs.rip;
		w->sp = ctx->regs.rsp;
		w->bp = ctx->regs.rbp;
		return;
	}
	w->record.flags |= SAMPLE_IN_KERNEL;
	w->pc = 0;
	regs = (void *)bpf_task_pt_regs(task);
	if (bpf_probe_read_kernel(&in_kernel, sizeof(in_kernel), regs))
		return;
	w->pc = in_kernel.rip;
	w->sp = in_kernel.rsp;
	w->bp = in_kernel.rbp;
	/* In a system call rip is behind the instruction. orig_rax is its number, else -1. Where
	 * execve goes back, rip is the first instruction of the new image. */
	w->returns = (int64_t)in_kernel.orig_rax >= 0 && in_kernel.orig_rax != NR_EXECVE &&
		     in_kernel.orig_rax != NR_EXECVEAT;
}

/* ---- the sample */

static __always_inline void begin(struct walk *w, struct bpf_perf_event_data *ctx)
{
	struct bpf_pidns_info ns;
	uint64_t id = bpf_get_current_pid_tgid();

	w->record.h.kind = SAMPLE_RECORD_STACK;
	w->record.h.ts_ns = bpf_ktime_get_ns();
	/* A process in a namespace below ours has its number in the first one. */
	if (!bpf_get_ns_current_pid_tgid(config.pidns_dev, config.pidns_ino, &ns, sizeof(ns)))
		id = (uint64_t)ns.tgid << 32 | ns.pid;
	w->record.pid = id >> 32;
	w->record.h.tid = id;
	w->record.period = ctx->sample_period;
	w->record.flags = w->record.n_kernel = w->record.n_user = 0;
	w->n = w->switched = w->foreign = w->sched = 0;
}

SEC("perf_event") int on_event(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct walk *w = this_walk();
	struct walk_context c = { .w = w };
	struct sample_counters *count;
	uint32_t zero = 0, n;

	count = bpf_map_lookup_elem(&counters, &zero);
	if (!w || !count)
		return 0;
	count->samples++;
	begin(w, ctx);
	find_binary(w, (void *)task);
	find_goroutine(w, (void *)task);
	find_registers(w, ctx, task);
	if (config.kernel && w->record.flags & SAMPLE_IN_KERNEL) {
		long bytes = bpf_get_stack(ctx, w->record.pcs, SAMPLE_KERNEL_FRAMES * 8, 0);

		w->record.n_kernel = w->n = bytes > 0 ? (uint32_t)bytes / 8u : 0;
	}
	if (w->pc)
		/* More than there is room for, so that want of room is what cuts a stack off. */
		bpf_loop(SAMPLE_FRAMES + SAMPLE_KERNEL_FRAMES + 8, walk_frame, &c, 0);
	if (w->sched)
		w->record.goid = 0;
	if (config.labels && w->go && w->record.goid)
		send_labels(w, count);
	n = w->n;
	if (n > SAMPLE_FRAMES + SAMPLE_KERNEL_FRAMES)
		return 0;
	w->record.n_user = n - w->record.n_kernel;
	if (bpf_ringbuf_output(&ring, &w->record,
			       __builtin_offsetof(struct sample_record, pcs) + n * 8,
			       BPF_RB_NO_WAKEUP)) {
		count->lost++;
		count->lost_period += w->record.period;
	}
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
