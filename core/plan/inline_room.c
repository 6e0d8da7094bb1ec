// SPDX-License-Identifier: BSD-2-Clause
#include "plan/inline_room.h"

#include <errno.h>

#include "base/vec.h"
#include "plan/inline_fixes.h"
#include "plan/inline_padding.h"

#define JMP_BYTES 5

/* The room at vaddr, which some site of the function that is planned needs; n_rooms: none does. */
static size_t room_at(const struct plan_stubs *t, const struct gofunc *fn, uint64_t vaddr)
{
	for (size_t i = t->n_rooms; i-- > 0 && t->rooms[i].vaddr >= fn->vaddr;)
		if (t->rooms[i].vaddr == vaddr)
			return i;
	return t->n_rooms;
}

static struct plan_room room_of(const struct gofunc *fn, const struct code_window *w)
{
	struct plan_room r = {
		.vaddr = fn->vaddr + w->off,
		.len = w->len,
		.n_rip = w->n_relative_offs,
		.n_jumps = w->n_jump_offs,
	};

	for (uint8_t i = 0; i < w->n_relative_offs; i++)
		r.rip[i] = (uint8_t)(w->relative_offs[i] - w->off);
	for (uint8_t i = 0; i < w->n_jump_offs; i++)
		r.jumps[i] = (uint8_t)(w->jump_offs[i] - w->off);
	return r;
}

int inline_take_room(struct plan *p, const struct gofunc *fn, const struct gocode *code,
		     uint64_t vaddr, uint64_t *place, uint32_t *room)
{
	struct plan_stubs *t = &p->stubs;

	*place = 0;
	for (size_t i = 0; i < code->n_inline_rooms; i++) {
		const struct code_window *w = &code->inline_rooms[i];
		const size_t is = room_at(t, fn, fn->vaddr + w->off);
		const uint8_t used = is < t->n_rooms ? t->rooms[is].n_used : 0;
		const uint64_t at = fn->vaddr + w->off + JMP_BYTES * (1u + used);

		if (at + JMP_BYTES > fn->vaddr + w->off + w->len ||
		    !inline_padding_reached(vaddr, at))
			continue;
		if (is == t->n_rooms) {
			if (vec_reserve(&t->rooms, &t->cap_rooms, t->n_rooms + 1))
				return -ENOMEM;
			t->rooms[t->n_rooms++] = room_of(fn, w);
		}
		t->rooms[is].n_used++;
		*room = (uint32_t)is;
		*place = at;
		return 0;
	}
	return 0;
}

int inline_describe_room(const struct plan *p, const struct plan_room *room,
			 struct inline_stub *out)
{
	*out = (struct inline_stub){
		.bare = true,
		.window = room->vaddr,
		.displaced = gobin_bytes(p->binary, room->vaddr, room->len),
		.len = room->len,
		.back = room->vaddr + room->len,
	};
	if (!out->displaced)
		return -EBADMSG;
	inline_add_fixes(out, room->rip, room->n_rip, room->jumps, room->n_jumps);
	return 0;
}
