/* SPDX-License-Identifier: BSD-2-Clause */
/* Go types as DWARF has them. Private to core/binary. */
#ifndef GOTRACE_GOTYPE_H
#define GOTRACE_GOTYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

enum gotype_kind {
	GOTYPE_NONE, /* not understood */
	GOTYPE_INT,
	GOTYPE_UINT,
	GOTYPE_FLOAT,
	GOTYPE_BOOL,
	GOTYPE_COMPLEX,
	GOTYPE_POINTER,
	GOTYPE_FUNC,
	GOTYPE_STRING,
	GOTYPE_SLICE,
	GOTYPE_IFACE, /* with methods */
	GOTYPE_EFACE, /* without */
	GOTYPE_MAP,
	GOTYPE_CHAN,
	GOTYPE_STRUCT,
	GOTYPE_ARRAY,
};

struct gotype {
	enum gotype_kind kind;
	Dwarf_Die die; /* without typedefs */
	uint64_t bytes;
};

/* The type that `die` (a parameter, a member, a pointer, an array) has. GOTYPE_NONE when it has
 * none that can be understood. */
struct gotype gotype_of(Dwarf_Die *die);
/* The type itself. */
struct gotype gotype_is(Dwarf_Die *die);
/* Alignment in bytes; 1 for what is not understood. */
unsigned gotype_align(const struct gotype *t);
/* Number of elements of an array. */
uint64_t gotype_count(const struct gotype *array);

/* Steps through a struct's members, embedded ones included: begin with *m a copy of t->die and
 * first. false: there are no more. */
bool gotype_member(const struct gotype *t, Dwarf_Die *m, bool first);
/* Offset of a member; false when it has none. */
bool gotype_member_off(Dwarf_Die *m, uint64_t *off);
bool gotype_member_embedded(Dwarf_Die *m);

#endif
