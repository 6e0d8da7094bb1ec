// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The probes: one program for entries, one for exits, one for the few places
 * inside the Go runtime that every trace needs. A site's cookie says all that a
 * program must know about it, so their number does not grow with the functions.
 *
 * Each program exists twice: for uprobe_multi links (89ae89f53d20, Linux 6.6) and for perf
 * events; the attach type is part of the program, user space loads one set.
 */
#include <linux/bpf.h>
#include <asm/ptrace.h>
#include <bpf/bpf_helpers.h>

#include "bpf/event.h"

/* ---- configuration, frozen before the programs are loaded */

const volatile struct probe_config config;

struct probe_state state;

/* ---- maps */

/* One ring buffer a CPU: a shared one halves the throughput with every producer. */
struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* of this template; the real ones are made by user space */
};

/* key: CPU. value: its ring buffer. Sized and filled by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__array(values, struct ring);
} rings SEC(".maps");

/* key: CPU. value: its counters. Mapped by user space, which a per-CPU array cannot be. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct cpu_counters);
} counters SEC(".maps");

/* key: goid. value: what was lost of it. User space takes entries out each round. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, uint64_t);
	__type(value, struct lost_goid);
} lost_goids SEC(".maps");

/* Empty: for a tail call that is never made, see may_record. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint32_t);
} no_program SEC(".maps");

/* ---- where a program runs */

struct place {
	uint64_t g;      /* address of the current g */
	uint64_t goid;   /* its goid, on a system stack that of m.curg */
	uint64_t m;
	uint32_t depth;
	uint16_t flags;
	uint32_t cpu;
	struct cpu_counters *count;
};

static __always_inline int read_u64(uint64_t addr, uint64_t *v)
{
	return bpf_probe_read_user(v, sizeof(*v), (const void *)addr);
}

/* bpf_get_ns_current_pid_tgid: b4490c5c4e02, Linux 5.7. */
static __always_inline int in_target(void)
{
	struct bpf_pidns_info ns;

	return !bpf_get_ns_current_pid_tgid(config.target.pidns_dev, config.target.pidns_ino, &ns, sizeof(ns)) &&
	       ns.tgid == config.target.tgid;
}

static __always_inline struct cpu_counters *cpu_count(uint32_t cpu)
{
	return bpf_map_lookup_elem(&counters, &cpu);
}

#define GOID_UNKNOWN ~0ull

static __noinline int count_loss(struct cpu_counters *c, uint64_t goid)
{
	struct lost_goid *old, new = {};

	if (!c)
		return 0;
	__sync_fetch_and_add(&c->lost_begun, 1);
	uint64_t now = bpf_ktime_get_ns();
	if (!c->lost_first_ns)
		c->lost_first_ns = now;
	c->lost_last_ns = now;
	old = goid == GOID_UNKNOWN ? 0 : bpf_map_lookup_elem(&lost_goids, &goid);
	if (goid == GOID_UNKNOWN) {
		__sync_fetch_and_add(&c->lost_anonymous, 1);
	} else if (old) {
		old->last_ns = now;
		__sync_fetch_and_add(&old->count, 1);
	} else {
		new.first_ns = new.last_ns = now;
		new.count = 1;
		if (bpf_map_update_elem(&lost_goids, &goid, &new, BPF_NOEXIST))
			__sync_fetch_and_add(&c->lost_anonymous, 1);
	}
	__sync_fetch_and_add(&c->lost_done, 1);
	return 0;
}

#define STOPPED_NEVER 2 /* no value of state.stopped */

/*
 * Since Linux 6.13 a program of this type with 64 bytes of stack or more has
 * a stack for each CPU instead ("private stack", verifier.c bpf_enable_priv_stack,
 * which counts on a recursion check that uprobes do not have).
 * But a uprobe's program may be preempted, on 7.x by default, by another thread's on the same CPU:
 * both write the one stack, and events are wrong or missing. A program with a
 * tail call is given none, hence this one; it costs nothing on the way to an event.
 */
static __always_inline int may_record(void *ctx)
{
	if (!state.stopped)
		return 1;
	if (state.stopped == STOPPED_NEVER)
		bpf_tail_call(ctx, &no_program, 0);
	return 0;
}

/*
 * Whether a program that ran before on the same byte has performed the RET: another
 * gotrace's. Each program is given the registers as the one before left them, and
 * bpf_get_func_ip is their ip as well (uprobe_multi_link_handler): where
 * the probe is, only the cookie tells. Where a RET and what it returns to have the same low
 * bits this says no; perform_ret looks closer, and the event's depth is off.
 */
static __always_inline int has_returned(struct pt_regs *ctx, uint64_t cookie)
{
	return config.rets != RETS_STEPPED && (COOKIE_FLAGS(cookie) & COOKIE_RET) &&
	       COOKIE_RET_BITS(ctx->rip) != COOKIE_ADJ(cookie);
}

/* Bytes from rsp up to the return address; below 0 when that has been popped. */
static __always_inline int32_t to_return_address(struct pt_regs *ctx, uint64_t cookie)
{
	if (COOKIE_FLAGS(cookie) & COOKIE_RET)
		return has_returned(ctx, cookie) ? -8 : 0;
	return COOKIE_ADJ(cookie);
}

#define NO_G0 -2 /* g has no goid and is not its m's g0: a signal stack's */

/* Fills p from g in R14 (ABIInternal, cmd/compile/abi-internal.md). 0 when the event is to be kept, else -1 or NO_G0. */
static __always_inline int find_place(struct pt_regs *ctx, uint64_t cookie, struct place *p)
{
	uint64_t g[G_READ_MAX / 8];
	uint64_t sp = ctx->rsp + to_return_address(ctx, cookie);

	p->cpu = bpf_get_smp_processor_id();
	p->count = cpu_count(p->cpu);
	if (!p->count)
		return -1;
	p->g = ctx->r14;
	/* One read of the front of g: 8 bytes and 168 cost the same. */
	if (bpf_probe_read_user(g, config.g_read_bytes, (const void *)p->g)) {
		/* Its page is being moved, say: an event of some goroutine is missing. */
		__sync_fetch_and_add(&p->count->dropped_fault, 1);
		count_loss(p->count, GOID_UNKNOWN);
		return -1;
	}
	uint64_t lo = g[config.g_stack_lo / 8 % (G_READ_MAX / 8)];
	uint64_t hi = g[config.g_stack_hi / 8 % (G_READ_MAX / 8)];
	p->m = g[config.g_m / 8 % (G_READ_MAX / 8)];
	p->goid = g[config.g_goid / 8 % (G_READ_MAX / 8)];
	p->flags = 0;
	p->depth = hi - sp;
	if (sp < lo || sp > hi) {
		__sync_fetch_and_add(&p->count->dropped_outside, 1);
		return -1;
	}
	if (p->goid == 0) {
		uint64_t g0 = 0, curg = 0;

		if (read_u64(p->m + config.m_g0, &g0) || g0 != p->g) {
			__sync_fetch_and_add(&p->count->dropped_signal, 1);
			return NO_G0;
		}
		p->flags = EVF_SYSTEM;
		p->depth = -(uint32_t)sp;
		if (read_u64(p->m + config.m_curg, &curg) == 0 && curg)
			read_u64(curg + config.g_goid, &p->goid);
	}
	return 0;
}

/* ---- handing an event over */

static __always_inline void *reserve(const struct place *p, uint32_t bytes)
{
	void *ring = bpf_map_lookup_elem(&rings, &p->cpu);
	void *rec = 0;

	/* The verifier wants the size as a constant at each call. */
	if (ring)
		rec = bytes == sizeof(struct event_ext) ?
			bpf_ringbuf_reserve(ring, sizeof(struct event_ext), 0) :
			bpf_ringbuf_reserve(ring, sizeof(struct event), 0);
	if (!rec)
		count_loss(p->count, p->goid);
	return rec;
}

/* Fills the common part and submits. The clock is read after the reservation,
 * so a record whose time lies before user space's clock is already in the ring. */
static __always_inline void submit(struct event *e, const struct place *p, uint64_t cookie, uint32_t kind)
{
	e->goid = p->goid;
	e->site = COOKIE_SITE(cookie);
	e->depth = p->depth;
	e->tid = bpf_get_current_pid_tgid();
	e->kind = kind;
	e->flags = p->flags;
	e->ts_ns = bpf_ktime_get_ns();
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
}

/* On the jbe of a stack check: is it taken (CF or ZF)? Then morestack runs and
 * the function starts over. */
static __always_inline int starts_over(struct pt_regs *ctx, uint64_t cookie)
{
	return (COOKIE_FLAGS(cookie) & COOKIE_CHECK_JCC) && (ctx->eflags & 0x41);
}

/* The hot path, entries and exits alike. */
static __always_inline void record_call(struct pt_regs *ctx, uint64_t cookie)
{
	struct place p;
	struct event *e;

	if (find_place(ctx, cookie, &p))
		return;
	e = reserve(&p, sizeof(*e));
	if (e)
		submit(e, &p, cookie, COOKIE_KIND(cookie));
}

/* ---- places inside the runtime */

static __always_inline void submit_ext(const struct place *p, uint64_t cookie, uint32_t kind,
				       uint64_t a0, uint64_t a1, uint64_t a2)
{
	struct event_ext *e = reserve(p, sizeof(*e));

	if (!e)
		return;
	e->arg[0] = a0;
	e->arg[1] = a1;
	e->arg[2] = a2;
	e->arg[3] = 0;
	submit(&e->h, p, cookie, kind);
}

static __always_inline void submit_plain(const struct place *p, uint64_t cookie, uint32_t kind)
{
	struct event *e = reserve(p, sizeof(*e));

	if (e)
		submit(e, p, cookie, kind);
}

/* runtime.main: goids start anew, the text may lie elsewhere. */
static __always_inline void on_image(struct pt_regs *ctx, uint64_t cookie, struct place *p)
{
	state.text_bias = ctx->rip - config.main_vaddr;
	submit_plain(p, cookie, EV_IMAGE);
}

/* gdestroy(gp), before Go 1.22 goexit0(gp): proc.go. */
static __always_inline void on_end(struct pt_regs *ctx, uint64_t cookie, struct place *p)
{
	if (read_u64(ctx->rax + config.g_goid, &p->goid) || !p->goid)
		return;
	p->flags = 0;
	p->depth = 0;
	submit_plain(p, cookie, EV_END);
}

/* newproc1 returns newg (proc.go); it runs on g0, p->goid is the creator's. */
static __always_inline void on_create(struct pt_regs *ctx, uint64_t cookie, struct place *p)
{
	uint64_t newg = ctx->rax, goid = 0, gopc = 0, startpc = 0;

	/* Goroutine 1 is made by the start code, before runtime.main says that there is a new image. */
	if (read_u64(newg + config.g_goid, &goid) || goid <= 1)
		return;
	read_u64(newg + config.g_gopc, &gopc);
	read_u64(newg + config.g_startpc, &startpc);
	p->flags = 0;
	p->depth = 0;
	submit_ext(p, cookie, EV_CREATE, goid, gopc - state.text_bias, startpc - state.text_bias);
}

/* How many panics a chain is followed for: one under another, each recovering
 * while a Goexit waits at the bottom. */
#define PANIC_CHAIN_MAX 16

/*
 * recovery(gp), panic.go: gp continues in the frame that deferred the
 * recovering call. Its sp is g._panic.sp (before Go 1.22 g.sigcode0); when that
 * jumps past a Goexit further down the chain, the run-down goes on at that one's startSP.
 */
static __always_inline void on_recovery(struct pt_regs *ctx, uint64_t cookie, struct place *p)
{
	uint64_t gp = ctx->rax, hi = 0, sp = 0, panic = 0, link = 0;
	uint16_t flags = 0;

	if (read_u64(gp + config.g_goid, &p->goid) || !p->goid ||
	    read_u64(gp + config.g_stack_hi, &hi))
		return;
	if (config.g_sigcode0 >= 0)
		read_u64(gp + config.g_sigcode0, &sp);
	read_u64(gp + config.g_panic, &panic);
	if (config.g_sigcode0 < 0 && panic)
		read_u64(panic + config.panic_sp, &sp);
	if (config.panic_start_sp >= 0 && panic && !read_u64(panic + config.panic_link, &link)) {
		for (int i = 0; i < PANIC_CHAIN_MAX && link; i++) {
			uint64_t start = 0;
			uint8_t goexit = 0;

			/* One that began further up than the recovering frame is not jumped past: it stays. */
			if (read_u64(link + config.panic_start_sp, &start) || start >= sp)
				break;
			bpf_probe_read_user(&goexit, 1, (const void *)(link + config.panic_goexit));
			if (goexit) {
				sp = start;
				flags = EVF_GOEXIT;
				break;
			}
			if (read_u64(link + config.panic_link, &link))
				break;
		}
	}
	if (!sp || sp > hi)
		return;
	p->flags = flags;
	p->depth = hi - sp;
	submit_ext(p, cookie, EV_UNWIND, 0, 0, 0);
}

/*
 * newstack(), stack.go, on g0: some prologue's stack check failed. m.morebuf
 * holds the caller's pc and sp as they are after the return (morestack,
 * asm_amd64.s), so the return address lies one word below; g.sched.pc is where
 * the function stopped.
 */
static __always_inline void on_newstack(uint64_t cookie, struct place *p)
{
	uint64_t gp = 0, hi = 0, sp = 0, pc = 0;

	if (read_u64(p->m + config.m_curg, &gp) || !gp || read_u64(gp + config.g_goid, &p->goid) ||
	    read_u64(gp + config.g_stack_hi, &hi) || read_u64(p->m + config.m_morebuf_sp, &sp) ||
	    sp > hi)
		return;
	read_u64(gp + config.g_sched_pc, &pc);
	p->flags = 0;
	p->depth = hi - (sp - 8);
	submit_ext(p, cookie, EV_STOP, pc - state.text_bias, 0, 0);
}

/*
 * What newstack does about it, at its calls of copystack(gp, newsize), which
 * also shrinks, of gopreempt_m(gp) or goschedImpl(gp, ...), and of preemptPark(gp).
 */
static __always_inline void on_resume(struct pt_regs *ctx, uint64_t cookie, struct place *p)
{
	uint64_t gp = ctx->rax, lo = 0, hi = 0, old = 0, new = 0;

	if (read_u64(gp + config.g_goid, &p->goid) || read_u64(gp + config.g_stack_lo, &lo) ||
	    read_u64(gp + config.g_stack_hi, &hi))
		return;
	if (COOKIE_STOP(cookie) == STOP_GROWTH) {
		old = hi - lo;
		new = ctx->rbx;
		if (new <= old)
			return;
	}
	p->flags = 0;
	p->depth = 0;
	submit_ext(p, cookie, EV_RESUME, old, new, COOKIE_STOP(cookie));
}

/* What a running process does not tell by goroutine 1: whether its g and m are laid out as
 * assumed. These places of the runtime run on no signal stack. */
static __always_inline int layout_wrong(const struct place *p, int found)
{
	uint64_t curg;

	if (found)
		return found == NO_G0;
	return !(p->flags & EVF_SYSTEM) && (read_u64(p->m + config.m_curg, &curg) || curg != p->g);
}

/*
 * sigpanic(), signal_unix.go: the signal handler has made a faulting instruction look like a call of it
 * (preparePanic, signal_amd64.go): the return address is the instruction's own.
 */
static __always_inline void on_fault(struct pt_regs *ctx, uint64_t cookie, struct place *p)
{
	uint64_t pc;

	if (read_u64(ctx->rsp + COOKIE_ADJ(cookie), &pc))
		return;
	p->depth -= 8; /* where rsp was before that call */
	submit_ext(p, cookie, EVK_FAULT, pc - state.text_bias, 0, 0);
}

static __always_inline void record_runtime(struct pt_regs *ctx, uint64_t cookie)
{
	struct place p;

	int found = find_place(ctx, cookie, &p);
	if (layout_wrong(&p, found) && p.count)
		__sync_fetch_and_add(&p.count->layout_wrong, 1);
	if (found)
		return;
	switch (COOKIE_KIND(cookie)) {
	case EV_IMAGE:
		on_image(ctx, cookie, &p);
		break;
	case EV_END:
		on_end(ctx, cookie, &p);
		break;
	case EVK_FAULT:
		on_fault(ctx, cookie, &p);
		break;
	case EV_CREATE:
		on_create(ctx, cookie, &p);
		break;
	case EV_UNWIND:
		on_recovery(ctx, cookie, &p);
		break;
	case EV_STOP:
		on_newstack(cookie, &p);
		break;
	case EV_RESUME:
		on_resume(ctx, cookie, &p);
		break;
	}
}

/*
 * Returns in the probed RET's stead. No kernel emulates a RET: it is stepped out of line,
 * a second trap. A program that changes ip keeps the kernel from executing the
 * instruction at all (7384893d970e, 4363264111e1: Linux 6.18). Where the stack
 * cannot be read nothing is changed and the RET is stepped; it faults then if it must.
 */
static __always_inline void perform_ret(struct pt_regs *ctx)
{
	uint64_t stack[2];
	uint8_t byte;

	if (bpf_probe_read_user(stack, sizeof(stack), (const void *)(ctx->rsp - 8)))
		return;
	/* Performed already, and what it returned to has the RET's low bits? Or was the goroutine once
	 * preempted at this RET, which left its address there as well? Then the breakpoint is here. */
	if (stack[0] == ctx->rip &&
	    (bpf_probe_read_user(&byte, 1, (const void *)ctx->rip) || byte != 0xcc))
		return;
	ctx->rip = stack[1];
	ctx->rsp += 8;
}

/*
 * One hit. Events are recorded before the RET is performed, which must happen or not whatever
 * becomes of the event. A foreign process's RET is left to the step: what holds for the
 * target, no shadow stack, need not hold there.
 */
static __always_inline int on_hit(struct pt_regs *ctx, int runtime)
{
	uint64_t cookie = bpf_get_attach_cookie(ctx);

	if (starts_over(ctx, cookie) || (config.filter && !in_target()))
		return 0;
	if (may_record(ctx)) {
		if (runtime)
			record_runtime(ctx, cookie);
		else
			record_call(ctx, cookie);
	}
	if (config.rets == RETS_PERFORMED && (COOKIE_FLAGS(cookie) & COOKIE_RET) && !has_returned(ctx, cookie))
		perform_ret(ctx);
	return 0;
}

/* Counts, for the tests of what a kernel does with a link. */
static __always_inline int count_hit(void)
{
	struct cpu_counters *c = cpu_count(bpf_get_smp_processor_id());

	if (c)
		__sync_fetch_and_add(&c->hits, 1);
	return 0;
}

/* ---- the programs */

/* "?": loaded only when user space asks for it. */
SEC("?uprobe.multi") int entry_multi(struct pt_regs *ctx) { return on_hit(ctx, 0); }
SEC("?uprobe.multi") int exit_multi(struct pt_regs *ctx) { return on_hit(ctx, 0); }
SEC("?uprobe.multi") int runtime_multi(struct pt_regs *ctx) { return on_hit(ctx, 1); }
SEC("?uprobe.multi") int hit_multi(struct pt_regs *ctx) { (void)ctx; return count_hit(); }

SEC("?uprobe") int entry_perf(struct pt_regs *ctx) { return on_hit(ctx, 0); }
SEC("?uprobe") int exit_perf(struct pt_regs *ctx) { return on_hit(ctx, 0); }
SEC("?uprobe") int runtime_perf(struct pt_regs *ctx) { return on_hit(ctx, 1); }
SEC("?uprobe") int hit_perf(struct pt_regs *ctx) { (void)ctx; return count_hit(); }

char LICENSE[] SEC("license") = "Dual BSD/GPL";
