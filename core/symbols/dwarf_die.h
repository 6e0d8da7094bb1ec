/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Units, entries (DIEs) and their attributes in a file's DWARF, versions 2 to 5. The section
 * numbers below are those of DWARF 5. The input is untrusted.
 */
#ifndef GOTRACE_DWARF_DIE_H
#define GOTRACE_DWARF_DIE_H

#include "binary/ehframe_bytes.h"
#include "symbols/dwarf_bytes.h"

/* The attributes that are kept. */
enum dwarf_slot {
	DIE_NAME,
	DIE_LINKAGE_NAME,
	DIE_ORIGIN,
	DIE_SPECIFICATION,
	DIE_LOW_PC,
	DIE_HIGH_PC,
	DIE_RANGES,
	DIE_CALL_FILE,
	DIE_CALL_LINE,
	DIE_DECL_FILE,
	DIE_DECL_LINE,
	DIE_LINES,
	DIE_FOLDER,
	DIE_ADDR_BASE,
	DIE_RNGLISTS_BASE,
	DIE_STR_OFFSETS_BASE,
	DIE_SIBLING,
	DIE_N_SLOTS
};

struct dwarf_value {
	uint64_t u;
	const char *s; /* a string in its place, valid as long as the entry's bytes */
	uint16_t form;
};

struct dwarf_die {
	uint32_t tag; /* 0: the end of the children of an entry */
	bool children;
	uint32_t has; /* a bit for each slot */
	uint32_t n;   /* attributes, those that are not kept included */
	struct dwarf_value v[DIE_N_SLOTS];
};

struct dwarf_unit {
	uint64_t off, end, die_off; /* in .debug_info; die_off is that of its first entry */
	uint64_t abbrev_off;
	uint64_t addr_base, rnglists_base, str_offsets_base, low_pc, lines_off;
	uint8_t version, address_bytes, offset_bytes;
	bool has_lines;
	bool failed; /* its entries cannot be read */
};

struct dwarf_abbrevs {
	uint64_t off;
	uint64_t used;
	bool known;
	struct dwarf_abbrev {
		uint64_t code;
		uint32_t tag, first, n;
		bool children;
	} * list; /* by code */
	size_t n, cap;
	struct dwarf_spec {
		uint16_t slot, form;
		int64_t implicit;
	} * specs;
	size_t n_specs, cap_specs;
};

#define DWARF_ABBREVS 32

struct dwarf_file {
	struct dwarf_bounds *bounds;
	struct dwarf_sections sections;
	struct dwarf_section any; /* .debug_info again, for single entries */
	struct dwarf_unit *units; /* by offset */
	size_t n_units, cap_units;
	struct dwarf_abbrevs abbrevs[DWARF_ABBREVS];
	uint64_t used;
};

struct dwarf_range {
	uint64_t low, high;
};

struct dwarf_ranges {
	struct dwarf_range *list;
	size_t n, cap;
};

/* Reads the header of each unit. The bounds are borrowed. Errors are those of dwarf_sections_open,
 * and -ETIMEDOUT. */
int dwarf_file_open(struct dwarf_file *f, int fd, struct dwarf_bounds *bounds);
void dwarf_file_close(struct dwarf_file *f);
/* Returns the bytes of memory that it takes. */
size_t dwarf_file_bytes(const struct dwarf_file *f);

/* Returns the unit that has the byte at an offset of .debug_info. NULL when there is none. */
const struct dwarf_unit *dwarf_unit_at(const struct dwarf_file *f, uint64_t off);
/* Reads the first entry of a unit, and sets the unit's bases by it. Returns false when it cannot be
 * read. */
bool dwarf_unit_begin(struct dwarf_file *f, struct dwarf_unit *u, struct dwarf_die *die);
/* Returns the unit's table of abbreviations, valid until those of other units are asked for. NULL
 * when it is damaged or there is no memory. */
const struct dwarf_abbrevs *dwarf_abbrevs_of(struct dwarf_file *f, const struct dwarf_unit *u);

/* Reads the next entry. Returns false when it is damaged. */
bool dwarf_die_next(const struct dwarf_unit *u, const struct dwarf_abbrevs *a, struct in *in,
		    struct dwarf_die *die);
/* Reads the entry at an offset of .debug_info. */
bool dwarf_die_at(struct dwarf_file *f, const struct dwarf_unit *u, uint64_t off,
		  struct dwarf_die *die);
/* Reads a value of a form from 7.5.6. Returns false when the form is not known. */
bool dwarf_value_read(struct in *in, const struct dwarf_unit *u, uint16_t form, int64_t implicit,
		      struct dwarf_value *v);

static inline bool dwarf_has(const struct dwarf_die *die, enum dwarf_slot slot)
{
	return die->has >> slot & 1;
}

/* Returns a string, valid until the file is read again. `other` is the file that .gnu_debugaltlink
 * names, or NULL. Returns NULL when there is no string. */
const char *dwarf_string(struct dwarf_file *f, struct dwarf_file *other, const struct dwarf_unit *u,
			 const struct dwarf_value *v);
/* Finds the address that a value stands for. */
bool dwarf_address(struct dwarf_file *f, const struct dwarf_unit *u, const struct dwarf_value *v,
		   uint64_t *address);
/* Finds the entry that a value refers to. *in_other is set when it is in the file that
 * .gnu_debugaltlink names. */
bool dwarf_reference(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *off,
		     bool *in_other);
/* Adds the ranges of addresses of an entry. r has at most `most` of them. Ranges of code that the
 * linker removed are left out. Returns false when they are damaged or too many. */
bool dwarf_ranges_add(struct dwarf_file *f, const struct dwarf_unit *u, const struct dwarf_die *die,
		      struct dwarf_ranges *r, size_t most);

#endif
