/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the sites that get an inline stub. Holds the parts that all inline stubs share. Private
 * to core/plan. */
#ifndef GOTRACE_INLINE_SITES_H
#define GOTRACE_INLINE_SITES_H

#include "binary/gocode.h"
#include "plan/inline_stub.h"
#include "plan/plan.h"

/* Returns true when this binary can have inline stubs. Otherwise it sets p->stubs.inl.obstacle to
 * the reason, and the stubs are those of springboard. */
bool inline_possible(struct plan *p, const struct plan_inline_options *opt);

/* Returns true when functions like f get inline stubs. Those of package syscall get none. They run
 * while the P may be another thread's, and in the child of a vfork, in the parent's memory. */
bool inline_allowed(const struct plan *p, const struct plan_func *f);

/* Gives s an inline stub, or sets s->stub.why to the reason for none. The event of s can be written
 * at the window w of its function. `code` is the function's code. Where the window is short, other
 * parts of it may be moved. With NULL none is moved. `at_return` means right before a RET. Returns
 * 0 or -ENOMEM. */
int inline_give_stub(struct plan *p, struct plan_site *s, const struct code_window *w,
		     const struct gocode *code, bool at_return);

/* Does as inline_give_stub for s, the RET that its function ends with. The stub returns in its
 * place, and padding after it makes room for the jump. Another tool may put a breakpoint on the RET
 * later. The thread then executes the RET as the file has it, and there is no event. Returns 0 or
 * -ENOMEM. */
int inline_give_ret(struct plan *p, struct plan_site *s);

/* Does as inline_give_stub for s, the RET code->rets[ret]. All calls come to it by branches to it,
 * or right before it, or through its window. Another tool may put a breakpoint on such a branch
 * later. While it is there, the thread executes the branch as the file has it, and there is no
 * event. Returns 0 or -ENOMEM. */
int inline_give_branches(struct plan *p, struct plan_site *s, const struct gocode *code,
			 size_t ret);

/* Describes the stub of s in the terms of inline_stub.h. *out borrows the file's bytes. Returns 0,
 * or -EBADMSG when the file does not hold them. */
int inline_describe(const struct plan *p, const struct plan_site *s, struct inline_stub *out);
/* Describes the stub that the branches to s go to. */
struct inline_stub inline_describe_branches(const struct plan_site *s);
struct inline_program inline_program_of(const struct plan *p);

/* Computes the hook that comes after `stubs_bytes` of stubs. *bytes is its size, which does not
 * depend on addresses. With `code` it writes the hook there. Returns 0, -ENOMEM, -EBADMSG or
 * -ERANGE. */
int inline_add_hook(struct plan *p, uint64_t stubs_bytes, uint8_t *code, size_t *bytes);

#endif
