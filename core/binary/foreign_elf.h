/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads untrusted ELF files by libelf, which allocates as much memory as headers claim. */
#ifndef GOTRACE_FOREIGN_ELF_H
#define GOTRACE_FOREIGN_ELF_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file_id.h"

#define FOREIGN_NOTES_BYTES   (64u << 10)
#define FOREIGN_SECTION_BYTES (256u << 20)

/* Returns true when the headers in the first n bytes claim no more sections and segments than fit
 * into the header's own numbers. No program and no library has more. */
bool foreign_elf_bounded(const void *head, size_t n);
/* Opens the file on fd, which is borrowed and must stay open as long. It is read and never mapped.
 * A look at a mapped file that was cut off is a SIGBUS, and a mapping keeps the file system busy.
 * Returns NULL when it is no ELF file, or not bounded. */
Elf *foreign_elf_open(int fd);
/* Returns the bytes of a section as they are in the file. NULL when there are none or too many, or
 * they are compressed. */
Elf_Data *foreign_elf_data(Elf_Scn *scn, const GElf_Shdr *sh, uint64_t most_bytes);
/* Finds the identity of the file (file_id.h). Returns its length, 0 when there is none. */
size_t foreign_elf_file_id(Elf *elf, uint8_t id[FILE_ID_BYTES]);
/* Returns a hash, not 0, of tables that were read from the file on fd, and of the file's identity.
 * Files of equal hash have equal tables, also if somebody has chosen their identities. */
uint64_t foreign_elf_digest(int fd, const void *tables, size_t n);

#endif
