/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The few sites inside the Go runtime that every trace needs. They report what a goroutine does
 * besides calling and returning. probes.bpf.c includes this once, after hit.bpf.h.
 */
static __always_inline void submit_ext(const struct hit *h, uint64_t cookie, uint32_t kind,
				       uint64_t a0, uint64_t a1, uint64_t a2)
{
	struct event_ext *e = reserve(h, sizeof(*e));

	if (!e)
		return;
	e->arg[0] = a0;
	e->arg[1] = a1;
	e->arg[2] = a2;
	e->arg[3] = 0;
	submit(&e->h, h, cookie, kind);
}

static __always_inline void submit_plain(const struct hit *h, uint64_t cookie, uint32_t kind)
{
	struct event *e = reserve(h, sizeof(*e));

	if (e)
		submit(e, h, cookie, kind);
}

/* ---- states of goroutines */

static __always_inline void submit_state(struct hit *h, uint64_t cookie, uint32_t depth)
{
	h->flags = 0;
	h->depth = depth;
	submit_plain(h, cookie, EV_STATE);
}

/* Submits an EV_WAKE. Its loss puts the states of two goroutines in doubt, so it counts as a loss
 * of any goroutine. */
static __always_inline void submit_wake(struct hit *h, uint64_t cookie, uint64_t woken)
{
	uint64_t by = h->goid;

	h->goid = GOID_UNKNOWN;
	struct event *e = reserve(h, sizeof(*e));

	h->goid = by;
	h->flags = 0;
	h->depth = woken;
	if (e)
		submit(e, h, cookie, EV_WAKE);
}

/* Returns the depth of EV_STATE, as the stub in core/plan/inline_stub_code.S does. */
static __always_inline uint32_t state_of(uint64_t gp, uint32_t status)
{
	uint8_t why = 0;

	if (status == G_WAITING)
		bpf_probe_read_user(&why, 1, (const void *)(gp + config.g_waitreason));
	return STATE_DEPTH(((status - 1) ^ 1) + 1, why);
}

/*
 * casgstatus(gp, old, new), proc.go: every change of a goroutine's status passes it, but for those
 * that the other sites report. On a change from waiting to runnable it records the current
 * goroutine as the waker, if there is one.
 */
static __always_inline void on_status(struct pt_regs *ctx, uint64_t cookie, struct hit *h)
{
	uint32_t old = GO_ARG1(ctx), new = GO_ARG2(ctx);
	uint64_t gp = GO_ARG0(ctx), goid;

	/* Other changes are those when a goroutine is made or ends, or its stack is copied. */
	if (old - 1 > 3 || new - 1 > 3 || read_u64(gp + config.g_goid, &goid) || !goid)
		return;
	if (old == G_WAITING && new == G_RUNNABLE) {
		submit_wake(h, cookie, goid);
		return;
	}
	h->goid = goid;
	submit_state(h, cookie, state_of(gp, new));
}

static __always_inline void on_state(struct pt_regs *ctx, uint64_t cookie, struct hit *h)
{
	uint32_t at = COOKIE_STATE(cookie);

	if (at == STATE_AT_STATUS) {
		on_status(ctx, cookie, h);
		return;
	}
	if (at == STATE_AT_PREEMPT && read_u64(GO_ARG0(ctx) + config.g_goid, &h->goid))
		return;
	if (h->goid)
		submit_state(h, cookie, config.state_depth[at & 7]);
}

/* Submits the state of a new goroutine for a coroutine (iter.Pull). It waits and is not
 * runnable. */
static __always_inline void tell_state_of_new(uint64_t newg, uint64_t goid, uint64_t cookie,
					      struct hit *h)
{
	uint32_t status = 0;

	bpf_probe_read_user(&status, 4, (const void *)(newg + config.g_status));
	if ((status & ~G_SCAN) != G_WAITING)
		return;
	h->goid = goid;
	submit_state(h, cookie, state_of(newg, G_WAITING));
}

/* ---- sites that every trace has */

/* runtime.main: goids start over, and the text may be at another address. */
static __always_inline void on_image(struct pt_regs *ctx, uint64_t cookie, struct hit *h)
{
	state.text_bias = REG_PC(ctx) - config.main_vaddr;
	submit_plain(h, cookie, EV_IMAGE);
	if (config.state_depth[0])
		submit_state(h, cookie, STATE_DEPTH(STATE_RUNNING, 0));
}

/* gdestroy(gp), before Go 1.22 goexit0(gp): proc.go. */
static __always_inline void on_end(struct pt_regs *ctx, uint64_t cookie, struct hit *h)
{
	if (read_u64(GO_ARG0(ctx) + config.g_goid, &h->goid) || !h->goid)
		return;
	h->flags = 0;
	h->depth = 0;
	submit_plain(h, cookie, EV_END);
}

/* newproc1 is about to return newg (proc.go). It runs on g0, and h->goid is the creator's. */
static __always_inline void on_create(struct pt_regs *ctx, uint64_t cookie, struct hit *h)
{
	uint64_t newg = GO_ARG0(ctx), goid = 0, gopc = 0, startpc = 0;

	/* The start code makes goroutine 1 before the hit at runtime.main that announces the new
	 * image. */
	if (read_u64(newg + config.g_goid, &goid) || goid <= 1)
		return;
	read_u64(newg + config.g_gopc, &gopc);
	read_u64(newg + config.g_startpc, &startpc);
	h->flags = 0;
	h->depth = 0;
	submit_ext(h, cookie, EV_CREATE, goid, gopc - state.text_bias, startpc - state.text_bias);
	if (config.state_depth[0])
		tell_state_of_new(newg, goid, cookie, h);
}

/* The most nested panics that are followed. Each recovers while a Goexit waits at the end of the
 * chain. */
#define PANIC_CHAIN_MAX 16

/*
 * recovery(gp), panic.go: gp continues in the frame that deferred the recovering call. Its sp is
 * g._panic.sp (before Go 1.22 g.sigcode0). When that skips a Goexit further down the chain, the
 * Goexit continues instead, at its startSP.
 */
static __always_inline void on_recovery(struct pt_regs *ctx, uint64_t cookie, struct hit *h)
{
	uint64_t gp = GO_ARG0(ctx), hi = 0, sp = 0, panic = 0, link = 0;
	uint16_t flags = 0;

	if (read_u64(gp + config.g_goid, &h->goid) || !h->goid ||
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

			/* It began further up than the recovering frame, so it is not skipped. */
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
	h->flags = flags;
	h->depth = hi - sp;
	submit_ext(h, cookie, EV_UNWIND, 0, 0, 0);
}

/*
 * newstack(), stack.go, on g0: the stack check of some prologue failed. m.morebuf holds the
 * caller's pc and sp after the return (morestack, asm_amd64.s), so the return address is one word
 * below. g.sched.pc is where the function stopped.
 */
static __always_inline void on_newstack(uint64_t cookie, struct hit *h)
{
	uint64_t gp = 0, hi = 0, sp = 0, pc = 0;

	if (read_u64(h->m + config.m_curg, &gp) || !gp || read_u64(gp + config.g_goid, &h->goid) ||
	    read_u64(gp + config.g_stack_hi, &hi) || read_u64(h->m + config.m_morebuf_sp, &sp) ||
	    sp > hi)
		return;
	read_u64(gp + config.g_sched_pc, &pc);
	h->flags = 0;
	h->depth = hi - (sp - RETURN_BYTES);
	submit_ext(h, cookie, EV_STOP, pc - state.text_bias, 0, 0);
}

/*
 * The action of newstack on a stopped prologue. The sites are the entry of copystack(gp, newsize),
 * which also shrinks stacks, and the calls of gopreempt_m(gp) or goschedImpl(gp, ...), and
 * preemptPark(gp).
 */
static __always_inline void on_resume(struct pt_regs *ctx, uint64_t cookie, struct hit *h)
{
	uint64_t gp = GO_ARG0(ctx), lo = 0, hi = 0, old = 0, new = 0;

	if (read_u64(gp + config.g_goid, &h->goid) || read_u64(gp + config.g_stack_lo, &lo) ||
	    read_u64(gp + config.g_stack_hi, &hi))
		return;
	if (COOKIE_STOP(cookie) == STOP_GROWTH) {
		old = hi - lo;
		new = GO_ARG1(ctx);
		if (new <= old)
			return;
	}
	h->flags = 0;
	h->depth = 0;
	submit_ext(h, cookie, EV_RESUME, old, new, COOKIE_STOP(cookie));
}

/* Returns non-zero when g and m are not laid out as assumed. With --pid this is the only check,
 * because runtime.main of goroutine 1 has run before. These functions of the runtime never run on a
 * signal stack. */
static __always_inline int layout_wrong(const struct hit *h, int found)
{
	uint64_t curg;

	if (found)
		return found == NO_G0;
	return !(h->flags & EVF_SYSTEM) && (read_u64(h->m + config.m_curg, &curg) || curg != h->g);
}

/*
 * sigpanic(), signal_unix.go: the signal handler has made a faulting instruction look like a call
 * of it (preparePanic, signal_amd64.go). The return address is the instruction's own.
 */
static __always_inline void on_fault(struct pt_regs *ctx, uint64_t cookie, struct hit *h)
{
	uint64_t pc;

	if (read_u64(REG_SP(ctx) + COOKIE_RA(cookie), &pc))
		return;
	h->depth -= FAULT_BYTES; /* the depth of the stack pointer before that call */
	submit_ext(h, cookie, EV_WIRE_FAULT, pc - state.text_bias, 0, 0);
}

static __always_inline void record_runtime(struct pt_regs *ctx, uint64_t cookie)
{
	struct hit h;

	int found = hit_locate(ctx, cookie, &h);
	if (layout_wrong(&h, found) && h.count)
		__sync_fetch_and_add(&h.count->layout_wrong, 1);
	if (found)
		return;
	switch (COOKIE_KIND(cookie)) {
	case EV_IMAGE:
		on_image(ctx, cookie, &h);
		break;
	case EV_END:
		on_end(ctx, cookie, &h);
		break;
	case EV_WIRE_FAULT:
		on_fault(ctx, cookie, &h);
		break;
	case EV_CREATE:
		on_create(ctx, cookie, &h);
		break;
	case EV_UNWIND:
		on_recovery(ctx, cookie, &h);
		break;
	case EV_STOP:
		on_newstack(cookie, &h);
		break;
	case EV_RESUME:
		on_resume(ctx, cookie, &h);
		break;
	case EV_STATE:
		on_state(ctx, cookie, &h);
		break;
	}
}
