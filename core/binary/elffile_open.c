/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens an ELF executable: checks its headers, and reads segments, sections and relocations. */
#include "binary/elffile.h"

#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/vec.h"
#include "binary/arch.h"
#include "binary/elffile_read.h"
#include "binary/foreign_elf.h"

#define DT_RELR_TAG 36 /* DT_RELR, not in glibc's elf.h before 2.36 */

static bool inside(uint64_t off, uint64_t len, uint64_t size)
{
	return off <= size && len <= size - off;
}

static int check_header(struct elffile *e, const char *path)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)e->map;
	char goarchs[64], names[64];

	arch_names(true, goarchs, sizeof(goarchs));
	arch_names(false, names, sizeof(names));
	if (memcmp(e->map, ELFMAG, SELFMAG) != 0) {
		const char *hint = memcmp(e->map, "#!", 2) == 0
					   ? "a script; name the Go program it starts"
					   : "name the program that `go build` wrote";

		log_error("%s: not an ELF executable: %s", path, hint);
		return -ENOEXEC;
	}
	if (e->size < sizeof(*h)) {
		log_error("%s: truncated: the ELF header is cut off; build or copy it again", path);
		return -EBADMSG;
	}
	if (h->e_ident[EI_CLASS] != ELFCLASS64) {
		log_error("%s: a 32-bit executable; build it with GOARCH=%s", path, goarchs);
		return -ENOTSUP;
	}
	e->arch = h->e_ident[EI_DATA] == ELFDATA2LSB ? arch_of_machine(h->e_machine) : NULL;
	if (!e->arch) {
		log_error("%s: not for %s (ELF machine %u); build it with GOARCH=%s", path, names,
			  h->e_machine, goarchs);
		return -ENOTSUP;
	}
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN) {
		log_error("%s: not an executable (ELF type %u); link it first", path, h->e_type);
		return -ENOEXEC;
	}
	if (!foreign_elf_bounded(h, sizeof(*h))) {
		log_error("%s: more than 65,279 sections or segments, more than any Go program",
			  path);
		return -EBADMSG;
	}
	return 0;
}

static int by_segment_vaddr(const void *a, const void *b)
{
	const struct elf_segment *x = a, *y = b;

	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

/* Checks a section or segment header against the file. */
static int refuse_range(const char *path, const char *what, size_t i)
{
	log_error("%s: truncated or corrupt: %s %zu lies outside the file; build or copy it again",
		  path, what, i);
	return -EBADMSG;
}

/* Program header i. libelf returns pointers to headers in the map, at odd
 * addresses when the file says so. */
static Elf64_Phdr program_header(const void *table, size_t i)
{
	Elf64_Phdr ph;

	memcpy(&ph, (const char *)table + i * sizeof(ph), sizeof(ph));
	return ph;
}

static int read_segments(struct elffile *e, Elf *elf, const char *path)
{
	size_t n = 0, cap = 0;

	if (elf_getphdrnum(elf, &n) < 0 || n == 0)
		return refuse_range(path, "program header", 0);
	const void *table = elf64_getphdr(elf);
	if (!table)
		return refuse_range(path, "program header", 0);
	for (size_t i = 0; i < n; i++) {
		const Elf64_Phdr ph = program_header(table, i);

		if (ph.p_type == PT_DYNAMIC)
			e->has_dynamic = true;
		if (ph.p_type == PT_TLS) {
			e->has_tls = true;
			e->tls_memsz = ph.p_memsz;
			e->tls_align = ph.p_align;
		}
		if (ph.p_type != PT_LOAD)
			continue;
		if (!inside(ph.p_offset, ph.p_filesz, e->size) || ph.p_vaddr > UINT64_MAX / 2 ||
		    ph.p_filesz > ph.p_memsz)
			return refuse_range(path, "segment", i);
		if (vec_reserve(&e->segments, &cap, e->n_segments + 1) < 0)
			return -ENOMEM;
		e->segments[e->n_segments++] = (struct elf_segment){
			.flags = ph.p_flags,
			.vaddr = ph.p_vaddr,
			.off = ph.p_offset,
			.filesz = ph.p_filesz,
			.memsz = ph.p_memsz,
		};
	}
	if (e->n_segments)
		qsort(e->segments, e->n_segments, sizeof(*e->segments), by_segment_vaddr);
	return 0;
}

static int read_sections(struct elffile *e, Elf *elf, const char *path)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)e->map;
	size_t n = 0, strndx = 0, cap = 0;

	/* libelf takes a table that is cut off for none at all */
	if (elf_getshdrnum(elf, &n) < 0 || (h->e_shoff && n == 0) ||
	    (h->e_shoff && !inside(h->e_shoff, (uint64_t)n * sizeof(Elf64_Shdr), e->size)))
		return refuse_range(path, "section header", n);
	if (n == 0)
		return 0; /* sstrip'ed: the segments are all there is */
	if (elf_getshdrstrndx(elf, &strndx) < 0)
		return refuse_range(path, "section header", 0);
	if (vec_reserve(&e->sections, &cap, n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		Elf_Scn *scn = elf_getscn(elf, i);
		const void *header = scn ? elf64_getshdr(scn) : NULL;
		Elf64_Shdr sh;

		if (!header)
			return refuse_range(path, "section header", i);
		memcpy(&sh, header, sizeof(sh)); /* unaligned, like a program header */
		if (sh.sh_type != SHT_NOBITS && sh.sh_type != SHT_NULL &&
		    !inside(sh.sh_offset, sh.sh_size, e->size))
			return refuse_range(path, "section", i);
		const char *name = sh.sh_name ? elf_strptr(elf, strndx, sh.sh_name) : "";
		/* elf_strptr points into the map, which outlives `elf`, unless it had to convert */
		if (!name || (const uint8_t *)name < e->map ||
		    (const uint8_t *)name >= e->map + e->size)
			name = "";
		e->sections[e->n_sections++] = (struct elf_section){
			.name = name,
			.type = sh.sh_type,
			.link = sh.sh_link,
			.flags = sh.sh_flags,
			.vaddr = sh.sh_addr,
			.off = sh.sh_offset,
			.size = sh.sh_type == SHT_NULL ? 0 : sh.sh_size,
		};
	}
	return 0;
}

static int by_reloc_vaddr(const void *a, const void *b)
{
	const struct elf_reloc *x = a, *y = b;

	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

/*
 * The RELA table that the loader would use, from the dynamic segment. External
 * linkers leave zeros on disk where a pointer belongs, so that pclntab,
 * moduledata and jump tables of such a PIE can only be read through it.
 */
static int read_relocs(struct elffile *e, Elf *elf)
{
	const void *table = elf64_getphdr(elf);
	uint64_t rela = 0, rela_size = 0;
	size_t n = 0, cap = 0;

	if (!e->has_dynamic || elf_getphdrnum(elf, &n) < 0 || !table)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const Elf64_Phdr ph = program_header(table, i);

		if (ph.p_type != PT_DYNAMIC || !inside(ph.p_offset, ph.p_filesz, e->size))
			continue;
		const uint8_t *d = e->map + ph.p_offset;
		for (uint64_t k = 0; k + 16 <= ph.p_filesz && load64(d + k) != DT_NULL; k += 16) {
			if (load64(d + k) == DT_RELA)
				rela = load64(d + k + 8);
			else if (load64(d + k) == DT_RELASZ)
				rela_size = load64(d + k + 8);
			else if (load64(d + k) == DT_RELR_TAG)
				e->has_relr = true;
		}
	}
	uint64_t avail;
	const uint8_t *p = elffile_span(e, rela, &avail);
	if (!rela || !p)
		return 0;
	if (rela_size > avail)
		rela_size = avail;
	for (uint64_t k = 0; k + sizeof(Elf64_Rela) <= rela_size; k += sizeof(Elf64_Rela)) {
		if (ELF64_R_TYPE(load64(p + k + 8)) != e->arch->relative_reloc)
			continue;
		if (vec_reserve(&e->relocs, &cap, e->n_relocs + 1) < 0)
			return -ENOMEM;
		e->relocs[e->n_relocs++] = (struct elf_reloc){ .vaddr = load64(p + k),
							       .addend = load64(p + k + 16) };
	}
	if (e->n_relocs)
		qsort(e->relocs, e->n_relocs, sizeof(*e->relocs), by_reloc_vaddr);
	return 0;
}

/* Sections that were not read have no name and no bytes. */
static void leave_out(struct elffile *e)
{
	for (size_t i = 0; i < e->n_sections; i++)
		if (elffile_not_names(e->sections[i].name)) {
			e->sections[i].name = "";
			e->sections[i].size = 0;
		}
}

int elffile_open(struct elffile *e, int fd, const char *path, const struct elffile_part *part)
{
	*e = (struct elffile){ 0 };
	int err = elffile_read(e, fd, path, part);
	if (!err)
		err = check_header(e, path);
	if (err)
		goto fail;
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)e->map, e->size);
	if (!elf) {
		log_error("%s: corrupt ELF header: %s; build or copy it again", path,
			  elf_errmsg(-1));
		err = -EBADMSG;
		goto fail;
	}
	err = read_segments(e, elf, path);
	if (!err)
		err = read_sections(e, elf, path);
	if (!err)
		err = read_relocs(e, elf);
	e->pie = ((const Elf64_Ehdr *)e->map)->e_type == ET_DYN;
	elf_end(elf);
	if (part && part->names)
		leave_out(e);
	if (!err)
		return 0;
	if (err == -ENOMEM)
		log_no_memory("%s: out of memory while reading its headers", path);
fail:
	elffile_close(e);
	return err;
}
