/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inline stubs inside the Go runtime. A signal never preempts it there, because wantAsyncPreempt
 * (preempt.go) refuses a pc of the runtime. So only the hook comes between, as elsewhere. These
 * stubs write nothing below rsp, because stacks have no room to spare. Their one peculiarity is the
 * owner of the P (inline_stub_code.S). When a stub cannot write the ring, the probed jump takes
 * over, behind the displaced bytes. If its BPF program reads registers, the displaced bytes must
 * not change them.
 */
#ifndef GOTRACE_PLAN_RUNTIME_STUBS_H
#define GOTRACE_PLAN_RUNTIME_STUBS_H

#include "binary/gocode.h"
#include "plan/plan.h"

/* Returns true when the plan may have any. */
bool runtime_stubs_possible(const struct plan *p);

/* Returns true when such a stub may be in place of the window. */
bool runtime_stub_may_displace(const struct code_window *w);

/* Returns the same as runtime_stub_may_displace, for a probe that needs registers with arguments or
 * results behind the window. */
bool runtime_stub_keeps_registers(const struct plan *p, const struct gofunc *fn,
				  const struct code_window *w);

/* Gives s, of a kind that every trace needs, an inline stub if it can have one. w is the window
 * before the probed instruction, or behind it. Returns 0 or -ENOMEM. */
int runtime_stub_give(struct plan *p, struct plan_site *s, const struct gofunc *fn,
		      const struct code_window *w);

#endif
