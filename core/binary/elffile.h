/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An ELF executable of a known processor, read and checked: sections, segments, relative
 * relocations. Private to core/binary. Every access is bounds-checked against
 * the file, so that no caller has to trust a length in it.
 */
#ifndef GOTRACE_ELFFILE_H
#define GOTRACE_ELFFILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;

struct elf_section {
	const char *name; /* points into the map */
	uint32_t type, link;
	uint64_t flags, vaddr, off, size;
};

struct elf_segment {    /* one PT_LOAD */
	uint32_t flags; /* PF_* */
	uint64_t vaddr, off, filesz, memsz;
};

struct elf_reloc { /* one relative relocation */
	uint64_t vaddr, addend;
};

/* The part of a file that is read. */
struct elffile_part {
	uint64_t most_bytes; /* limit of the bytes that it takes, 0 for none */
	bool names;          /* leave out the sections of code and DWARF */
};

struct elffile {
	const struct arch *arch; /* the code is for it */
	uint8_t *map;            /* the whole file, in private memory */
	size_t size;
	size_t left_out; /* bytes of the map that were not read, and are zero */
	bool pie, has_dynamic, has_tls;
	bool has_relr; /* there are packed relocations, too; their words are right on disk */
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

/* Opens the sections that `part` selects, NULL for all. Returns 0, or -errno after logging one
 * line: -ENOEXEC not ELF, -ENOTSUP not a 64-bit executable of a known processor, -EBADMSG truncated
 * or corrupt, -ENOMEM, -EIO. -EFBIG is not logged and means that the part exceeds its limit. */
int elffile_open(struct elffile *e, int fd, const char *path, const struct elffile_part *part);
void elffile_close(struct elffile *e);

/* Returns the first section of that name, NULL when there is none. */
const struct elf_section *elffile_section(const struct elffile *e, const char *name);

/* Returns the file's bytes at a link-time address, up to the end of its segment's file part. *avail
 * is then 1 or more. Returns NULL when the file holds none there. */
const uint8_t *elffile_span(const struct elffile *e, uint64_t vaddr, uint64_t *avail);
/* Returns exactly len bytes, or NULL. */
const uint8_t *elffile_bytes(const struct elffile *e, uint64_t vaddr, uint64_t len);
/* Reads the 8-byte word at vaddr as the loader leaves it, with relative relocations applied for
 * load address 0. Returns 0 or -ENOENT. */
int elffile_word(const struct elffile *e, uint64_t vaddr, uint64_t *out);
/* Computes the offset in the file of a link-time address. Returns 0 or -ENOENT. */
int elffile_offset(const struct elffile *e, uint64_t vaddr, uint64_t *off);

/* Unaligned little-endian loads, for a little-endian host that reads little-endian files. */
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
