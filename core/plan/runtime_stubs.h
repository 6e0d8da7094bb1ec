/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inline stubs inside the Go runtime. It is never preempted by a signal there (wantAsyncPreempt,
 * preempt.go, refuses a pc of the runtime), so nothing but the hook comes between, as elsewhere.
 * They write nothing below rsp: stacks have no room to spare. All at once that is special is whose
 * the P is: inline_stub_code.S. Where the ring cannot be written the probed jump takes over, behind
 * the displaced bytes: where its BPF program reads registers these must leave them as they are.
 */
#ifndef GOTRACE_PLAN_RUNTIME_STUBS_H
#define GOTRACE_PLAN_RUNTIME_STUBS_H

#include "binary/gocode.h"
#include "plan/plan.h"

/* Whether the plan may have any. */
bool runtime_stubs_possible(const struct plan *p);

/* Whether one may be in place of the window. */
bool runtime_stub_may_displace(const struct code_window *w);

/* Likewise, where registers that hold arguments or results are needed behind the window. */
bool runtime_stub_keeps_registers(const struct plan *p, const struct gofunc *fn,
				  const struct code_window *w);

/* Gives s, of a kind that every trace needs, an inline stub if it can have one. w: the window
 * before the probed instruction, or behind it. 0 or -ENOMEM. */
int runtime_stub_give(struct plan *p, struct plan_site *s, const struct gofunc *fn,
		      const struct code_window *w);

#endif
