/* SPDX-License-Identifier: BSD-2-Clause */
/* A binary's DWARF, opened. Private to core/binary. */
#ifndef GOTRACE_GODWARF_IMPL_H
#define GOTRACE_GODWARF_IMPL_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "binary/gobin.h"

/* As often as wanted, one at a time or several at once. 0; -ENOENT: it has none, -EBADMSG, -ENOMEM.
 * Logs nothing. */
int godwarf_open(const struct gobin *b, Elf **elf, Dwarf **dwarf);
void godwarf_close(Elf *elf, Dwarf *dwarf);

/* NULL: it has none, or elf is NULL. Without memory libdw ends the process: with a word before. It
 * opens no file of its own accord. */
Dwarf *godwarf_begin(Elf *elf);

/* The first units of it. */
struct godwarf_part {
	uint8_t *file; /* what libdw reads */
	Elf *elf;
	Dwarf *dwarf;
	bool whole; /* all units are there */
};

/* Opens the units in the first info_bytes of .debug_info, the last of which may break off, with
 * their names and types; without lines, frames and locations. 0; -ERANGE: the first needs more
 * bytes; -ENOENT, -ENOMEM, -EBADMSG: it cannot be done that way, godwarf_open may know more. Logs
 * nothing. */
int godwarf_part_open(const struct gobin *b, size_t info_bytes, struct godwarf_part *part);
void godwarf_part_close(struct godwarf_part *part);

#endif
