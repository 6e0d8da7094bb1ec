/* SPDX-License-Identifier: BSD-2-Clause */
/* An ELF file's own functions (.symtab, else .dynsym and .gnu_debugdata), by libelf. The input is
 * untrusted. */
#ifndef GOTRACE_ELF_SYMBOLS_H
#define GOTRACE_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_symbols;

/* Reads the file on fd, which is not needed afterwards. The file must have this identity of n bytes
 * (file_id.h). With n 0 any file will do. Reading may take most_bytes of memory, 0 for no limit. A
 * file that would take more has no symbols (elf_symbols_refused). Returns NULL when it is another
 * file or no ELF file, or there is no memory. Logs nothing. */
struct elf_symbols *elf_symbols_open(int fd, const uint8_t *id, size_t n, uint64_t most_bytes);
bool elf_symbols_refused(const struct elf_symbols *e);
/* Reads an image of n bytes in memory, otherwise as elf_symbols_open. */
struct elf_symbols *elf_symbols_memory(const void *image, size_t n);
void elf_symbols_close(struct elf_symbols *e);
/* Returns the bytes of memory that it takes. */
size_t elf_symbols_bytes(const struct elf_symbols *e);

/* Returns true when Go's linker wrote the file. */
bool elf_symbols_go(const struct elf_symbols *e);
/* Returns true when it has all symbols (.symtab), not only those that the dynamic linker needs. */
bool elf_symbols_whole(const struct elf_symbols *e);
/* Returns true when it has DWARF, which tells lines and inlined functions. */
bool elf_symbols_dwarf(const struct elf_symbols *e);
/* Returns the name in .gnu_debuglink of the file that has all symbols, and its checksum. NULL when
 * there is none. */
const char *elf_symbols_debuglink(const struct elf_symbols *e, uint32_t *sum);
/* Returns the length of its identity (file_id.h), 0 when it has none. */
size_t elf_symbols_build_id(const struct elf_symbols *e, const uint8_t **id);
/* Finds the link-time address of the byte at an offset of the file. Returns false when nothing is
 * loaded from there. */
bool elf_symbols_vaddr(const struct elf_symbols *e, uint64_t file_off, uint64_t *vaddr);
/* Returns the linker's name of the function at a link-time address, owned by e. NULL when there is
 * none. */
const char *elf_symbols_at(const struct elf_symbols *e, uint64_t vaddr);
/* Finds the start of the function at a link-time address, in a file that does not have all symbols.
 * It uses the file's tables to unwind stacks. Returns false when they do not have it. */
bool elf_symbols_start(const struct elf_symbols *e, uint64_t vaddr, uint64_t *start);

#endif
