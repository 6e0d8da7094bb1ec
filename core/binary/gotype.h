/* SPDX-License-Identifier: BSD-2-Clause */
/* Go types, read from DWARF. Private to core/binary. */
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
	GOTYPE_EFACE, /* without methods */
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

/* Returns the type of `die` (a parameter, a member, a pointer, an array). Returns GOTYPE_NONE when
 * it has none that can be understood. */
struct gotype gotype_of(Dwarf_Die *die);
/* Returns `die` itself as a type. */
struct gotype gotype_is(Dwarf_Die *die);
/* Returns the alignment in bytes, 1 for a type that is not understood. */
unsigned gotype_align(const struct gotype *t);
/* Returns the number of elements of an array. */
uint64_t gotype_count(const struct gotype *array);

/* Steps through a struct's members, embedded ones included. The first call has *m as a copy of
 * t->die, and `first`. Returns false when there are no more. */
bool gotype_member(const struct gotype *t, Dwarf_Die *m, bool first);
/* Computes the offset of a member. Returns false when it has none. */
bool gotype_member_off(Dwarf_Die *m, uint64_t *off);
bool gotype_member_embedded(Dwarf_Die *m);

#endif
