// SPDX-License-Identifier: BSD-2-Clause
#include "plan/inline_regions.h"

#define JMP_BYTES 5

struct list {
	struct shape *shape;
	unsigned n;
};

static void add(struct list *l, struct region r)
{
	l->shape->regions[l->n++] = r;
}

static bool calls(const struct inline_stub *s)
{
	return s->n_fixes && s->fixes[s->n_fixes - 1].kind == INLINE_FIX_CALL;
}

/* Displaced bytes from `first` to `tail`: they are where they were in the text, only that the text
 * has a jump there now. Then what pushes a return address: the call has not been made. */
static void add_displaced(struct list *l, const struct inline_stub *s, unsigned first,
			  unsigned tail, unsigned jumps)
{
	if (tail > first)
		add(l, (struct region){ .end = tail,
					.resume = RESUME_HERE,
					.show = SHOW_MOVING,
					.shown = -(int)first });
	if (calls(s))
		add(l, (struct region){ .end = jumps,
					.resume = RESUME_HERE,
					.show = SHOW_FIXED,
					.shown = s->len - JMP_BYTES });
}

/* The part that makes the event: until it is published, it starts again as `again` has it. */
static void add_record(struct list *l, const struct inline_parts *o, uint8_t undo,
		       struct region again)
{
	struct region r = again;

	r.end = o->saved;
	add(l, r);
	r.undo = undo | UNDO_OURS;
	r.end = o->ring;
	add(l, r);
	r.undo |= UNDO_RING;
	r.end = o->done;
	add(l, r);
}

/* Its other half, at the end of the stub; what follows `counted` is as `after` the record. */
static void add_cold(struct list *l, const struct inline_program *p, const struct inline_stub *s,
		     const struct inline_parts *o, struct region again, struct region after)
{
	const bool drops = p->drop && !inline_is_needed(s);

	again.undo = after.undo | UNDO_OURS | UNDO_RING;
	again.end = drops ? o->counted : o->end;
	add(l, again);
	if (drops) {
		after.end = o->end;
		add(l, after);
	}
}

static void early(struct list *l, const struct inline_program *p, const struct inline_stub *s,
		  const struct inline_parts *o)
{
	uint8_t undo = UNDO_RAX | (s->keeps_rdx ? UNDO_RDX : 0);
	struct region again = { .resume = RESUME_TEXT },
		      after = { .undo = undo, .resume = RESUME_STUB, .at = o->compare };
	unsigned push = o->probes[0] - o->slow_tail;

	add_record(l, o, undo, again);
	after.end = o->displaced;
	add(l, after);
	add_displaced(l, s, o->displaced, o->tail, o->tail + push);
	add(l, (struct region){ .end = o->slow, .resume = RESUME_TEXT, .show = SHOW_TARGET });
	again.undo = undo;
	/* The first displaced instruction has not been executed yet: that counts as before it. */
	again.end = o->slow_displaced + 1;
	add(l, again);
	add_displaced(l, s, o->slow_displaced, o->slow_tail, o->probes[0]);
	add(l, (struct region){ .end = o->context, .resume = RESUME_HERE, .show = SHOW_TARGET });
	add_cold(l, p, s, o, again, after);
}

/* As early, but pc is shown at the RET that the stub has instead of the text. */
static void returning(struct list *l, const struct inline_program *p, const struct inline_stub *s,
		      const struct inline_parts *o)
{
	uint8_t undo = UNDO_RAX | (s->keeps_rdx ? UNDO_RDX : 0);
	struct region again = { .resume = RESUME_TEXT },
		      after = { .undo = undo, .resume = RESUME_STUB, .at = o->tail };

	add_record(l, o, undo, again);
	after.end = o->tail;
	add(l, after);
	add(l, (struct region){ .end = o->slow, .resume = RESUME_HERE });
	again.undo = undo;
	again.end = o->context;
	add(l, again);
	add_cold(l, p, s, o, again, after);
}

static void late(struct list *l, const struct inline_program *p, const struct inline_stub *s,
		 const struct inline_parts *o)
{
	uint8_t undo = UNDO_RAX | (s->keeps_rdx ? UNDO_RDX : 0);
	struct region again = { .resume = RESUME_STUB, .at = o->record, .shown = s->len },
		      after = { .undo = undo, .resume = RESUME_TEXT, .shown = s->len };

	/* Nothing has been done yet. But a branch that came here is not in the text any more. */
	if (s->len)
		add(l, (struct region){ .end = 1, .resume = RESUME_TEXT });
	add_displaced(l, s, 0, o->record, 0);
	add_record(l, o, undo, again);
	after.end = o->slow;
	add(l, after);
	again.undo = undo;
	again.end = o->slow_tail;
	add(l, again);
	add(l, (struct region){ .end = o->context, .resume = RESUME_HERE, .show = SHOW_TARGET });
	add_cold(l, p, s, o, again, after);
}

static void bare(struct list *l, const struct inline_stub *s, const struct inline_parts *o)
{
	add(l, (struct region){ .end = 1, .resume = RESUME_TEXT });
	add_displaced(l, s, 0, o->slow_tail, o->probes[0]);
	add(l, (struct region){ .end = o->end, .resume = RESUME_HERE, .show = SHOW_TARGET });
}

unsigned inline_regions(const struct inline_program *p, const struct inline_stub *s,
			const struct inline_parts *parts, struct shape *out)
{
	struct list l = { .shape = out };

	out->slow = parts->slow;
	if (s->bare)
		bare(&l, s, parts);
	else if (s->late)
		late(&l, p, s, parts);
	else if (s->returns)
		returning(&l, p, s, parts);
	else
		early(&l, p, s, parts);
	add(&l, (struct region){ .end = UINT16_MAX, .resume = RESUME_NONE });
	return l.n;
}
