// SPDX-License-Identifier: BSD-2-Clause
#include "plan/state_sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/inline_sites.h"
#include "plan/runtime_stubs.h"
#include "plan/sites.h"

/*
 * runtime.casgstatus(gp, old, new), proc.go, is passed by each change of a goroutine's status, in
 * Go 1.19 to 1.27, but for these:
 * - a goroutine that the garbage collector has preempted, in preemptPark;
 * - from 1.26 on, the begin and the end of a system call;
 * - coroutines (iter.Pull, from 1.23 on) that switch to each other.
 */
struct wanted {
	const char *name;
	uint8_t state_at;
	enum { AT_ENTRY, AT_RETURNS } where;
	bool needed; /* with this Go version */
	/* what it tells is of the goroutine that executes it, or in its registers there */
	bool may_inline;
};
static const struct wanted always[] = {
	{ "runtime.casgstatus", STATE_AT_STATUS, AT_ENTRY, true, true },
	{ "runtime.preemptPark", STATE_AT_PREEMPT, AT_ENTRY, true, false },
	{ "runtime.coroswitch", STATE_AT_COROUTINE, AT_ENTRY, false, true },
	{ "runtime.coroswitch", STATE_AT_RUN, AT_RETURNS, false, true },
	{ "runtime.corostart", STATE_AT_RUN, AT_ENTRY, false, true },
};
/* The probe on exitsyscall is at its entry, where the call is over; a goroutine that finds no P
 * then becomes runnable by casgstatus. A stub cannot be there: the P may be another thread's. */
static const struct wanted syscall_begins = { "runtime.reentersyscall", STATE_AT_SYSCALL, AT_ENTRY,
					      true, true },
			   syscall_over = { "runtime.exitsyscall", STATE_AT_RUN, AT_ENTRY, true,
					    false },
			   syscall_returns = { "runtime.exitsyscall", STATE_AT_RUN, AT_RETURNS,
					       true, true };

/* casgstatus of Go 1.19 and 1.20: the first jump of it, where its arguments are in their registers.
 */
#define OLD_CAS_ENTRY_MAX 40

static const struct code_point *entry_of(const struct gocode *code)
{
	return code->has_entry && code->entry.off <= OLD_CAS_ENTRY_MAX ? &code->entry
								       : &code->start;
}

/* Whether a stub in place of the window does what a probe does there. */
static bool may_displace(const struct plan *p, const struct gofunc *fn, const struct code_window *w,
			 uint8_t state_at)
{
	return state_at == STATE_AT_STATUS ? runtime_stub_keeps_registers(p, fn, w)
					   : runtime_stub_may_displace(w);
}

static bool stubs_possible(const struct plan *p)
{
	const struct golayout *l = p->stubs.inl.options.layout;

	return runtime_stubs_possible(p) && (!l || l->g_waitreason >= 0);
}

/* w: where its stub may be; NULL: it shall have none. */
static int add_point(struct plan *p, const struct gofunc *fn, const struct code_point *at,
		     const struct code_window *w, const struct wanted *what)
{
	struct plan_site s = site_at(fn, at, EV_STATE, PROGRAM_RUNTIME);
	int err = 0;

	s.runtime_func = fn->name;
	s.state_at = what->state_at;
	if (w && stubs_possible(p) && may_displace(p, fn, w, what->state_at)) {
		err = inline_give_stub(p, &s, w, NULL, what->where == AT_RETURNS);
		s.stub.ring_to_frame_bytes = 0; /* what it writes is no depth */
	}
	return err ? err : plan_add_site(p, &s);
}

/* Without stubs: where the kernel emulates an instruction before each RET. */
static int add_before_returns(struct plan *p, struct gocode_ctx *ctx, const struct gofunc *fn,
			      const struct wanted *what)
{
	struct code_point *points;
	size_t n;
	int err = gocode_returns(ctx, fn, &points, &n);

	for (size_t i = 0; !err && i < n; i++)
		err = add_point(p, fn, &points[i], NULL, what);
	free(points);
	return err == -EILSEQ ? 0 : err;
}

/* Every RET can have a stub. */
static bool stubs_at_returns(const struct plan *p, const struct gofunc *fn,
			     const struct gocode *code, const struct wanted *what)
{
	bool all = stubs_possible(p) && code->inline_rets && code->n_rets;

	for (size_t i = 0; i < code->n_rets && all; i++)
		all = !code->inline_branches[i].n && code->inline_rets[i].len >= WINDOW_MIN &&
		      may_displace(p, fn, &code->inline_rets[i], what->state_at);
	return all;
}

static int add_code(struct plan *p, const struct gofunc *fn, const struct gocode *code,
		    const struct wanted *what, bool *added)
{
	int err = 0;

	*added = code->status == CODE_OK && code->start.class != INSN_REFUSED;
	if (!*added)
		return 0;
	if (what->where == AT_ENTRY)
		return add_point(p, fn, entry_of(code),
				 what->may_inline ? &code->inline_entry : NULL, what);
	*added = stubs_at_returns(p, fn, code, what);
	for (size_t i = 0; i < code->n_rets && *added && !err; i++)
		err = add_point(p, fn, &code->rets[i], &code->inline_rets[i], what);
	return err;
}

/* *added: it has sites. */
static int add(struct plan *p, struct gocode_ctx *ctx, const struct wanted *what, bool *added)
{
	const struct gofunc *fn = gobin_func_named(p->binary, what->name);
	struct gocode code;
	int err = fn ? gocode_analyze(ctx, fn, &code) : 0;

	*added = false;
	if (!fn || err)
		return err;
	err = add_code(p, fn, &code, what, added);
	gocode_free(&code);
	return err;
}

static int add_or_say(struct plan *p, struct gocode_ctx *ctx, const struct wanted *what)
{
	bool added;
	int err = add(p, ctx, what, &added);

	if (!err && what->needed && !added)
		p->states->obstacle =
			"this program's runtime changes the status of goroutines in a "
			"way that is not known";
	return err;
}

static int add_always(struct plan *p, struct gocode_ctx *ctx, const struct wanted *what)
{
	const struct gofunc *fn = gobin_func_named(p->binary, what->name);
	bool added;

	if (what->where == AT_ENTRY)
		return add_or_say(p, ctx, what);
	int err = add(p, ctx, what, &added);
	return err || added || !fn ? err : add_before_returns(p, ctx, fn, what);
}

/* From 1.26 on entersyscall and exitsyscall change the status themselves. */
static int add_syscalls(struct plan *p, struct gocode_ctx *ctx)
{
	const int minor = gobin_go_minor(p->binary);
	bool added;

	if (minor >= 0 && minor < 26)
		return 0;
	int err = add_or_say(p, ctx, &syscall_begins);
	if (!err)
		err = add(p, ctx, &syscall_returns, &added);
	return err || added ? err : add_or_say(p, ctx, &syscall_over);
}

static struct plan_states *new_states(const struct gobin *b)
{
	struct plan_states *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	if (wait_reasons_of(b, &s->reasons))
		s->reasons.n = 0;
	s->depth[STATE_AT_PREEMPT] = STATE_DEPTH(STATE_WAITING,
						 wait_reason_named(&s->reasons, "preempted"));
	s->depth[STATE_AT_SYSCALL] = STATE_DEPTH(STATE_SYSCALL, 0);
	s->depth[STATE_AT_RUN] = STATE_DEPTH(STATE_RUNNING, 0);
	s->depth[STATE_AT_COROUTINE] = STATE_DEPTH(STATE_WAITING,
						   wait_reason_named(&s->reasons, "coroutine"));
	return s;
}

/* Would a state that changes all the time trap in a process that runs? Coroutines do not count, nor
 * a goroutine that the garbage collector has preempted: they are seldom. */
static bool would_trap(const struct plan *p)
{
	for (size_t i = 0; i < p->n_sites; i++) {
		const struct plan_site *s = &p->sites[i];

		if (s->kind == EV_STATE && s->state_at != STATE_AT_PREEMPT &&
		    strncmp(s->runtime_func, "runtime.coro", 12) != 0 && !plan_can_join(s))
			return true;
	}
	return false;
}

int plan_add_state_sites(struct plan *p, struct gocode_ctx *ctx, const struct plan_options *opt)
{
	int err = 0;

	p->states = new_states(p->binary);
	if (!p->states)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(always) / sizeof(*always) && !err; i++)
		err = add_always(p, ctx, &always[i]);
	if (!err)
		err = add_syscalls(p, ctx);
	if (!err && opt->states_if_inline && opt->running && !p->states->obstacle && would_trap(p))
		p->states->obstacle = "changes of goroutines' states would trap there";
	return err;
}
