/* SPDX-License-Identifier: BSD-2-Clause */
/* A unit's table of source files and lines, DWARF 2 to 5. The input is untrusted. */
#ifndef GOTRACE_DWARF_LINES_H
#define GOTRACE_DWARF_LINES_H

#include "symbols/dwarf_die.h"

struct dwarf_lines {
	char *text; /* all names, each with its zero */
	size_t n_text, cap_text, most_text, most_names;
	uint32_t folder; /* the unit's, in text */
	uint32_t *folders;
	size_t n_folders, cap_folders;
	struct dwarf_source {
		uint32_t name;
		uint64_t folder;
	} * sources;
	size_t n_sources, cap_sources;
	struct dwarf_row {
		uint64_t address;
		uint32_t source, line;
	} * rows;
	size_t n_rows, cap_rows;
	struct dwarf_sequence {
		uint64_t low, high;
		size_t first, n; /* rows */
	} * sequences;           /* by low */
	size_t n_sequences, cap_sequences;
	uint16_t version;
};

/* Reads the names of a unit's files into l, whose arrays are used again, and its rows if asked for.
 * folder is DW_AT_comp_dir or NULL, other as for dwarf_string. Returns 0, -ENOENT, -EBADMSG,
 * -EFBIG, -ETIMEDOUT or -ENOMEM. */
int dwarf_lines_read(struct dwarf_lines *l, struct dwarf_file *f, struct dwarf_file *other,
		     const struct dwarf_unit *u, const char *folder, bool with_rows);
void dwarf_lines_free(struct dwarf_lines *l);
/* Returns the bytes of memory that they take. */
size_t dwarf_lines_bytes(const struct dwarf_lines *l);
/* Finds the file's number and the line of an address. */
bool dwarf_lines_at(const struct dwarf_lines *l, uint64_t vaddr, uint32_t *source, uint32_t *line);
/* Writes the path of a file of that number. Returns false when there is none, or no room. */
bool dwarf_lines_path(const struct dwarf_lines *l, uint64_t source, char *to, size_t size);

#endif
