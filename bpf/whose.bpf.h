/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the owner of a stack and the stack's beginning, for all programs that walk stacks.
 *
 * It needs the kernel's type information: bpf_get_current_task_btf (3ca1032ab7ab, Linux 5.11),
 * bpf_task_pt_regs (dd6e10fbd9fb, 5.15), bpf_loop (e6f2dd0f8067, 5.17).
 */
#ifndef GOTRACE_WHOSE_BPF_H
#define GOTRACE_WHOSE_BPF_H

#include "arch.bpf.h"
#include "bpf/file.bpf.h"
#include "bpf/number.bpf.h"
#include "bpf/walk.bpf.h"

const volatile struct sample_config config;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct sample_counters);
} counters SEC(".maps");

/* Facts about Go binaries, by executable file. So even the first sample of any process that
 * executes one is right, when the process was forked or executed a moment ago. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLE_EXECUTABLES);
	__type(key, struct file_id);
	__type(value, struct sample_binary);
} binaries SEC(".maps");

/* The used fields of the kernel's structs. With CO-RE, BTF gives their offsets. */
struct mm_struct___local {
	unsigned long start_code;
	struct file___local *exe_file;
} __attribute__((preserve_access_index));
struct signal_struct___local {
	unsigned int flags;
	int group_exit_code;
} __attribute__((preserve_access_index));
struct task_struct___local {
	struct pid___local *thread_pid;
	struct thread_struct___local thread;
	struct mm_struct___local *mm;
	struct signal_struct___local *signal;
	struct task_struct___local *group_leader;
	unsigned long long start_time;
} __attribute__((preserve_access_index));

static __always_inline void find_binary(struct walk *w, struct task_struct___local *task)
{
	struct mm_struct___local *mm = task->mm;
	struct sample_binary *b;

	w->go = 0;
	file_id_of(&w->record.exe, mm ? mm->exe_file : 0);
	b = bpf_map_lookup_elem(&binaries, &w->record.exe);
	if (!b) {
		w->record.flags |= SAMPLE_NO_BINARY;
		return;
	}
	w->binary = *b;
	w->go = b->n_rows != 0; /* without rows it is no Go binary */
	w->bias = mm ? mm->start_code - b->start_code : 0;
}

static __always_inline void find_goroutine(const struct walk_context *c,
					   struct task_struct___local *task)
{
	struct walk *w = c->w;
	uint64_t tls = TLS_BASE(task), m = 0, g0 = 0, gsignal = 0;

	w->g = w->g0 = w->curg = w->record.goid = 0;
	if (!w->go || !tls || read_word(c, tls + w->binary.tls_g, &w->g) || !w->g)
		return;
	if (read_word(c, w->g + w->binary.g_m, &m) || read_word(c, m + w->binary.m_g0, &g0) ||
	    read_word(c, m + w->binary.m_gsignal, &gsignal) ||
	    read_word(c, m + w->binary.m_curg, &w->curg)) {
		/* a goroutine that is not running has no m, so the slot holds no goroutine */
		w->g = w->curg = 0;
		return;
	}
	w->g0 = g0;
	if (w->g == g0)
		w->record.flags |= SAMPLE_SYSTEM;
	else if (w->g == gsignal)
		w->record.flags |= SAMPLE_SIGNAL;
	read_word(c,
		  (w->record.flags & (SAMPLE_SYSTEM | SAMPLE_SIGNAL) && w->curg ? w->curg : w->g) +
			  w->binary.g_goid,
		  &w->record.goid);
}

/* Takes the registers of the program, which the kernel saved at its entry. */
static __always_inline void find_saved_registers(struct walk *w, struct task_struct *task)
{
	struct pt_regs *regs, in_kernel;
	uint8_t code;

	w->returns = 0;
	w->by_rows = 1;
	w->pc = 0;
	regs = (void *)bpf_task_pt_regs(task);
	if (bpf_probe_read_kernel(&in_kernel, sizeof(in_kernel), regs))
		return;
	w->pc = REG_PC(&in_kernel);
	w->sp = REG_SP(&in_kernel);
	w->bp = REG_FP(&in_kernel);
	/* In a system call the pc is behind the instruction. When execve returns, it is the first
	 * instruction of the new image. */
	w->returns = CALL_NUMBER(&in_kernel) >= 0;
	if (CALL_NUMBER(&in_kernel) == NR_EXECVE || CALL_NUMBER(&in_kernel) == NR_EXECVEAT) {
		w->returns = 0;
		/* The old image may be gone while the registers are still those of it (fs/exec.c,
		 * begin_new_exec; fs/binfmt_elf.c, START_THREAD at the end). Then there is no
		 * stack. */
		if (bpf_probe_read_user(&code, sizeof(code), (void *)w->pc))
			w->pc = 0;
	}
}

/* Begins a stack of which nothing is known yet. */
static __always_inline void begin_stack(struct walk *w)
{
	w->record.flags = w->record.n_kernel = w->record.n_user = 0;
	w->n = w->switched = w->foreign = w->sched = w->called = 0;
	w->outer_pc = w->g0_sp = 0;
}

/* Numbers are those of gotrace's PID namespace. A process outside of it has the number 0. */
static __always_inline void begin(struct walk *w, uint32_t kind)
{
	struct task_struct___local *task = (void *)bpf_get_current_task_btf();
	uint64_t id = bpf_get_current_pid_tgid();

	w->record.h.kind = kind;
	w->record.h.ts_ns = bpf_ktime_get_ns();
	w->record.pid = id >> 32;
	w->record.h.tid = id;
	if (config.pidns_ino != PIDNS_FIRST) {
		w->record.pid = number_in(BPF_CORE_READ(task, group_leader, thread_pid),
					  config.pidns_ino);
		w->record.h.tid = number_in(BPF_CORE_READ(task, thread_pid), config.pidns_ino);
	}
	begin_stack(w);
}

#endif
