// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Where the target's processor time goes while it is traced: the clock of each processor interrupts
 * it, and EV_SAMPLE says on which goroutine, how deep on its stack and at which pc that was. What
 * lies on the stack goes with it, so that user space finds the callers. The
 * events go into the rings of the probes, whose maps are this object's: user space gets them in
 * order with the calls.
 *
 * An object of its own, since it needs the kernel's type information: bpf_get_current_task_btf
 * (3ca1032ab7ab, Linux 5.11), bpf_task_pt_regs (dd6e10fbd9fb, 5.15). Traces work without.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "arch.bpf.h"
#include "bpf/event.h"
#include "bpf/hit.bpf.h"

struct cpu_samples_state own SEC(".bss.own"); /* .bss is the probes' */

/* When the clock of this processor came last, whatever it interrupted; 0: never. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} last_ns SEC(".maps");

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
	struct thread_struct___local thread;
} __attribute__((preserve_access_index));

#define WEIGHT_MAX_NS  1000000000 /* longer: it was not on */
#define STEPPING_BYTES 4096

static __always_inline int is_stepping(struct task_struct___local *task, uint64_t pc)
{
	struct xol_area___local *area = BPF_CORE_READ(task, mm, uprobes_state.xol_area);

	return area && pc - BPF_CORE_READ(area, vaddr) < STEPPING_BYTES;
}

/* The goroutine that the thread executes, and how deep the stack pointer is on its stack; on a
 * system stack, or that of a signal, whose the work is. g is where Go keeps it for each thread, or,
 * where that place is not known, in its register if what is there looks like the thread's g. */
static __always_inline void locate(struct hit *h, struct task_struct___local *task, uint64_t sp,
				   uint64_t in_register)
{
	uint64_t tls = TLS_BASE(task), curg = 0, g0 = 0, hi = 0;

	h->goid = h->depth = h->flags = 0;
	if (config.tls_g == TLS_G_UNKNOWN)
		h->g = in_register;
	else if (!tls || read_u64(tls + config.tls_g, &h->g))
		return;
	if (!h->g || read_u64(h->g + config.g_m, &h->m) || !h->m ||
	    read_u64(h->m + config.m_curg, &curg) || read_u64(h->m + config.m_g0, &g0))
		return;
	if (h->g != curg) {
		if (config.tls_g == TLS_G_UNKNOWN && h->g != g0)
			return;
		h->flags = EVF_SYSTEM;
		h->depth = -(uint32_t)sp;
		if (curg)
			read_u64(curg + config.g_goid, &h->goid);
		return;
	}
	if (read_u64(h->g + config.g_stack_hi, &hi) || (hi - sp) >> 32)
		return;
	h->depth = hi - sp;
	read_u64(h->g + config.g_goid, &h->goid);
}

/*
 * What a sample stands for: the time since the clock came last. It comes late where interrupts were
 * off, and in a virtual machine where the host was at work, as it is for each single step; what it
 * missed meanwhile was there.
 */
static __always_inline uint64_t weight(struct bpf_perf_event_data *ctx, uint64_t now)
{
	uint32_t zero = 0;
	uint64_t *last = bpf_map_lookup_elem(&last_ns, &zero), ns = ctx->sample_period;

	if (!last)
		return ns;
	if (*last && now - *last < WEIGHT_MAX_NS)
		ns = now - *last;
	*last = now;
	return ns;
}

/* A stack is large. Where the collector is behind, the room is for events. */
static __always_inline int has_room(void *ring)
{
	return bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) <
	       bpf_ringbuf_query(ring, BPF_RB_RING_SIZE) / 8;
}

static __always_inline void put(struct event_ext *e, const struct hit *h, const uint64_t arg[4])
{
	fill(&e->h, h, (uint32_t)-1, EV_SAMPLE);
	for (int i = 0; i < 4; i++)
		e->arg[i] = arg[i];
	e->h.ts_ns = bpf_ktime_get_ns();
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
}

static __always_inline void take(struct bpf_perf_event_data *ctx, uint64_t ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct hit h = { .cpu = bpf_get_smp_processor_id() };
	uint64_t pc = REG_PC(&ctx->regs), sp = REG_SP(&ctx->regs), in_register = REG_G(&ctx->regs);
	int64_t wire = REGS_OF_USER(&ctx->regs) ? SAMPLE_WIRE_USER : 0;
	void *ring = bpf_map_lookup_elem(&rings, &h.cpu);
	struct cpu_sample_record *r;
	struct event_ext *e;
	struct pt_regs regs;

	if (!wire) {
		if (bpf_probe_read_kernel(&regs, sizeof(regs), (void *)bpf_task_pt_regs(task))) {
			__sync_fetch_and_add(&own.lost, 1);
			return;
		}
		pc = REG_PC(&regs);
		sp = REG_SP(&regs);
		in_register = REG_G(&regs);
		if (CALL_NUMBER(&regs) >= 0)
			wire = SAMPLE_WIRE_SYSCALL |
			       (CALL_NUMBER(&regs) == NR_UPROBE ? SAMPLE_WIRE_UPROBE : 0);
	}
	if (is_stepping((void *)task, pc))
		wire |= SAMPLE_WIRE_STEPPING;
	locate(&h, (void *)task, sp, in_register);
	uint64_t arg[4] = { ns, wire, pc, sp };

	if (ring && !h.flags && has_room(ring) &&
	    (r = bpf_ringbuf_reserve(ring, sizeof(*r), 0)) != 0) {
		if (!bpf_probe_read_user(r->stack, sizeof(r->stack), (void *)sp))
			arg[1] |= SAMPLE_WIRE_STACK;
		put(&r->e, &h, arg);
	} else if (ring && (e = bpf_ringbuf_reserve(ring, sizeof(*e), 0)) != 0) {
		put(e, &h, arg);
	} else { /* not a loss: no call's number is in doubt for it */
		__sync_fetch_and_add(&own.lost, 1);
	}
}

SEC("perf_event") int on_clock(struct bpf_perf_event_data *ctx)
{
	uint64_t start = bpf_ktime_get_ns(), ns = weight(ctx, start);

	if (!own.on || state.paused == PAUSED_ALL || !in_target())
		return 0;
	/* It ends and has given up its memory: that is nothing of what the program does. */
	if (!((struct task_struct___local *)bpf_get_current_task_btf())->mm)
		return 0;
	take(ctx, ns);
	__sync_fetch_and_add(&own.run_ns, bpf_ktime_get_ns() - start);
	__sync_fetch_and_add(&own.runs, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
