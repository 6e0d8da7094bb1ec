/* SPDX-License-Identifier: BSD-2-Clause */
/* An ELF file's own functions (.symtab, else .dynsym and .gnu_debugdata), by libelf. Untrusted
 * input. */
#ifndef GOTRACE_ELF_SYMBOLS_H
#define GOTRACE_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_symbols;

/* Reads the file on fd, which is not needed afterwards. It must have this GNU build id of n bytes;
 * n 0: any file will do. Reading may take most_bytes of memory, 0: no limit. A file that would take
 * more has no symbols (elf_symbols_refused). NULL when it is another file or no ELF file, or there
 * is no memory; logs nothing. */
struct elf_symbols *elf_symbols_open(int fd, const uint8_t *id, size_t n, uint64_t most_bytes);
bool elf_symbols_refused(const struct elf_symbols *e);
/* Reads an image of n bytes in memory, else as elf_symbols_open. */
struct elf_symbols *elf_symbols_memory(const void *image, size_t n);
void elf_symbols_close(struct elf_symbols *e);
/* The memory that it takes. */
size_t elf_symbols_bytes(const struct elf_symbols *e);

/* Was it written by Go's linker? */
bool elf_symbols_go(const struct elf_symbols *e);
/* Does it have all symbols (.symtab), not only those that the dynamic linker needs? */
bool elf_symbols_whole(const struct elf_symbols *e);
/* The name of the file that has them, as .gnu_debuglink tells, and its checksum; NULL: it tells
 * none. */
const char *elf_symbols_debuglink(const struct elf_symbols *e, uint32_t *sum);
/* Its GNU build id: length, 0 when it has none. */
size_t elf_symbols_build_id(const struct elf_symbols *e, const uint8_t **id);
/* The link-time address of what is at an offset of the file. False: nothing is loaded from there.
 */
bool elf_symbols_vaddr(const struct elf_symbols *e, uint64_t file_off, uint64_t *vaddr);
/* The function at a link-time address, as the linker has it; owned by e. NULL: none. */
const char *elf_symbols_at(const struct elf_symbols *e, uint64_t vaddr);
/* Where the function at a link-time address begins, in a file that does not have all symbols: its
 * tables to unwind stacks tell. False: they do not. */
bool elf_symbols_start(const struct elf_symbols *e, uint64_t vaddr, uint64_t *start);

#endif
