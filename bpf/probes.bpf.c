// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The probes: one program for entries, one for exits, one for the few sites
 * inside the Go runtime that every trace needs. A site's cookie holds all that a
 * program must know about it, so three programs do for any number of functions.
 *
 * Each program exists twice: for uprobe_multi links (89ae89f53d20, Linux 6.6) and for perf
 * events; the attach type is part of the program, user space loads one set.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "arch.bpf.h"
#include "bpf/event.h"
#include "bpf/hit.bpf.h"
#include "bpf/goruntime.bpf.h"
#include "bpf/values.bpf.h"

/* ---- calls */

/* On the branch of a stack check that is taken: morestack runs and the function starts over. */
static __always_inline int starts_over(struct pt_regs *ctx, uint64_t cookie)
{
	return (COOKIE_FLAGS(cookie) & COOKIE_CHECK_JCC) && check_is_taken(ctx);
}

/* The hot path, entries and exits alike. */
static __always_inline void record_call(struct pt_regs *ctx, uint64_t cookie, int values)
{
	struct hit h;
	struct event *e;

	if (hit_locate(ctx, cookie, &h))
		return;
	if (values && (COOKIE_FLAGS(cookie) & COOKIE_VALUES)) {
		record_values(ctx, cookie, &h);
		return;
	}
	e = reserve(&h, sizeof(*e));
	if (e)
		submit(e, &h, cookie, COOKIE_KIND(cookie));
}

/*
 * One hit. The event is recorded first; whether the RET is performed does not depend on it.
 * RETs of other processes are left to the kernel: the target has no shadow stack, but they may.
 */
static __always_inline int on_hit(struct pt_regs *ctx, int runtime, int values)
{
	uint64_t cookie = bpf_get_attach_cookie(ctx);

	if (starts_over(ctx, cookie) || (config.filter && !in_target()))
		return 0;
	if (may_record(ctx, runtime)) {
		if (runtime)
			record_runtime(ctx, cookie);
		else
			record_call(ctx, cookie, values);
	}
	if (config.rets == RETS_PERFORMED && (COOKIE_FLAGS(cookie) & COOKIE_RET) &&
	    !has_returned(ctx, cookie))
		perform_ret(ctx);
	return 0;
}

/* ---- the programs */

/* "?": loaded only when user space asks for it. */
SEC("?uprobe.multi") int entry_multi(struct pt_regs *ctx)
{
	return on_hit(ctx, 0, 0);
}
SEC("?uprobe.multi") int exit_multi(struct pt_regs *ctx)
{
	return on_hit(ctx, 0, 0);
}
SEC("?uprobe.multi") int runtime_multi(struct pt_regs *ctx)
{
	return on_hit(ctx, 1, 0);
}

SEC("?uprobe") int entry_perf(struct pt_regs *ctx)
{
	return on_hit(ctx, 0, 0);
}
SEC("?uprobe") int exit_perf(struct pt_regs *ctx)
{
	return on_hit(ctx, 0, 0);
}
SEC("?uprobe") int runtime_perf(struct pt_regs *ctx)
{
	return on_hit(ctx, 1, 0);
}

/* Instead of the first two of a set, when arguments or results are to be read. */
SEC("?uprobe.multi") int entry_values_multi(struct pt_regs *ctx)
{
	return on_hit(ctx, 0, 1);
}
SEC("?uprobe.multi") int exit_values_multi(struct pt_regs *ctx)
{
	return on_hit(ctx, 0, 1);
}
SEC("?uprobe") int entry_values_perf(struct pt_regs *ctx)
{
	return on_hit(ctx, 0, 1);
}
SEC("?uprobe") int exit_values_perf(struct pt_regs *ctx)
{
	return on_hit(ctx, 0, 1);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
