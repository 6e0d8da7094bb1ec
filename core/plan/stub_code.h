/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine code of one stub, for each kind of stub. Private to core/plan. */
#ifndef GOTRACE_STUB_CODE_H
#define GOTRACE_STUB_CODE_H

#include "plan/plan.h"

/* The parts of a stub, by their offsets from its start. The jump in the text enters it there. */
struct stub_layout {
	unsigned displaced_at; /* the displaced instructions */
	unsigned probe_at;     /* the probed instruction */
	unsigned one_page_len; /* bytes from probe_at on that must lie in one page, 0 for any */
	unsigned jump_back_at;
	unsigned bytes; /* size of the whole stub */
};

/* Computes the layout of the stub of s. Returns 0, or -EBADMSG or -EINVAL when it cannot be
 * written. */
int stub_code_layout(const struct plan *p, const struct plan_site *s, struct stub_layout *out);

/* Does as stub_code_layout for the stub of the branches to s, a RET. */
int stub_code_layout_branches(const struct plan *p, const struct plan_site *s,
			      struct stub_layout *out);

/* Does as stub_code_layout for the code that is moved to make room. */
int stub_code_layout_room(const struct plan *p, const struct plan_room *room,
			  struct stub_layout *out);

/* Writes the stubs of s into p->stubs.code, at s->stub.enter_off and branches_enter_off. Returns 0,
 * or -EBADMSG when the file does not hold the bytes to displace. */
int stub_code_write(struct plan *p, const struct plan_site *s);
/* Does as stub_code_write for the code that is moved to make room, at room->enter_off. */
int stub_code_write_room(struct plan *p, const struct plan_room *room);

#endif
