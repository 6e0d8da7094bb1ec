// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Stacks of processes that die: of the thread that a fatal signal is delivered to, of the others as
 * they are told to end, and where Go's runtime ends the process by itself.
 *
 * get_signal (kernel/signal.c) passes trace_signal_deliver in the thread that takes a signal,
 * before anything is done about it; and once a process is ending, in each of its other threads,
 * with SIGKILL. Go's runtime ends a process with status 2, after runtime.startpanic_m: a panic that
 * nobody recovers, a fault in C, a fatal error (runtime/panic.go, signal_unix.go).
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>

#include "bpf/sample.h"
#define WALK_TELLS_GUESSES
#include "bpf/whose.bpf.h"

struct sigaction___local {
	void *sa_handler;
} __attribute__((preserve_access_index));
struct k_sigaction___local {
	struct sigaction___local sa;
} __attribute__((preserve_access_index));

/* Threads and the last fault of theirs. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, uint32_t);
	__type(value, uint32_t);
} faults SEC(".maps");

/* Processes, by when they began: that Go's runtime is ending; whose goroutines were told of. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, uint64_t);
	__type(value, uint32_t);
} panics SEC(".maps"), told SEC(".maps");

/* include/linux/sched/signal.h; a process that dumps its core had 8 instead of 4 up to Linux 5.16
 */
#define GROUP_EXIT 12u
#define UNKILLABLE 0x40u

#define BIT(signo)      (1ull << ((signo)-1))
#define STOP_OR_NOTHING /* by default: CHLD, CONT, STOP, TSTP, TTIN, TTOU, URG, WINCH */ \
	(BIT(17) | BIT(18) | BIT(19) | BIT(20) | BIT(21) | BIT(22) | BIT(23) | BIT(28))
/* QUIT, ILL, TRAP, ABRT, BUS, FPE, SEGV, SYS */
#define FAULTS (BIT(3) | BIT(4) | BIT(5) | BIT(6) | BIT(7) | BIT(8) | BIT(11) | BIT(31))

static __always_inline void walk_all(struct walk *w)
{
	struct walk_context c = { .w = w };

	if (w->pc)
		bpf_loop(SAMPLE_FRAMES + SAMPLE_KERNEL_FRAMES + 8, walk_frame, &c, 0);
}

static __always_inline void send(struct walk *w, struct sample_counters *count)
{
	uint32_t n;

	walk_all(w);
	n = w->n;
	if (n > SAMPLE_FRAMES + SAMPLE_KERNEL_FRAMES)
		return;
	w->record.n_user = n;
	if (bpf_ringbuf_output(&ring, &w->record,
			       __builtin_offsetof(struct sample_record, pcs) + n * 8,
			       ring_wakeup()))
		__sync_fetch_and_add(&count->deaths_lost, 1);
}

/* Goroutines that are told of, at most: it is done where nothing else can run. */
#define GOROUTINES_MAX 1024

/* runtime/runtime2.go */
#define G_RUNNABLE  1
#define G_WAITING   4
#define G_PREEMPTED 9
#define G_SCAN      0x1000

static __always_inline uint64_t process_of(const struct task_struct___local *task)
{
	const struct task_struct___local *leader = task->group_leader;

	return leader ? leader->start_time : 0;
}

/* What no thread executes goes on where its g.sched says. */
static long next_goroutine(uint32_t i, const struct walk_context *c)
{
	struct walk *w = c->w;
	struct sample_counters *count;
	uint64_t g = 0, m = 0, start = 0;
	uint32_t status = 0, zero = 0;

	count = bpf_map_lookup_elem(&counters, &zero);
	if (i >= w->n_list || !count)
		return 1;
	if (read_word(c, w->list + i * 8, &g) || !g || read_word(c, g + w->binary.g_m, &m) || m ||
	    bpf_probe_read_user(&status, sizeof(status), (void *)(g + w->binary.g_status)))
		return 0;
	status &= ~G_SCAN;
	if (status != G_RUNNABLE && status != G_WAITING && status != G_PREEMPTED)
		return 0;
	begin_stack(w);
	w->switched = 1;
	w->g = w->g0 = w->curg = 0;
	w->returns = w->by_rows = 1;
	if (read_word(c, g + w->binary.g_goid, &w->record.goid) ||
	    read_word(c, g + w->binary.g_sched_pc, &w->pc) ||
	    read_word(c, g + w->binary.g_sched_sp, &w->sp) ||
	    read_word(c, g + w->binary.g_sched_bp, &w->bp)) {
		__sync_fetch_and_add(&count->deaths_lost, 1);
		return 0;
	}
	/* One that has not run yet is about to execute its first instruction. */
	if (w->binary.g_startpc >= 0 && !read_word(c, g + w->binary.g_startpc, &start) &&
	    start == w->pc)
		w->returns = 0;
	send(w, count);
	return 0;
}

/* Once for a process. */
static __always_inline void take_goroutines(struct walk *w, struct sample_counters *count,
					    struct task_struct___local *task)
{
	struct walk_context c = { .w = w };
	uint64_t process = process_of(task), slice[2] = { 0, 0 };
	uint32_t one = 1;

	if (!w->go || !w->binary.allgs || bpf_map_update_elem(&told, &process, &one, BPF_NOEXIST))
		return;
	if (bpf_probe_read_user(slice, sizeof(slice), (void *)(w->binary.allgs + w->bias)))
		return;
	w->list = slice[0];
	w->n_list = slice[1];
	w->record.h.tid = 0;
	w->record.period = DEATH_OF(SAMPLE_DEATH_PARKED, 0);
	bpf_loop(GOROUTINES_MAX, next_goroutine, &c, 0);
	if (w->n_list > GOROUTINES_MAX)
		__sync_fetch_and_add(&count->deaths_lost, w->n_list - GOROUTINES_MAX);
}

static __always_inline void begin_at(struct walk *w, const struct pt_regs *at)
{
	w->returns = 0;
	w->by_rows = 1;
	w->pc = REG_PC(at);
	w->sp = REG_SP(at);
	w->bp = REG_FP(at);
}

/* Go that C has called may end in another thread than that which had the fault. */
static __always_inline void find_fault(struct walk *w)
{
	struct sample_goroutine key = this_goroutine(w);
	struct sample_callers *of = bpf_map_lookup_elem(&callers, &key);

	if (of)
		w->record.period = DEATH_OF(SAMPLE_DEATH_PANIC, of->signal);
}

/* `at`: where a probe has interrupted it; NULL: where it entered the kernel. */
static __always_inline int take(uint32_t kind, uint32_t signal, const struct pt_regs *at)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sample_counters *count;
	struct walk *w = this_walk();
	const struct walk_context c = { .w = w };
	uint32_t zero = 0;

	count = bpf_map_lookup_elem(&counters, &zero);
	if (!w || !count)
		return 0;
	/* A thread in a probe may be preempted by another one that dies. */
	if (__sync_lock_test_and_set(&w->busy, 1)) {
		__sync_fetch_and_add(&count->deaths_lost, 1);
		return 0;
	}
	begin(w, SAMPLE_RECORD_DEATH);
	if (config.only_pid && w->record.pid != config.only_pid)
		goto out;
	w->record.period = DEATH_OF(kind, signal);
	find_binary(w, (void *)task);
	find_goroutine(&c, (void *)task);
	if (kind == SAMPLE_DEATH_PANIC && !signal)
		find_fault(w);
	if (at)
		begin_at(w, at);
	else
		find_saved_registers(w, task);
	send(w, count);
	take_goroutines(w, count, (void *)task);
out:
	*(volatile uint32_t *)&w->busy = 0;
	return 0;
}

/* A program handles it, and may end itself for it. */
static __always_inline void note_fault(uint32_t signo)
{
	uint32_t tid = bpf_get_current_pid_tgid();

	if (FAULTS & BIT(signo))
		bpf_map_update_elem(&faults, &tid, &signo, BPF_ANY);
}

/* Arguments: signal, siginfo (or 0: from a process, 1: from the kernel), its action. */
SEC("tp_btf/signal_deliver") int on_deliver(uint64_t *args)
{
	struct task_struct___local *task = (void *)bpf_get_current_task_btf();
	struct k_sigaction___local *action = (void *)args[2];
	struct signal_struct___local *of = task->signal;
	uint64_t process = process_of(task);
	uint32_t signo = args[0];

	if (!signo || signo > 64 || !of)
		return 0;
	if (of->flags & GROUP_EXIT) {
		signo = of->group_exit_code & 127;
		/* A process that ends by exit has threads that end so, too. */
		if (!signo && !bpf_map_lookup_elem(&panics, &process))
			return 0;
		return take(SAMPLE_DEATH_THREAD, signo, 0);
	}
	if (action->sa.sa_handler) {
		note_fault(signo);
		return 0;
	}
	if (STOP_OR_NOTHING & BIT(signo) || of->flags & UNKILLABLE)
		return 0;
	return take(SAMPLE_DEATH_SIGNAL, signo, 0);
}

/* Entry of runtime.startpanic_m. */
SEC("uprobe") int on_panic(struct pt_regs *regs)
{
	uint64_t process = process_of((void *)bpf_get_current_task_btf());
	uint32_t tid = bpf_get_current_pid_tgid(), one = 1;
	uint32_t *fault = bpf_map_lookup_elem(&faults, &tid);

	bpf_map_update_elem(&panics, &process, &one, BPF_ANY);
	return take(SAMPLE_DEATH_PANIC, fault ? *fault : 0, regs);
}

struct keeping {
	const struct walk *w;
	struct sample_callers *to;
};

static long keep_caller(uint32_t i, const struct keeping *k)
{
	const struct walk *w = k->w;
	struct sample_callers *to = k->to;
	uint32_t at;

	if (i >= SAMPLE_CALLERS)
		return 1;
	at = w->called + i;
	if (at >= w->n || at >= SAMPLE_FRAMES + SAMPLE_KERNEL_FRAMES)
		return 1;
	to->pcs[i] = w->record.pcs[at];
	to->n = i + 1;
	return 0;
}

/* Too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct sample_callers);
} kept SEC(".maps");

/* More than that: only what is on the goroutine's own stack is told of. */
static __always_inline void keep_callers(struct walk *w)
{
	uint32_t zero = 0, tid = bpf_get_current_pid_tgid(), *fault;
	struct sample_callers *to = bpf_map_lookup_elem(&kept, &zero);
	struct sample_goroutine key = this_goroutine(w);
	const struct keeping k = { w, to };

	if (!to || !w->called || w->n - w->called > SAMPLE_CALLERS || w->record.flags & SAMPLE_CUT)
		return;
	fault = bpf_map_lookup_elem(&faults, &tid);
	to->signal = fault ? *fault : 0;
	to->sp = w->called_sp;
	to->flags = w->record.flags & SAMPLE_UNREADABLE;
	to->n = 0;
	bpf_loop(SAMPLE_CALLERS, keep_caller, (void *)&k, 0);
	bpf_map_update_elem(&callers, &key, to, BPF_ANY);
}

/* Entry of runtime.gopanic: C's frames are still there, should C have called Go. */
SEC("uprobe") int on_unwind(struct pt_regs *regs)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct walk *w = this_walk();
	const struct walk_context c = { .w = w };

	if (!w || __sync_lock_test_and_set(&w->busy, 1))
		return 0;
	begin(w, SAMPLE_RECORD_DEATH);
	if (!config.only_pid || w->record.pid == config.only_pid) {
		find_binary(w, (void *)task);
		find_goroutine(&c, (void *)task);
		begin_at(w, regs);
		walk_all(w);
		keep_callers(w);
	}
	*(volatile uint32_t *)&w->busy = 0;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
