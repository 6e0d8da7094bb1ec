/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An x86-64 ELF executable, read and checked: sections, segments, relative
 * relocations. Private to core/binary. Every access is bounds-checked against
 * the file, so that no caller has to trust a length in it.
 */
#ifndef GOTRACE_ELFFILE_H
#define GOTRACE_ELFFILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_section {
	const char *name; /* in the map */
	uint32_t type, link;
	uint64_t flags, vaddr, off, size;
};

struct elf_segment {    /* one PT_LOAD */
	uint32_t flags; /* PF_* */
	uint64_t vaddr, off, filesz, memsz;
};

struct elf_reloc { /* one R_X86_64_RELATIVE */
	uint64_t vaddr, addend;
};

/* What is read of a file. */
struct elffile_part {
	uint64_t most_bytes; /* that it may take; 0: no limit */
	bool names;          /* neither code nor DWARF: those sections are not there then */
};

struct elffile {
	uint8_t *map; /* the whole file, private to us */
	size_t size;
	size_t left_out; /* bytes of it that were not read, and are zero */
	bool pie, has_dynamic, has_tls;
	bool has_relr; /* packed relocations too: their words are right on disk */
	uint64_t tls_memsz, tls_align;
	struct elf_section *sections;
	size_t n_sections;
	/* ascending vaddr */
	struct elf_segment *segments;
	size_t n_segments;
	/* ascending vaddr */
	struct elf_reloc *relocs;
	size_t n_relocs;
};

/* part: which sections, NULL for all. 0, or -errno after logging one line: -ENOEXEC not ELF,
 * -ENOTSUP not a 64-bit x86 executable, -EBADMSG truncated or corrupt, -ENOMEM, -EIO. -EFBIG: the
 * part takes more than it may, not logged. */
int elffile_open(struct elffile *e, int fd, const char *path, const struct elffile_part *part);
void elffile_close(struct elffile *e);

/* The first section of that name, NULL when there is none. */
const struct elf_section *elffile_section(const struct elffile *e, const char *name);

/* File bytes at a link-time address up to the end of its segment's file part.
 * NULL when the file holds none there; else *avail >= 1. */
const uint8_t *elffile_span(const struct elffile *e, uint64_t vaddr, uint64_t *avail);
/* Exactly len bytes, or NULL. */
const uint8_t *elffile_bytes(const struct elffile *e, uint64_t vaddr, uint64_t len);
/* The 8-byte word at vaddr as the loader leaves it (relative relocations
 * applied for load address 0). 0 or -ENOENT. */
int elffile_word(const struct elffile *e, uint64_t vaddr, uint64_t *out);
/* Offset in the file of a link-time address. 0 or -ENOENT. */
int elffile_offset(const struct elffile *e, uint64_t vaddr, uint64_t *off);

/* Unaligned little-endian loads: x86-64 reads x86-64. */
static inline uint32_t load32(const uint8_t *p)
{
	uint32_t v;
	__builtin_memcpy(&v, p, 4);
	return v;
}
static inline uint64_t load64(const uint8_t *p)
{
	uint64_t v;
	__builtin_memcpy(&v, p, 8);
	return v;
}

#endif
