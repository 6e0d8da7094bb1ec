// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/dwarf_scopes.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define MOST_DEPTH  1024
#define MOST_SCOPES (1u << 21)
#define MOST_RANGES (1u << 22)
#define NO_SCOPE    UINT32_MAX

struct walk {
	struct dwarf_scopes *s;
	struct dwarf_file *f;
	const struct dwarf_unit *u;
	size_t most_scopes, most_ranges;
	uint32_t
		open[MOST_DEPTH]; /* the scope of each entry whose children are read, or NO_SCOPE */
	size_t depth;
};

static uint32_t number(const struct dwarf_die *die, enum dwarf_slot slot)
{
	return dwarf_has(die, slot) && die->v[slot].u <= UINT32_MAX ? (uint32_t)die->v[slot].u : 0;
}

/* Adds the scope of an entry, if it has code. *scope is NO_SCOPE where it has none. */
static int add_scope(struct walk *w, const struct dwarf_die *die, uint64_t off, uint32_t *scope)
{
	struct dwarf_scopes *s = w->s;
	const size_t first = s->ranges.n;

	*scope = NO_SCOPE;
	if (die->tag != DW_TAG_subprogram && die->tag != DW_TAG_inlined_subroutine)
		return 0;
	if (!dwarf_ranges_add(w->f, w->u, die, &s->ranges, w->most_ranges)) {
		if (s->ranges.n >= w->most_ranges)
			return -EFBIG;
		s->ranges.n = first; /* damaged: as if it had no code */
	}
	if (s->ranges.n == first)
		return 0;
	if (s->n >= w->most_scopes)
		return -EFBIG;
	if (vec_reserve_most(&s->list, &s->cap, s->n + 1, w->most_scopes))
		return -ENOMEM;
	*scope = (uint32_t)s->n;
	s->list[s->n++] = (struct dwarf_scope){ .die_off = off,
						.first_range = (uint32_t)first,
						.n_ranges = (uint32_t)(s->ranges.n - first),
						.end = *scope + 1,
						.call_file = number(die, DIE_CALL_FILE),
						.call_line = number(die, DIE_CALL_LINE),
						.inlined = die->tag == DW_TAG_inlined_subroutine };
	return 0;
}

static void close_scope(struct walk *w)
{
	const uint32_t scope = w->open[--w->depth];

	if (scope != NO_SCOPE)
		w->s->list[scope].end = (uint32_t)w->s->n;
}

/* Types that have many entries and never code. */
static bool may_be_skipped(uint32_t tag)
{
	return tag == DW_TAG_enumeration_type || tag == DW_TAG_array_type ||
	       tag == DW_TAG_subroutine_type;
}

/* Goes to the end of an entry's children, where it is known. */
static bool skip_children(const struct walk *w, struct in *in, const uint8_t *begin,
			  const struct dwarf_die *die)
{
	uint64_t to;
	bool other;

	if (!may_be_skipped(die->tag) || !dwarf_has(die, DIE_SIBLING) ||
	    !dwarf_reference(w->u, &die->v[DIE_SIBLING], &to, &other) || other ||
	    to < w->u->off + (uint64_t)(in->p - begin) || to > w->u->end)
		return false;
	in->p = begin + (to - w->u->off);
	return true;
}

static int walk_unit(struct walk *w, const struct dwarf_abbrevs *a, const uint8_t *begin)
{
	struct in in = { begin + (w->u->die_off - w->u->off), begin + (w->u->end - w->u->off),
			 false };
	struct dwarf_die die;
	uint32_t scope;

	while (in.p < in.end) {
		const uint64_t off = w->u->off + (uint64_t)(in.p - begin);

		if (!dwarf_die_next(w->u, a, &in, &die))
			return -EBADMSG;
		if (!dwarf_bounds_step(w->f->bounds, 1 + die.n))
			return -ETIMEDOUT;
		if (!die.tag) {
			if (w->depth)
				close_scope(w);
			if (!w->depth)
				break;
			continue;
		}
		const int err = add_scope(w, &die, off, &scope);

		if (err)
			return err;
		if (!die.children || skip_children(w, &in, begin, &die))
			continue;
		if (w->depth == MOST_DEPTH)
			return -EBADMSG;
		w->open[w->depth++] = scope;
	}
	while (w->depth)
		close_scope(w);
	return 0;
}

int dwarf_scopes_read(struct dwarf_scopes *s, struct dwarf_file *f, const struct dwarf_unit *u)
{
	struct walk w = {
		.s = s,
		.f = f,
		.u = u,
		.most_scopes = dwarf_bounds_room(f->bounds, 2, sizeof(*s->list), MOST_SCOPES),
		.most_ranges = dwarf_bounds_room(f->bounds, 2, sizeof(*s->ranges.list), MOST_RANGES)
	};
	const struct dwarf_abbrevs *a = dwarf_abbrevs_of(f, u);
	const uint8_t *begin = dwarf_section_get(&f->sections.s[DWARF_INFO], u->off,
						 u->end - u->off);

	s->n = s->ranges.n = 0;
	int err = a && begin ? walk_unit(&w, a, begin) : -EBADMSG;

	if (f->bounds->over)
		err = -ETIMEDOUT;
	if (err)
		s->n = s->ranges.n = 0;
	return err;
}

void dwarf_scopes_free(struct dwarf_scopes *s)
{
	free(s->list);
	free(s->ranges.list);
	*s = (struct dwarf_scopes){ 0 };
}

size_t dwarf_scopes_bytes(const struct dwarf_scopes *s)
{
	return s->cap * sizeof(*s->list) + s->ranges.cap * sizeof(*s->ranges.list);
}

static bool has(const struct dwarf_scopes *s, const struct dwarf_scope *x, uint64_t vaddr)
{
	for (uint32_t i = 0; i < x->n_ranges; i++) {
		const struct dwarf_range *r = &s->ranges.list[x->first_range + i];

		if (vaddr >= r->low && vaddr < r->high)
			return true;
	}
	return false;
}

size_t dwarf_scopes_at(const struct dwarf_scopes *s, uint64_t vaddr,
		       const struct dwarf_scope **chain, size_t most)
{
	size_t n = 0;

	for (size_t i = 0, end = s->n; i < end;) {
		const struct dwarf_scope *x = &s->list[i];

		if (!has(s, x, vaddr)) {
			i = x->end;
			continue;
		}
		if (!x->inlined) /* a function inside of another has code of its own */
			n = 0;
		if (n < most) {
			chain[n++] = x;
		} else if (most > 1) {
			memmove(&chain[1], &chain[2], (most - 2) * sizeof(*chain));
			chain[most - 1] = x;
		}
		end = x->end;
		i++;
	}
	return n && !chain[0]->inlined ? n : 0;
}
