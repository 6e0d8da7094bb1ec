/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine code of one stub, for each kind of stub. Private to core/plan. */
#ifndef GOTRACE_STUB_CODE_H
#define GOTRACE_STUB_CODE_H

#include "plan/plan.h"

/* What a stub consists of: bytes from its start, where the jump in the text enters it. */
struct stub_layout {
	unsigned displaced_at; /* the displaced instructions */
	unsigned probe_at;     /* the probed instruction */
	unsigned one_page_len; /* bytes from probe_at on that must lie in one page; 0: any */
	unsigned jump_back_at;
	unsigned bytes; /* of the whole stub */
};

/* The layout of the stub that s has. 0, or -EBADMSG or -EINVAL where it cannot be written. */
int stub_code_layout(const struct plan *p, const struct plan_site *s, struct stub_layout *out);

/* The same for the stub that branches to s, a RET, go to. */
int stub_code_layout_branches(const struct plan *p, const struct plan_site *s,
			      struct stub_layout *out);

/* The same for the code that is moved to make room. */
int stub_code_layout_room(const struct plan *p, const struct plan_room *room,
			  struct stub_layout *out);

/* Writes the stubs that s has into p->stubs.code, at s->stub.enter_off and branches_enter_off. 0,
 * or -EBADMSG when the file does not hold the bytes to displace. */
int stub_code_write(struct plan *p, const struct plan_site *s);
/* The same for the code that is moved to make room, at room->enter_off. */
int stub_code_write_room(struct plan *p, const struct plan_room *room);

#endif
