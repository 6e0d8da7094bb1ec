// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/dwarf_die.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"

#define MOST_UNITS   (1u << 20)
#define MOST_ABBREVS (1u << 16)
#define MOST_SPECS   (1u << 20)
#define TABLE_BYTES  (4u << 20)
#define NOT_KEPT     UINT16_MAX
#define ABBREVS_PART 4 /* of the memory that a file may take */

/* ---- units */

static bool unit_header(struct in *in, uint64_t off, struct dwarf_unit *u)
{
	const uint8_t *begin = in->p;
	uint64_t length = get(in, 4);
	uint8_t type = DW_UT_compile;

	*u = (struct dwarf_unit){ .off = off, .offset_bytes = 4 };
	if (length == UINT32_MAX) {
		length = get(in, 8);
		u->offset_bytes = 8;
	}
	if (length > INT64_MAX)
		return false;
	u->end = off + (uint64_t)(in->p - begin) + length;
	u->version = (uint8_t)get(in, 2);
	if (u->version >= 5) {
		type = (uint8_t)get(in, 1);
		u->address_bytes = (uint8_t)get(in, 1);
	}
	u->abbrev_off = get(in, u->offset_bytes);
	if (u->version < 5)
		u->address_bytes = (uint8_t)get(in, 1);
	if (type == DW_UT_skeleton || type == DW_UT_split_compile)
		skip(in, 8);
	else if (type == DW_UT_type || type == DW_UT_split_type)
		skip(in, 8 + u->offset_bytes);
	u->die_off = off + (uint64_t)(in->p - begin);
	return !in->bad && u->end > u->die_off;
}

static bool is_read(const struct dwarf_unit *u)
{
	return u->version >= 2 && u->version <= 5 && u->address_bytes == 8;
}

/* Units of another version, or of 32 bits, are left out. */
static int read_units(struct dwarf_file *f)
{
	const uint64_t size = f->any.size;
	uint64_t off = 0;

	const size_t most = dwarf_bounds_room(f->bounds, 2, sizeof(*f->units), MOST_UNITS);

	while (off < size && f->n_units < most) {
		struct dwarf_unit u;
		size_t got;
		const uint8_t *p = dwarf_section_some(&f->any, off, 48, &got);
		struct in in = { p, p ? p + got : NULL, !p };

		if (!unit_header(&in, off, &u) || u.end > size)
			break;
		off = u.end;
		if (!is_read(&u))
			continue;
		if (vec_reserve_most(&f->units, &f->cap_units, f->n_units + 1, most))
			return -ENOMEM;
		f->units[f->n_units++] = u;
	}
	return f->bounds->over ? -ETIMEDOUT : f->n_units ? 0 : -ENOENT;
}

int dwarf_file_open(struct dwarf_file *f, int fd, struct dwarf_bounds *bounds)
{
	*f = (struct dwarf_file){ .bounds = bounds };
	int err = dwarf_sections_open(&f->sections, fd, bounds);

	if (!err) {
		f->any = f->sections.s[DWARF_INFO];
		err = read_units(f);
	}
	if (err)
		dwarf_file_close(f);
	return err;
}

static void free_abbrevs(struct dwarf_abbrevs *a)
{
	free(a->list);
	free(a->specs);
	*a = (struct dwarf_abbrevs){ 0 };
}

void dwarf_file_close(struct dwarf_file *f)
{
	for (size_t i = 0; i < DWARF_ABBREVS; i++)
		free_abbrevs(&f->abbrevs[i]);
	free(f->any.window);
	free(f->units);
	dwarf_sections_close(&f->sections);
	f->units = NULL;
	f->n_units = f->cap_units = 0;
	f->any = (struct dwarf_section){ 0 };
}

static size_t abbrevs_bytes(const struct dwarf_abbrevs *a)
{
	return a->cap * sizeof(*a->list) + a->cap_specs * sizeof(*a->specs);
}

size_t dwarf_file_bytes(const struct dwarf_file *f)
{
	size_t n = dwarf_sections_bytes(&f->sections) + f->any.cap +
		   f->cap_units * sizeof(*f->units);

	for (size_t i = 0; i < DWARF_ABBREVS; i++)
		n += abbrevs_bytes(&f->abbrevs[i]);
	return n;
}

const struct dwarf_unit *dwarf_unit_at(const struct dwarf_file *f, uint64_t off)
{
	size_t lo = 0, hi = f->n_units;

	while (lo < hi) { /* the first above off */
		size_t mid = lo + (hi - lo) / 2;

		if (f->units[mid].off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && off >= f->units[lo - 1].die_off && off < f->units[lo - 1].end
		       ? &f->units[lo - 1]
		       : NULL;
}

/* ---- abbreviations (7.5.3) */

static uint16_t slot_of(uint64_t attribute)
{
	switch (attribute) {
	case DW_AT_name:
		return DIE_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return DIE_LINKAGE_NAME;
	case DW_AT_abstract_origin:
		return DIE_ORIGIN;
	case DW_AT_specification:
		return DIE_SPECIFICATION;
	case DW_AT_low_pc:
		return DIE_LOW_PC;
	case DW_AT_high_pc:
		return DIE_HIGH_PC;
	case DW_AT_ranges:
		return DIE_RANGES;
	case DW_AT_call_file:
		return DIE_CALL_FILE;
	case DW_AT_call_line:
		return DIE_CALL_LINE;
	case DW_AT_decl_file:
		return DIE_DECL_FILE;
	case DW_AT_decl_line:
		return DIE_DECL_LINE;
	case DW_AT_stmt_list:
		return DIE_LINES;
	case DW_AT_comp_dir:
		return DIE_FOLDER;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return DIE_ADDR_BASE;
	case DW_AT_rnglists_base:
		return DIE_RNGLISTS_BASE;
	case DW_AT_str_offsets_base:
		return DIE_STR_OFFSETS_BASE;
	case DW_AT_sibling:
		return DIE_SIBLING;
	}
	return NOT_KEPT;
}

/* 0, or -EBADMSG, of which in->bad tells that bytes are missing, or -ENOMEM. */
static int read_abbrev(struct dwarf_abbrevs *a, struct in *in, uint64_t code, size_t most_specs)
{
	struct dwarf_abbrev x = { .code = code, .first = (uint32_t)a->n_specs };

	x.tag = (uint32_t)get_leb(in, false);
	x.children = get(in, 1);
	for (;;) {
		const uint64_t attribute = get_leb(in, false), form = get_leb(in, false);
		const int64_t implicit = form == DW_FORM_implicit_const ? (int64_t)get_leb(in, true)
									: 0;

		if (in->bad || form > UINT16_MAX || a->n_specs >= most_specs)
			return -EBADMSG;
		if (!attribute && !form)
			break;
		if (vec_reserve_most(&a->specs, &a->cap_specs, a->n_specs + 1, most_specs))
			return -ENOMEM;
		a->specs[a->n_specs++] = (struct dwarf_spec){ slot_of(attribute), (uint16_t)form,
							      implicit };
	}
	x.n = (uint32_t)a->n_specs - x.first;
	if (vec_reserve(&a->list, &a->cap, a->n + 1))
		return -ENOMEM;
	a->list[a->n++] = x;
	return 0;
}

static int by_code(const void *x, const void *y)
{
	return compare_u64(((const struct dwarf_abbrev *)x)->code,
			   ((const struct dwarf_abbrev *)y)->code);
}

static int read_table(struct dwarf_abbrevs *a, struct in *in, size_t most_specs)
{
	bool sorted = true;
	uint64_t code;
	int err = 0;

	a->n = a->n_specs = 0;
	while (!err && (code = get_leb(in, false)) && !in->bad) {
		sorted = sorted && (!a->n || code > a->list[a->n - 1].code);
		err = a->n < MOST_ABBREVS ? read_abbrev(a, in, code, most_specs) : -EFBIG;
	}
	if (!err && in->bad)
		err = -EBADMSG;
	if (!err && !sorted)
		qsort(a->list, a->n, sizeof(*a->list), by_code);
	return err;
}

/* The table's length is not known: more is read until it ends. */
static bool read_abbrevs(struct dwarf_file *f, struct dwarf_abbrevs *a, uint64_t off)
{
	const size_t most = dwarf_bounds_room(f->bounds, ABBREVS_PART, sizeof(*a->specs),
					      MOST_SPECS);

	for (uint64_t n = 4096; n <= TABLE_BYTES; n *= 4) {
		size_t got = 0;
		const uint8_t *p = dwarf_section_some(&f->sections.s[DWARF_ABBREV], off, n, &got);
		struct in in = { p, p ? p + got : NULL, !p };
		const int err = p ? read_table(a, &in, most) : -EBADMSG;

		if (!dwarf_bounds_step(f->bounds, 4 * a->n + a->n_specs))
			return false;

		if (!err)
			return true;
		if (!in.bad || got < n)
			return false;
	}
	return false;
}

/* Frees those that were used least recently, but the last one, until the rest has room. */
static void bound_abbrevs(struct dwarf_file *f)
{
	const uint64_t most = f->bounds->most_bytes / ABBREVS_PART;
	uint64_t bytes = 0;

	for (size_t i = 0; i < DWARF_ABBREVS; i++)
		bytes += abbrevs_bytes(&f->abbrevs[i]);
	while (bytes > most) {
		struct dwarf_abbrevs *least = NULL;

		for (size_t i = 0; i < DWARF_ABBREVS; i++)
			if (abbrevs_bytes(&f->abbrevs[i]) && f->abbrevs[i].used != f->used &&
			    (!least || f->abbrevs[i].used < least->used))
				least = &f->abbrevs[i];
		if (!least)
			return;
		bytes -= abbrevs_bytes(least);
		free_abbrevs(least);
	}
}

const struct dwarf_abbrevs *dwarf_abbrevs_of(struct dwarf_file *f, const struct dwarf_unit *u)
{
	struct dwarf_abbrevs *least = &f->abbrevs[0];

	for (size_t i = 0; i < DWARF_ABBREVS; i++) {
		struct dwarf_abbrevs *a = &f->abbrevs[i];

		if (a->known && a->off == u->abbrev_off) {
			a->used = ++f->used;
			return a;
		}
		if (a->used < least->used)
			least = a;
	}
	free_abbrevs(least);
	least->used = ++f->used;
	least->off = u->abbrev_off;
	least->known = read_abbrevs(f, least, u->abbrev_off);
	bound_abbrevs(f);
	return least->known ? least : NULL;
}

static const struct dwarf_abbrev *abbrev_of(const struct dwarf_abbrevs *a, uint64_t code)
{
	size_t lo = 0, hi = a->n;

	if (code - 1 < a->n && a->list[code - 1].code == code)
		return &a->list[code - 1];
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (a->list[mid].code == code)
			return &a->list[mid];
		if (a->list[mid].code < code)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* ---- entries */

/* The bytes of a value of that form. -1: it has another kind of length. */
static int fixed_bytes(const struct dwarf_unit *u, uint16_t form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_addr:
		return u->address_bytes;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return u->offset_bytes;
	case DW_FORM_ref_addr:
		return u->version == 2 ? u->address_bytes : u->offset_bytes;
	}
	return -1;
}

static bool read_string(struct in *in, struct dwarf_value *v)
{
	const uint8_t *end = in->bad ? NULL : memchr(in->p, 0, (size_t)(in->end - in->p));

	if (!end) {
		in->bad = true;
		return false;
	}
	v->s = (const char *)in->p;
	in->p = end + 1;
	return true;
}

bool dwarf_value_read(struct in *in, const struct dwarf_unit *u, uint16_t form, int64_t implicit,
		      struct dwarf_value *v)
{
	if (form == DW_FORM_indirect) {
		form = (uint16_t)get_leb(in, false);
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
			return false;
	}
	const int fixed = fixed_bytes(u, form);

	*v = (struct dwarf_value){ .form = form };
	if (fixed >= 0) {
		v->u = fixed ? get(in, (size_t)fixed) : (uint64_t)implicit;
		return !in->bad;
	}
	switch (form) {
	case DW_FORM_string:
		return read_string(in, v);
	case DW_FORM_sdata:
		v->u = get_leb(in, true);
		break;
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		v->u = get_leb(in, false);
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		skip(in, get_leb(in, false));
		break;
	case DW_FORM_block1:
		skip(in, get(in, 1));
		break;
	case DW_FORM_block2:
		skip(in, get(in, 2));
		break;
	case DW_FORM_block4:
		skip(in, get(in, 4));
		break;
	case DW_FORM_data16:
		skip(in, 16);
		break;
	default:
		return false;
	}
	return !in->bad;
}

bool dwarf_die_next(const struct dwarf_unit *u, const struct dwarf_abbrevs *a, struct in *in,
		    struct dwarf_die *die)
{
	const uint64_t code = get_leb(in, false);
	const struct dwarf_abbrev *x = code ? abbrev_of(a, code) : NULL;
	struct dwarf_value unused;

	die->has = 0;
	die->tag = 0;
	die->n = 0;
	die->children = false;
	if (in->bad || (code && !x))
		return false;
	if (!code)
		return true;
	die->tag = x->tag;
	die->children = x->children;
	die->n = x->n;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct dwarf_spec *s = &a->specs[x->first + i];
		const bool kept = s->slot != NOT_KEPT;

		if (!dwarf_value_read(in, u, s->form, s->implicit,
				      kept ? &die->v[s->slot] : &unused))
			return false;
		if (kept)
			die->has |= 1u << s->slot;
	}
	return true;
}

bool dwarf_die_at(struct dwarf_file *f, const struct dwarf_unit *u, uint64_t off,
		  struct dwarf_die *die)
{
	const struct dwarf_abbrevs *a = dwarf_abbrevs_of(f, u);

	if (!a || off < u->die_off || off >= u->end)
		return false;
	for (uint64_t n = 1024; n <= (1 << 20); n *= 32) {
		const uint64_t left = u->end - off;
		const size_t take = left < n ? left : n;
		const uint8_t *p = dwarf_section_get(&f->any, off, take);
		struct in in = { p, p ? p + take : NULL, !p };

		const bool found = p && dwarf_die_next(u, a, &in, die);

		if (p && !dwarf_bounds_step(f->bounds, 1 + die->n))
			return false;
		if (found)
			return die->tag;
		if (!in.bad || take < n)
			return false;
	}
	return false;
}

static uint64_t number_of(const struct dwarf_die *die, enum dwarf_slot slot)
{
	return dwarf_has(die, slot) ? die->v[slot].u : 0;
}

bool dwarf_unit_begin(struct dwarf_file *f, struct dwarf_unit *u, struct dwarf_die *die)
{
	if (!dwarf_die_at(f, u, u->die_off, die))
		return false;
	u->addr_base = number_of(die, DIE_ADDR_BASE);
	u->rnglists_base = number_of(die, DIE_RNGLISTS_BASE);
	u->str_offsets_base = number_of(die, DIE_STR_OFFSETS_BASE);
	u->has_lines = dwarf_has(die, DIE_LINES);
	u->lines_off = number_of(die, DIE_LINES);
	u->low_pc = 0;
	if (dwarf_has(die, DIE_LOW_PC))
		dwarf_address(f, u, &die->v[DIE_LOW_PC], &u->low_pc);
	return true;
}
