/* SPDX-License-Identifier: BSD-2-Clause */
/* Room for jumps to stubs where no padding is near. Other code of the function moves to a stub of
 * its own. Private to core/plan. */
#ifndef GOTRACE_INLINE_ROOM_H
#define GOTRACE_INLINE_ROOM_H

#include "binary/gocode.h"
#include "plan/inline_stub.h"
#include "plan/plan.h"

/* Takes five bytes of a room of fn that a jump of two bytes at `vaddr` in fn reaches. *place is
 * their address, or 0 when there are none. *room is the room's index. Returns 0 or -ENOMEM. */
int inline_take_room(struct plan *p, const struct gofunc *fn, const struct gocode *code,
		     uint64_t vaddr, uint64_t *place, uint32_t *room);

/* Describes the stub of a room in the terms of inline_stub.h. *out borrows the file's bytes.
 * Returns 0, or -EBADMSG when the file does not hold them. */
int inline_describe_room(const struct plan *p, const struct plan_room *room,
			 struct inline_stub *out);

#endif
