/* SPDX-License-Identifier: BSD-2-Clause */
#include "binary/gotype.h"

#include <dwarf.h>
#include <string.h>

/* Attributes of Go's own (cmd/internal/dwarf). */
#define DW_AT_go_kind           0x2900
#define DW_AT_go_embedded_field 0x2903

/* Of DW_AT_go_kind: internal/abi.Kind. */
#define KIND_CHAN      18
#define KIND_FUNC      19
#define KIND_INTERFACE 20
#define KIND_MAP       21
#define KIND_POINTER   22
#define KIND_SLICE     23
#define KIND_STRING    24
#define KIND_UNSAFE    26
#define KIND_MASK      31

#define TYPEDEFS_MAX 16
#define NESTING_MAX  16
#define MEMBERS_MAX  4096 /* looked at for one alignment: a broken file may nest without end */

static uint64_t go_kind(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word kind = 0;

	return dwarf_attr(die, DW_AT_go_kind, &attr) && !dwarf_formudata(&attr, &kind)
		       ? kind & KIND_MASK
		       : 0;
}

static bool type_die(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, out);
}

static enum gotype_kind base_kind(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding;

	if (!dwarf_attr(die, DW_AT_encoding, &attr) || dwarf_formudata(&attr, &encoding))
		return GOTYPE_NONE;
	switch (encoding) {
	case DW_ATE_boolean:
		return GOTYPE_BOOL;
	case DW_ATE_float:
		return GOTYPE_FLOAT;
	case DW_ATE_complex_float:
		return GOTYPE_COMPLEX;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return GOTYPE_INT;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
		return GOTYPE_UINT;
	default:
		return GOTYPE_NONE;
	}
}

static struct gotype of_size(enum gotype_kind kind, Dwarf_Die *die, uint64_t bytes)
{
	return (struct gotype){ kind, *die, bytes };
}

/* Interfaces, maps and channels are typedefs of what the runtime has for them. */
static bool is_special(Dwarf_Die *die, struct gotype *out)
{
	uint64_t kind = go_kind(die);
	Dwarf_Die peeled;
	const char *name;

	switch (kind) {
	case KIND_MAP:
		*out = of_size(GOTYPE_MAP, die, 8);
		return true;
	case KIND_CHAN:
		*out = of_size(GOTYPE_CHAN, die, 8);
		return true;
	case KIND_FUNC:
		*out = of_size(GOTYPE_FUNC, die, 8);
		return true;
	case KIND_UNSAFE:
		*out = of_size(GOTYPE_FUNC, die, 8);
		return true;
	case KIND_STRING:
		*out = of_size(GOTYPE_STRING, die, 16);
		return true;
	case KIND_SLICE:
		*out = of_size(GOTYPE_SLICE, die, 24);
		return true;
	case KIND_INTERFACE:
		if (dwarf_peel_type(die, &peeled))
			return false;
		name = dwarf_diename(&peeled);
		if (!name)
			return false;
		*out = of_size(strcmp(name, "runtime.eface") ? GOTYPE_IFACE : GOTYPE_EFACE, die,
			       16);
		return true;
	default:
		return false;
	}
}

struct gotype gotype_is(Dwarf_Die *die)
{
	struct gotype t = { .kind = GOTYPE_NONE };
	Dwarf_Die cur = *die;
	Dwarf_Word bytes;

	for (int i = 0; i < TYPEDEFS_MAX; i++) {
		if (is_special(&cur, &t))
			return t;
		if (dwarf_tag(&cur) != DW_TAG_typedef)
			break;
		if (!type_die(&cur, &cur))
			return t;
	}
	t.die = cur;
	switch (dwarf_tag(&cur)) {
	case DW_TAG_base_type:
		t.kind = base_kind(&cur);
		break;
	case DW_TAG_pointer_type:
		return of_size(GOTYPE_POINTER, &cur, 8);
	case DW_TAG_subroutine_type:
		return of_size(GOTYPE_FUNC, &cur, 8);
	case DW_TAG_structure_type:
		t.kind = GOTYPE_STRUCT;
		break;
	case DW_TAG_array_type:
		t.kind = GOTYPE_ARRAY;
		break;
	default:
		return t;
	}
	if (dwarf_aggregate_size(&cur, &bytes) || bytes > INT32_MAX)
		t.kind = GOTYPE_NONE;
	else
		t.bytes = bytes;
	return t;
}

struct gotype gotype_of(Dwarf_Die *die)
{
	Dwarf_Die type;

	return type_die(die, &type) ? gotype_is(&type) : (struct gotype){ .kind = GOTYPE_NONE };
}

uint64_t gotype_count(const struct gotype *array)
{
	Dwarf_Die die = array->die, range;
	Dwarf_Attribute attr;
	Dwarf_Word n;

	if (dwarf_child(&die, &range))
		return 0;
	do {
		if (dwarf_tag(&range) != DW_TAG_subrange_type)
			continue;
		return dwarf_attr(&range, DW_AT_count, &attr) && !dwarf_formudata(&attr, &n) ? n
											     : 0;
	} while (!dwarf_siblingof(&range, &range));
	return 0;
}

bool gotype_member(const struct gotype *t, Dwarf_Die *m, bool first)
{
	Dwarf_Die die = t->die;
	int err = first ? dwarf_child(&die, m) : dwarf_siblingof(m, m);

	while (!err && dwarf_tag(m) != DW_TAG_member)
		err = dwarf_siblingof(m, m);
	return !err;
}

bool gotype_member_off(Dwarf_Die *m, uint64_t *off)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	if (!dwarf_attr(m, DW_AT_data_member_location, &attr) || dwarf_formudata(&attr, &v) ||
	    v > INT32_MAX)
		return false;
	*off = v;
	return true;
}

bool gotype_member_embedded(Dwarf_Die *m)
{
	Dwarf_Attribute attr;
	bool embedded = false;

	return dwarf_attr(m, DW_AT_go_embedded_field, &attr) && !dwarf_formflag(&attr, &embedded) &&
	       embedded;
}

static unsigned align_at(const struct gotype *t, int depth, unsigned *budget)
{
	struct gotype inner;
	unsigned most = 1;
	Dwarf_Die m;

	switch (t->kind) {
	case GOTYPE_INT:
	case GOTYPE_UINT:
	case GOTYPE_FLOAT:
	case GOTYPE_BOOL:
		return t->bytes <= 8 && t->bytes ? (unsigned)t->bytes : 1;
	case GOTYPE_COMPLEX:
		return t->bytes == 8 ? 4 : 8;
	case GOTYPE_NONE:
		return 1;
	case GOTYPE_ARRAY:
		inner = gotype_of((Dwarf_Die *)(uintptr_t)&t->die);
		return depth < NESTING_MAX ? align_at(&inner, depth + 1, budget) : 1;
	case GOTYPE_STRUCT:
		for (bool got = gotype_member(t, &m, true); got && depth < NESTING_MAX && *budget;
		     --*budget, got = gotype_member(t, &m, false)) {
			inner = gotype_of(&m);
			unsigned a = align_at(&inner, depth + 1, budget);

			most = a > most ? a : most;
		}
		return most;
	default:
		return 8;
	}
}

unsigned gotype_align(const struct gotype *t)
{
	unsigned budget = MEMBERS_MAX;

	return align_at(t, 0, &budget);
}
