// SPDX-License-Identifier: BSD-2-Clause
/* The meaning of attributes: strings, addresses, references and ranges. */
#include <dwarf.h>

#include "base/vec.h"
#include "symbols/dwarf_die.h"

static const char *string_by_index(struct dwarf_file *f, const struct dwarf_unit *u, uint64_t i)
{
	uint64_t off;

	if (i > UINT32_MAX ||
	    !dwarf_section_number(&f->sections.s[DWARF_STR_OFFSETS],
				  u->str_offsets_base + i * u->offset_bytes, u->offset_bytes, &off))
		return NULL;
	return dwarf_section_string(&f->sections.s[DWARF_STR], off);
}

const char *dwarf_string(struct dwarf_file *f, struct dwarf_file *other, const struct dwarf_unit *u,
			 const struct dwarf_value *v)
{
	switch (v->form) {
	case DW_FORM_string:
		return v->s;
	case DW_FORM_strp:
		return dwarf_section_string(&f->sections.s[DWARF_STR], v->u);
	case DW_FORM_line_strp:
		return dwarf_section_string(&f->sections.s[DWARF_LINE_STR], v->u);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return other ? dwarf_section_string(&other->sections.s[DWARF_STR], v->u) : NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return string_by_index(f, u, v->u);
	}
	return NULL;
}

static bool address_by_index(struct dwarf_file *f, const struct dwarf_unit *u, uint64_t i,
			     uint64_t *address)
{
	return i <= UINT32_MAX &&
	       dwarf_section_number(&f->sections.s[DWARF_ADDR], u->addr_base + i * 8, 8, address);
}

bool dwarf_address(struct dwarf_file *f, const struct dwarf_unit *u, const struct dwarf_value *v,
		   uint64_t *address)
{
	switch (v->form) {
	case DW_FORM_addr:
		*address = v->u;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return address_by_index(f, u, v->u, address);
	}
	return false;
}

bool dwarf_reference(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *off,
		     bool *in_other)
{
	*in_other = false;
	*off = v->u;
	switch (v->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		*off += u->off;
		return v->u < u->end - u->off;
	case DW_FORM_ref_addr:
		return true;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		*in_other = true;
		return true;
	}
	return false;
}

/* ---- ranges */

struct adding {
	struct dwarf_file *f;
	const struct dwarf_unit *u;
	struct dwarf_ranges *r;
	size_t most;
	uint64_t base;
};

/* Linkers give code that they removed the address 0, or one of the last. */
static bool add(struct adding *a, uint64_t low, uint64_t high)
{
	if (!low || low >= high || low >= UINT64_MAX - 1)
		return true;
	if (a->r->n >= a->most || vec_reserve_most(&a->r->list, &a->r->cap, a->r->n + 1, a->most))
		return false;
	a->r->list[a->r->n++] = (struct dwarf_range){ low, high };
	return true;
}

#define MOST_ENTRIES (1u << 20)

/* .debug_ranges (DWARF 4, 2.17.3) */
static bool add_old_list(struct adding *a, uint64_t off)
{
	struct dwarf_section *s = &a->f->sections.s[DWARF_RANGES];

	for (uint32_t i = 0; i < MOST_ENTRIES; i++, off += 16) {
		const uint8_t *p = dwarf_section_get(s, off, 16);
		struct in in = { p, p ? p + 16 : NULL, !p };
		const uint64_t low = get(&in, 8), high = get(&in, 8);

		if (in.bad)
			return false;
		if (!low && !high)
			return true;
		if (low == UINT64_MAX)
			a->base = high;
		else if (low < high && !add(a, a->base + low, a->base + high))
			return false;
	}
	return false;
}

/* An entry of .debug_rnglists (7.25). *end is set at the last one. */
static bool add_entry(struct adding *a, struct in *in, bool *end)
{
	uint64_t x = 0, y = 0;
	bool found = true;

	switch (get(in, 1)) {
	case DW_RLE_end_of_list:
		*end = true;
		return !in->bad;
	case DW_RLE_base_addressx:
		return address_by_index(a->f, a->u, get_leb(in, false), &a->base) && !in->bad;
	case DW_RLE_startx_endx:
		found = address_by_index(a->f, a->u, get_leb(in, false), &x) &&
			address_by_index(a->f, a->u, get_leb(in, false), &y);
		break;
	case DW_RLE_startx_length:
		found = address_by_index(a->f, a->u, get_leb(in, false), &x);
		y = x + get_leb(in, false);
		break;
	case DW_RLE_offset_pair:
		x = a->base + get_leb(in, false);
		y = a->base + get_leb(in, false);
		if (!a->base) /* of code that was removed */
			return !in->bad;
		break;
	case DW_RLE_base_address:
		a->base = get(in, 8);
		return !in->bad;
	case DW_RLE_start_end:
		x = get(in, 8);
		y = get(in, 8);
		break;
	case DW_RLE_start_length:
		x = get(in, 8);
		y = x + get_leb(in, false);
		break;
	default:
		return false;
	}
	return found && !in->bad && add(a, x, y);
}

#define ENTRY_BYTES 32 /* none is longer */

static bool add_list(struct adding *a, uint64_t off)
{
	struct dwarf_section *s = &a->f->sections.s[DWARF_RNGLISTS];
	bool end = false;

	for (uint32_t i = 0; i < MOST_ENTRIES && !end; i++) {
		size_t got = 0;
		const uint8_t *p = dwarf_section_some(s, off, ENTRY_BYTES, &got);
		struct in in = { p, p ? p + got : NULL, !p };

		if (!p || !add_entry(a, &in, &end))
			return false;
		off += (uint64_t)(in.p - p);
	}
	return end;
}

static bool add_lists(struct adding *a, const struct dwarf_value *v)
{
	uint64_t off = v->u;

	if (a->u->version < 5)
		return add_old_list(a, off);
	if (v->form != DW_FORM_rnglistx)
		return add_list(a, off);
	return v->u <= UINT32_MAX &&
	       dwarf_section_number(&a->f->sections.s[DWARF_RNGLISTS],
				    a->u->rnglists_base + v->u * a->u->offset_bytes,
				    a->u->offset_bytes, &off) &&
	       add_list(a, a->u->rnglists_base + off);
}

bool dwarf_ranges_add(struct dwarf_file *f, const struct dwarf_unit *u, const struct dwarf_die *die,
		      struct dwarf_ranges *r, size_t most)
{
	struct adding a = { f, u, r, most, u->low_pc };
	uint64_t low, high;

	if (dwarf_has(die, DIE_RANGES))
		return add_lists(&a, &die->v[DIE_RANGES]);
	if (!dwarf_has(die, DIE_LOW_PC) || !dwarf_has(die, DIE_HIGH_PC))
		return true;
	const struct dwarf_value *h = &die->v[DIE_HIGH_PC];

	if (!dwarf_address(f, u, &die->v[DIE_LOW_PC], &low))
		return false;
	if (!dwarf_address(f, u, h, &high))
		high = low + h->u;
	return add(&a, low, high);
}
