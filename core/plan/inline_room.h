/* SPDX-License-Identifier: BSD-2-Clause */
/* Room for jumps to stubs where no padding is near: other code of the function goes to a stub of
 * its own. Private to core/plan. */
#ifndef GOTRACE_INLINE_ROOM_H
#define GOTRACE_INLINE_ROOM_H

#include "binary/gocode.h"
#include "plan/inline_stub.h"
#include "plan/plan.h"

/* Five bytes of a room of fn that a jump of two bytes at `vaddr` in it reaches: taken from now on.
 * *place: their address, 0 when there are none; *room: index of the room. 0 or -ENOMEM. */
int inline_take_room(struct plan *p, const struct gofunc *fn, const struct gocode *code,
		     uint64_t vaddr, uint64_t *place, uint32_t *room);

/* The stub of a room in the terms of inline_stub.h; borrows the file's bytes. 0, or -EBADMSG when
 * the file does not hold them. */
int inline_describe_room(const struct plan *p, const struct plan_room *room,
			 struct inline_stub *out);

#endif
