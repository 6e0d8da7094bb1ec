/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF files of somebody else, by libelf, which makes as much memory as headers claim. */
#ifndef GOTRACE_FOREIGN_ELF_H
#define GOTRACE_FOREIGN_ELF_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOREIGN_NOTES_BYTES   (64u << 10)
#define FOREIGN_SECTION_BYTES (256u << 20)

/* Do the headers in the first n bytes claim no more sections and segments than fit into the
 * header's own numbers? More are in no program and no library. */
bool foreign_elf_bounded(const void *head, size_t n);
/* The file on fd, borrowed, which must stay open as long. It is read and never mapped: where a
 * mapped file is cut off the next look is a SIGBUS, and its file system stays busy. NULL: no ELF
 * file, or not bounded. */
Elf *foreign_elf_open(int fd);
/* The bytes of a section, as they are in the file; NULL: none, too many, or they are compressed. */
Elf_Data *foreign_elf_data(Elf_Scn *scn, const GElf_Shdr *sh, uint64_t most_bytes);
/* The GNU build id, of at most `most` bytes. Its length, 0: none. */
size_t foreign_elf_build_id(Elf *elf, uint8_t *id, size_t most);
/* What the file on fd is by its contents: a hash of the build id, else of its first 64 KiB, where
 * headers, notes and the first code are. 0: it cannot be read. */
uint64_t foreign_elf_identity(int fd);

#endif
