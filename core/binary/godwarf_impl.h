/* SPDX-License-Identifier: BSD-2-Clause */
/* A binary's DWARF, opened. Private to core/binary. */
#ifndef GOTRACE_GODWARF_IMPL_H
#define GOTRACE_GODWARF_IMPL_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "binary/gobin.h"

/* Opens b's DWARF. It may be open several times at once. Returns 0, -ENOENT when b has none,
 * -EBADMSG or -ENOMEM. Logs nothing. */
int godwarf_open(const struct gobin *b, Elf **elf, Dwarf **dwarf);
void godwarf_close(Elf *elf, Dwarf *dwarf);

/* Returns NULL when elf is NULL or has no DWARF. When libdw gets no memory, it ends the process
 * after a message. It opens no other file. */
Dwarf *godwarf_begin(Elf *elf);

/* The first units of the DWARF. */
struct godwarf_part {
	uint8_t *file; /* the bytes that libdw reads */
	Elf *elf;
	Dwarf *dwarf;
	bool whole; /* it has all units */
};

/* Opens the units in the first info_bytes of .debug_info, the last of which may break off. They
 * have names and types, but not lines, frames and locations. Returns 0, or -ERANGE when the first
 * unit needs more bytes. It returns -ENOENT, -ENOMEM or -EBADMSG when it cannot open a part.
 * godwarf_open may then know more. Logs nothing. */
int godwarf_part_open(const struct gobin *b, size_t info_bytes, struct godwarf_part *part);
void godwarf_part_close(struct godwarf_part *part);

#endif
