/* SPDX-License-Identifier: BSD-2-Clause */
/* Which sites get an inline stub, and what they have in common. Private to core/plan. */
#ifndef GOTRACE_INLINE_SITES_H
#define GOTRACE_INLINE_SITES_H

#include "binary/gocode.h"
#include "plan/inline_stub.h"
#include "plan/plan.h"

/* Whether this binary can have inline stubs; else p->stubs.inl.obstacle is the reason, and the
 * stubs are springboard's. */
bool inline_possible(struct plan *p, const struct plan_inline_options *opt);

/* Whether functions like f get inline stubs: not package syscall's, which run while the P may be
 * another thread's, and in the child of a vfork, in the parent's memory. */
bool inline_allowed(const struct plan *p, const struct plan_func *f);

/* Gives s, whose event can be written at the window w of its function, an inline stub, or sets
 * s->stub.why to the reason why not. `code`: of the function, other code of which may be moved
 * where the window is short; NULL: that stays. `at_return`: right before a RET. 0 or -ENOMEM. */
int inline_give_stub(struct plan *p, struct plan_site *s, const struct code_window *w,
		     const struct gocode *code, bool at_return);

/* The same for s, the RET that its function ends with: the stub returns in its place, and padding
 * after it makes room for the jump. A breakpoint that somebody else puts on the RET later has the
 * RET executed as the file has it: no event. 0 or -ENOMEM. */
int inline_give_ret(struct plan *p, struct plan_site *s);

/* The same for s, the RET code->rets[ret], which all calls come to by branches, to it or right
 * before it, or through its window. A breakpoint that somebody else puts on such a branch later has
 * it executed as the file has it, for as long as it is there: no event. 0 or -ENOMEM. */
int inline_give_branches(struct plan *p, struct plan_site *s, const struct gocode *code,
			 size_t ret);

/* The stub of s in the terms of inline_stub.h; borrows the file's bytes. 0, or -EBADMSG when the
 * file does not hold them. */
int inline_describe(const struct plan *p, const struct plan_site *s, struct inline_stub *out);
/* The same for the one that branches to s go to. */
struct inline_stub inline_describe_branches(const struct plan_site *s);
struct inline_program inline_program_of(const struct plan *p);

/* The hook that comes after `stubs_bytes` of stubs: how many *bytes it takes, which does not depend
 * on addresses; with `code`, written there. 0, -ENOMEM, -EBADMSG or -ERANGE. */
int inline_add_hook(struct plan *p, uint64_t stubs_bytes, uint8_t *code, size_t *bytes);

#endif
