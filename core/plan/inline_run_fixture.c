// SPDX-License-Identifier: BSD-2-Clause
/* How a child is stepped, run and looked at. */
#include "plan/inline_world_fixture.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define MOST_STOPS 20 /* of a run that comes to an end */

struct user_regs_struct child_first_regs(const struct child *k)
{
	const struct world_case *c = k->c;
	struct user_regs_struct r = child_get(k); /* segments */
	uint64_t text = world_at(k, k->w->text);

	r.orig_rax = UINT64_MAX; /* in no system call */
	r.rip = text + (c->branch ? TEXT_TO_WINDOW : TEXT_WINDOW - c->compare_len);
	r.rsp = world_at(k, k->w->stack + sizeof(k->w->stack) - WORLD_STACK_USED);
	r.rax = c->rax ? c->rax : 0xa0a0a0a0a0a0a0a0ull;
	r.rbx = 0xb0b0b0b0b0b0b0b0ull;
	r.rcx = 0xc0c0c0c0c0c0c0c0ull;
	r.rdx = 0xd0d0d0d0d0d0d0d0ull;
	r.rsi = 0x5151515151515151ull;
	r.rdi = c->rdi == NIL    ? 8
		: c->rdi == EDGE ? world_at(k, k->w) + WORLD_EDGE
				 : text + TEXT_DATA;
	r.rbp = 0xbebebebebebebebeull;
	r.r8 = 0x0808080808080808ull;
	r.r9 = 0x0909090909090909ull;
	r.r10 = 0x1010101010101010ull;
	r.r11 = 0x1111111111111111ull;
	r.r12 = 0x1212121212121212ull;
	r.r13 = 0x1313131313131313ull;
	r.r14 = world_at(k, k->w->g);
	r.r15 = 0x1515151515151515ull;
	r.eflags = 0x202;
	if (c->what >= INLINE_STATUS)
		r.rax = r.r14;
	if (c->what == INLINE_GROWTH)
		r.rbx = 2 * sizeof(k->w->stack);
	if (c->what == INLINE_STATUS) {
		r.rbx = 0xb0b0b0b000000000ull | c->from; /* an int32: the rest is anything */
		r.rcx = 0xc0c0c0c000000000ull | c->to;
	}
	return r;
}

void child_set(const struct child *k, const struct user_regs_struct *regs)
{
	/* A child that a planted error has ended is found out when it does not run. */
	ptrace(PTRACE_SETREGS, k->pid, NULL, regs);
}

struct user_regs_struct child_get(const struct child *k)
{
	struct user_regs_struct r = { 0 };

	ptrace(PTRACE_GETREGS, k->pid, NULL, &r);
	return r;
}

bool child_same_registers(const struct child *k, struct user_regs_struct x,
			  struct user_regs_struct y, uint64_t flags)
{
	x.r12 = y.r12 = x.r13 = y.r13 = x.orig_rax = y.orig_rax = 0;
	if (k->c->entry)
		x.r15 = y.r15 = 0;
	else
		x.rdx = y.rdx = 0;
	x.eflags &= flags;
	y.eflags &= flags;
	return !memcmp(&x, &y, sizeof(x));
}

static void send(const struct child *k, int sig, int code)
{
	siginfo_t info = { .si_signo = sig, .si_code = code };

	if (sig)
		ptrace(PTRACE_SETSIGINFO, k->pid, NULL, &info);
}

bool child_step(const struct child *k, int sig, int code)
{
	int status;

	send(k, sig, code);
	return !ptrace(PTRACE_SINGLESTEP, k->pid, NULL, (void *)(uintptr_t)sig) &&
	       waitpid(k->pid, &status, 0) == k->pid && WIFSTOPPED(status) &&
	       WSTOPSIG(status) == SIGTRAP;
}

bool at_end(const struct child *k, uint64_t pc, enum world_end *end)
{
	uint64_t off = pc - world_at(k, k->w->text);

	*end = off == (uint64_t)TEXT_WINDOW + k->c->len ? END_BACK
	       : off == TEXT_BRANCH                     ? END_BRANCH
	       : off == TEXT_PANIC                      ? END_PANIC
							: END_LOST;
	return *end != END_LOST;
}

bool in_stub(const struct child *k, uint64_t pc)
{
	return pc - world_at(k, k->w->stub) < sizeof(k->w->stub);
}

/* A trap at pc: the end, or that of a uprobe, which the kernel returns from to the jump's target.
 */
static bool trapped(const struct child *k, enum world_end *end, unsigned *traps)
{
	struct user_regs_struct r = child_get(k);
	uint64_t off = --r.rip - world_at(k, k->w->stub);

	if (at_end(k, r.rip, end)) {
		child_set(k, &r);
		return true;
	}
	for (unsigned i = 0; i < k->parts.n_probes; i++) {
		int32_t distance;

		if (off != k->parts.probes[i])
			continue;
		memcpy(&distance, k->w->stub + off + 1, 4);
		r.rip += 5 + (uint64_t)(int64_t)distance;
		child_set(k, &r);
		(*traps)++;
		return false;
	}
	return true;
}

enum world_end child_run(const struct child *k, int sig, int code, unsigned *traps)
{
	enum world_end end = END_LOST;
	int status;

	send(k, sig, code);
	for (unsigned i = 0; i < MOST_STOPS; i++) {
		if (ptrace(PTRACE_CONT, k->pid, NULL, (void *)(uintptr_t)sig) ||
		    waitpid(k->pid, &status, 0) != k->pid || !WIFSTOPPED(status))
			return END_LOST;
		sig = WSTOPSIG(status);
		if (sig == SIGILL || sig == SIGFPE || sig == SIGABRT)
			return END_LOST;
		if (sig != SIGTRAP)
			continue; /* a fault, or one that has waited: on to its handler */
		if (trapped(k, &end, traps))
			return end;
		sig = 0;
	}
	return END_LOST;
}

int child_syscall(const struct child *k, long nr, long a, long b)
{
	struct user_regs_struct r = child_first_regs(k);
	int status;

	r.rip = world_at(k, k->w->text) + TEXT_SYSCALL;
	r.rax = (uint64_t)nr;
	r.rdi = (uint64_t)a;
	r.rsi = (uint64_t)b;
	child_set(k, &r);
	assert_int_equal(ptrace(PTRACE_CONT, k->pid, NULL, NULL), 0);
	assert_int_equal(waitpid(k->pid, &status, 0), k->pid);
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	return (int)child_get(k).rax;
}

unsigned world_events(const struct child *k, struct world_event *out)
{
	unsigned n = 0;

	for (unsigned i = 0; i < WORLD_RINGS; i++) {
		const struct ring_head *h = &k->w->rings[i].head;
		struct world_event e = { 0 };

		/* A record that has faulted leaves its ring as it is. */
		if (h->reserved != h->head && !k->w->signals.faults)
			return WORLD_BROKEN;
		if (h->tail & RING_DISABLED || h->head - h->tail > WORLD_SLOTS - RING_ROOM)
			continue; /* those of a test that has made it full */
		if (k->context_known && i == 0) {
			e.goid = WORLD_GOID;
			e.procid = WORLD_PROCID(0);
		}
		for (uint64_t at = h->tail; at != h->head; at += RING_SLOT) {
			const struct ring_slot *s =
				&k->w->rings[i].slots[at % WORLD_SLOTS / RING_SLOT];

			if (s->site == RING_CONTEXT) {
				if (e.n_args)
					return WORLD_BROKEN;
				e.goid = s->clock;
				e.procid = s->depth;
				continue;
			}
			if (s->site == RING_ARG) {
				if (s->depth != e.n_args || e.n_args == RING_ARGS)
					return WORLD_BROKEN;
				e.args[e.n_args++] = s->clock;
				continue;
			}
			if (n == 8)
				return WORLD_BROKEN;
			e.clock = s->clock;
			e.depth = s->depth;
			e.site = s->site;
			e.ring = i;
			out[n++] = e;
			e.n_args = 0;
		}
	}
	return n;
}
