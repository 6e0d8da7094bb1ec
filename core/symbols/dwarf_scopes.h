/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of a unit that have code, and those that are inlined in them. */
#ifndef GOTRACE_DWARF_SCOPES_H
#define GOTRACE_DWARF_SCOPES_H

#include "symbols/dwarf_die.h"

struct dwarf_scope {
	uint64_t die_off;
	uint32_t first_range, n_ranges;
	uint32_t end; /* index behind its last descendant */
	uint32_t call_file, call_line;
	bool inlined;
};

struct dwarf_scopes {
	struct dwarf_scope *list; /* parents before children */
	size_t n, cap;
	struct dwarf_ranges ranges;
};

/* Reads the scopes of a unit into s, whose arrays are used again. Returns 0, -EBADMSG when the unit
 * is damaged, -ETIMEDOUT past the deadline, -EFBIG or -ENOMEM. */
int dwarf_scopes_read(struct dwarf_scopes *s, struct dwarf_file *f, const struct dwarf_unit *u);
void dwarf_scopes_free(struct dwarf_scopes *s);
/* Returns the bytes of memory that they take. */
size_t dwarf_scopes_bytes(const struct dwarf_scopes *s);
/* Finds the function at an address, first, and what is inlined there, innermost last. Returns their
 * number, of which chain gets at most `most`: the function, and the innermost ones. */
size_t dwarf_scopes_at(const struct dwarf_scopes *s, uint64_t vaddr,
		       const struct dwarf_scope **chain, size_t most);

#endif
