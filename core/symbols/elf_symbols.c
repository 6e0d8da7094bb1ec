// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/elf_symbols.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/vec.h"

#define BUILD_ID_BYTES 20

struct elf_symbols {
	Elf *elf;
	struct symbol {
		uint64_t vaddr, size;
		const char *name;
		uint8_t rank; /* of names of one address, the least is the best */
	} * list;             /* by address */
	size_t n, cap;
	struct segment {
		uint64_t off, vaddr, bytes;
	} * segments;
	size_t n_segments, cap_segments;
	uint8_t build_id[BUILD_ID_BYTES];
	size_t build_id_len;
	bool go, whole;
};

static int by_address(const void *x, const void *y)
{
	const struct symbol *a = x, *b = y;
	int c = compare_u64(a->vaddr, b->vaddr);

	if (!c)
		c = compare_u64(a->rank, b->rank);
	return c ? c : strcmp(a->name, b->name);
}

/* As perf's (tools/perf/util/symbol.c, choose_best_symbol): what has a size, is not weak, and is
 * known outside, with the fewest underscores before it. */
static uint8_t rank(const GElf_Sym *sym, const char *name)
{
	const unsigned bind = GELF_ST_BIND(sym->st_info);
	const size_t underscores = strspn(name, "_");

	return (uint8_t)((!sym->st_size << 6) | ((bind == STB_WEAK) << 5) |
			 ((bind == STB_LOCAL) << 4) | (underscores < 15 ? underscores : 15));
}

static void read_symbols(struct elf_symbols *e, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && sh->sh_entsize ? data->d_size / sizeof(Elf64_Sym) : 0;
	GElf_Sym sym;

	for (size_t i = 0; i < n && i <= INT32_MAX && gelf_getsym(data, (int)i, &sym); i++) {
		const unsigned type = GELF_ST_TYPE(sym.st_info);

		if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
		    sym.st_shndx == SHN_UNDEF || (type == STT_NOTYPE && !sym.st_size) ||
		    !sym.st_value)
			continue;
		const char *name = elf_strptr(e->elf, sh->sh_link, sym.st_name);

		if (!name || !*name || vec_reserve(&e->list, &e->cap, e->n + 1))
			continue;
		e->list[e->n++] = (struct symbol){ sym.st_value, sym.st_size, name,
						   rank(&sym, name) };
	}
}

static void read_notes(struct elf_symbols *e, Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t at = 0, name_off, desc_off;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name_off, &desc_off)) > 0) {
		const char *bytes = data->d_buf;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(bytes + name_off, "GNU", 4) && note.n_descsz <= BUILD_ID_BYTES) {
			memcpy(e->build_id, bytes + desc_off, note.n_descsz);
			e->build_id_len = note.n_descsz;
		}
	}
}

static void read_sections(struct elf_symbols *e, GElf_Word type)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(e->elf, &names))
		return;
	while ((scn = elf_nextscn(e->elf, scn)) != NULL) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != type)
			continue;
		const char *name = elf_strptr(e->elf, names, sh.sh_name);

		if (type == SHT_NOTE)
			read_notes(e, scn);
		else if (type != SHT_PROGBITS)
			read_symbols(e, scn, &sh);
		else if (name && (!strcmp(name, ".go.buildinfo") || !strcmp(name, ".gopclntab") ||
				  !strcmp(name, ".data.rel.ro.gopclntab")))
			e->go = true;
	}
}

static void read_segments(struct elf_symbols *e)
{
	size_t n;
	GElf_Phdr ph;

	if (elf_getphdrnum(e->elf, &n))
		return;
	for (size_t i = 0; i < n && i <= INT32_MAX && gelf_getphdr(e->elf, (int)i, &ph); i++)
		if (ph.p_type == PT_LOAD && ph.p_filesz &&
		    !vec_reserve(&e->segments, &e->cap_segments, e->n_segments + 1))
			e->segments[e->n_segments++] = (struct segment){ ph.p_offset, ph.p_vaddr,
									 ph.p_filesz };
}

static struct elf_symbols *read_all(Elf *elf)
{
	struct elf_symbols *e = elf && elf_kind(elf) == ELF_K_ELF ? calloc(1, sizeof(*e)) : NULL;

	if (!e || gelf_getclass(elf) != ELFCLASS64) {
		free(e);
		elf_end(elf);
		return NULL;
	}
	e->elf = elf;
	read_segments(e);
	read_sections(e, SHT_NOTE);
	read_sections(e, SHT_PROGBITS);
	read_sections(e, SHT_SYMTAB);
	e->whole = e->n;
	if (!e->n)
		read_sections(e, SHT_DYNSYM);
	if (e->n)
		qsort(e->list, e->n, sizeof(*e->list), by_address);
	return e;
}

int elf_symbols_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

struct elf_symbols *elf_symbols_open(int fd)
{
	elf_version(EV_CURRENT);
	return read_all(elf_begin(fd, ELF_C_READ_MMAP, NULL));
}

struct elf_symbols *elf_symbols_memory(const void *image, size_t n)
{
	elf_version(EV_CURRENT);
	return read_all(elf_memory((char *)(uintptr_t)image, n));
}

void elf_symbols_close(struct elf_symbols *e)
{
	if (!e)
		return;
	elf_end(e->elf);
	free(e->list);
	free(e->segments);
	free(e);
}

bool elf_symbols_go(const struct elf_symbols *e)
{
	return e->go;
}

bool elf_symbols_whole(const struct elf_symbols *e)
{
	return e->whole;
}

const char *elf_symbols_debuglink(const struct elf_symbols *e, uint32_t *sum)
{
	GElf_Word crc = 0;
	const char *name = dwelf_elf_gnu_debuglink(e->elf, &crc);

	*sum = crc;
	return name && *name ? name : NULL;
}

size_t elf_symbols_build_id(const struct elf_symbols *e, const uint8_t **id)
{
	*id = e->build_id;
	return e->build_id_len;
}

bool elf_symbols_vaddr(const struct elf_symbols *e, uint64_t file_off, uint64_t *vaddr)
{
	for (size_t i = 0; i < e->n_segments; i++) {
		const struct segment *s = &e->segments[i];

		if (file_off >= s->off && file_off - s->off < s->bytes) {
			*vaddr = s->vaddr + (file_off - s->off);
			return true;
		}
	}
	return false;
}

const char *elf_symbols_at(const struct elf_symbols *e, uint64_t vaddr)
{
	size_t lo = 0, hi = e->n;

	while (lo < hi) { /* the first above vaddr */
		size_t mid = lo + (hi - lo) / 2;

		if (e->list[mid].vaddr <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return NULL;
	const uint64_t start = e->list[lo - 1].vaddr;

	while (lo > 1 && e->list[lo - 2].vaddr == start) /* the best of its address */
		lo--;
	const struct symbol *s = &e->list[lo - 1];

	/* Assembly has symbols without size: they reach to the next. */
	return s->size && vaddr - s->vaddr >= s->size ? NULL : s->name;
}
