// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/elf_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"
#include "binary/ehframe.h"
#include "binary/foreign_elf.h"
#include "symbols/mini_debug.h"

#define SEGMENTS_MAX 256 /* no program and no library has as many */

/* All of it is in memory: neither the file nor what libelf has of it is needed any more. */
struct elf_symbols {
	struct symbol {
		uint64_t vaddr, size;
		uint32_t name; /* in names */
		uint8_t rank;  /* of names of one address, the least is the best */
	} * list;              /* by address */
	size_t n, cap;
	char *names;
	size_t n_names, cap_names;
	size_t most_names; /* bytes: names that share their ends are few in a table that a linker
			      wrote */
	struct segment {
		uint64_t off, vaddr, bytes;
	} * segments;
	size_t n_segments, cap_segments;
	struct ehframe functions; /* their ranges, where not all have a symbol */
	uint8_t build_id[FILE_ID_BYTES];
	size_t build_id_len;
	bool go, whole, dwarf;
	uint64_t most_bytes; /* that reading may take; 0: no limit */
	bool refused;        /* a table would have taken more */
	char *link;          /* of .gnu_debuglink, with its sum */
	uint32_t link_sum;
};

static int by_address(const void *x, const void *y, void *ctx)
{
	const struct symbol *a = x, *b = y;
	const char *names = ctx;
	int c = compare_u64(a->vaddr, b->vaddr);

	if (!c)
		c = compare_u64(a->rank, b->rank);
	return c ? c : strcmp(names + a->name, names + b->name);
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

static void add_symbol(struct elf_symbols *e, const GElf_Sym *sym, const char *name)
{
	const size_t bytes = strlen(name) + 1;

	if (e->n_names + bytes > e->most_names || vec_reserve(&e->list, &e->cap, e->n + 1) ||
	    vec_reserve(&e->names, &e->cap_names, e->n_names + bytes))
		return;
	memcpy(e->names + e->n_names, name, bytes);
	e->list[e->n++] = (struct symbol){ sym->st_value, sym->st_size, (uint32_t)e->n_names,
					   rank(sym, name) };
	e->n_names += bytes;
}

/* libelf's copies of the table and of its names; ours of both, which grow by doubling. */
#define COPIES 4

static bool is_too_large(struct elf_symbols *e, const GElf_Shdr *sh, const GElf_Shdr *names)
{
	const bool is = e->most_bytes && (sh->sh_size > e->most_bytes / COPIES ||
					  names->sh_size > e->most_bytes / COPIES ||
					  sh->sh_size + names->sh_size > e->most_bytes / COPIES);

	e->refused |= is;
	return is;
}

static void read_symbols(struct elf_symbols *e, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	GElf_Shdr names;
	Elf_Scn *names_scn = elf_getscn(elf, sh->sh_link);
	Elf_Data *data = NULL;
	GElf_Sym sym;

	if (names_scn && gelf_getshdr(names_scn, &names) && !is_too_large(e, sh, &names) &&
	    foreign_elf_data(names_scn, &names, FOREIGN_SECTION_BYTES))
		data = foreign_elf_data(scn, sh, FOREIGN_SECTION_BYTES);
	e->most_names += data ? 2 * names.sh_size + (1 << 20) : 0;
	size_t n = data && sh->sh_entsize ? data->d_size / sizeof(Elf64_Sym) : 0;

	for (size_t i = 0; i < n && i <= INT32_MAX && gelf_getsym(data, (int)i, &sym); i++) {
		const unsigned type = GELF_ST_TYPE(sym.st_info);

		if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
		    sym.st_shndx == SHN_UNDEF || (type == STT_NOTYPE && !sym.st_size) ||
		    !sym.st_value)
			continue;
		const char *name = elf_strptr(elf, sh->sh_link, sym.st_name);

		if (name && *name)
			add_symbol(e, &sym, name);
	}
}

/* A name, zeros up to a multiple of four bytes, a sum (gdb's manual). */
static void read_link(struct elf_symbols *e, Elf_Data *data)
{
	const char *bytes = data ? data->d_buf : NULL;
	size_t n = bytes ? strnlen(bytes, data->d_size) : 0, sum = (n + 4) & ~(size_t)3;

	if (e->link || !n || sum + sizeof(e->link_sum) > data->d_size)
		return;
	e->link = strdup(bytes);
	memcpy(&e->link_sum, bytes + sum, sizeof(e->link_sum));
}

static void read_sections(struct elf_symbols *e, Elf *elf, GElf_Word type)
{
	Elf_Scn *scn = NULL;
	bool linked = false;
	size_t at;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &at) || !(scn = elf_getscn(elf, at)) ||
	    !gelf_getshdr(scn, &sh) || !foreign_elf_data(scn, &sh, FOREIGN_SECTION_BYTES))
		return;
	scn = NULL;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != type)
			continue;
		const char *name = elf_strptr(elf, at, sh.sh_name);

		if (type != SHT_PROGBITS) {
			/* Of each kind a file has one. libelf keeps a copy of all that is asked
			 * for. */
			read_symbols(e, elf, scn, &sh);
			return;
		}
		if (!linked && name && !strcmp(name, ".gnu_debuglink")) {
			read_link(e, foreign_elf_data(scn, &sh, FOREIGN_NOTES_BYTES));
			linked = true;
		}
		if (name && (!strcmp(name, ".go.buildinfo") || !strcmp(name, ".gopclntab") ||
			     !strcmp(name, ".data.rel.ro.gopclntab")))
			e->go = true;
		e->dwarf |= name && !strcmp(name, ".debug_info");
	}
}

/* The symbols that are packed into the file; a packed file is not looked for in it. */
static void read_packed(struct elf_symbols *e, const uint8_t *packed, size_t n)
{
	const uint64_t most = e->most_bytes ? e->most_bytes / COPIES : MINI_DEBUG_BYTES;
	void *image = NULL;
	size_t n_image;

	if (mini_debug_unpack(packed, n, most, &image, &n_image))
		return;
	Elf *elf = foreign_elf_bounded(image, n_image) ? elf_memory(image, n_image) : NULL;

	if (elf && gelf_getclass(elf) == ELFCLASS64)
		read_sections(e, elf, SHT_SYMTAB);
	elf_end(elf);
	free(image);
}

static void find_packed(struct elf_symbols *e, Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t at;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &at))
		return;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *name = gelf_getshdr(scn, &sh) && sh.sh_type == SHT_PROGBITS
					   ? elf_strptr(elf, at, sh.sh_name)
					   : NULL;

		if (!name || strcmp(name, ".gnu_debugdata"))
			continue;
		const Elf_Data *data = foreign_elf_data(scn, &sh, MINI_DEBUG_BYTES);

		if (data && data->d_buf)
			read_packed(e, data->d_buf, data->d_size);
		return;
	}
}

static void read_segments(struct elf_symbols *e, Elf *elf)
{
	size_t n;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n && e->n_segments < SEGMENTS_MAX && i <= INT32_MAX &&
			   gelf_getphdr(elf, (int)i, &ph);
	     i++)
		if (ph.p_type == PT_LOAD && ph.p_filesz &&
		    !vec_reserve(&e->segments, &e->cap_segments, e->n_segments + 1))
			e->segments[e->n_segments++] = (struct segment){ ph.p_offset, ph.p_vaddr,
									 ph.p_filesz };
}

/* A section gives as many bytes of ranges at most. */
static void read_functions(struct elf_symbols *e, Elf *elf)
{
	const uint64_t most = e->most_bytes ? e->most_bytes / COPIES : FOREIGN_SECTION_BYTES;

	ehframe_ranges(&e->functions, elf,
		       most < FOREIGN_SECTION_BYTES ? most : FOREIGN_SECTION_BYTES);
}

/* Of each address, the best stays. */
static void sort_symbols(struct elf_symbols *e)
{
	size_t n = 0;

	if (e->n)
		qsort_r(e->list, e->n, sizeof(*e->list), by_address, e->names);
	for (size_t i = 0; i < e->n; i++)
		if (!i || e->list[i].vaddr != e->list[n - 1].vaddr)
			e->list[n++] = e->list[i];
	e->n = n;
}

/* What it grew by and did not need. */
static void give_back(struct elf_symbols *e)
{
	struct symbol *list = e->n ? realloc(e->list, e->n * sizeof(*list)) : NULL;
	char *names = e->n_names ? realloc(e->names, e->n_names) : NULL;

	if (list) {
		e->list = list;
		e->cap = e->n;
	}
	if (names) {
		e->names = names;
		e->cap_names = e->n_names;
	}
}

/* Is it the file that is wanted? */
static bool has_id(const struct elf_symbols *e, const uint8_t *id, size_t n)
{
	return !n || (n == e->build_id_len && !memcmp(id, e->build_id, n));
}

/* Ends elf. n_id: 0, any file will do. most_bytes: 0, no limit. */
static struct elf_symbols *read_all(Elf *elf, const uint8_t *id, size_t n_id, uint64_t most_bytes)
{
	struct elf_symbols *e = elf && gelf_getclass(elf) == ELFCLASS64 ? calloc(1, sizeof(*e))
									: NULL;

	if (!e) {
		elf_end(elf);
		return NULL;
	}
	e->most_bytes = most_bytes;
	e->build_id_len = foreign_elf_file_id(elf, e->build_id);
	if (!has_id(e, id, n_id)) {
		elf_symbols_close(e);
		elf_end(elf);
		return NULL;
	}
	read_segments(e, elf);
	read_sections(e, elf, SHT_PROGBITS);
	read_sections(e, elf, SHT_SYMTAB);
	e->whole = e->n;
	if (!e->n && !e->refused)
		read_sections(e, elf, SHT_DYNSYM);
	if (!e->whole && !e->refused)
		find_packed(e, elf);
	if (!e->whole && !e->go && !e->refused)
		read_functions(e, elf);
	sort_symbols(e);
	give_back(e);
	elf_end(elf);
	return e;
}

struct elf_symbols *elf_symbols_open(int fd, const uint8_t *id, size_t n, uint64_t most_bytes)
{
	return read_all(foreign_elf_open(fd), id, n, most_bytes);
}

bool elf_symbols_refused(const struct elf_symbols *e)
{
	return e->refused;
}

struct elf_symbols *elf_symbols_memory(const void *image, size_t n)
{
	elf_version(EV_CURRENT);
	return read_all(foreign_elf_bounded(image, n) ? elf_memory((char *)(uintptr_t)image, n)
						      : NULL,
			NULL, 0, 0);
}

void elf_symbols_close(struct elf_symbols *e)
{
	if (!e)
		return;
	free(e->list);
	free(e->names);
	free(e->segments);
	free(e->link);
	ehframe_free(&e->functions);
	free(e);
}

size_t elf_symbols_bytes(const struct elf_symbols *e)
{
	return e->cap * sizeof(*e->list) + e->cap_names +
	       e->functions.cap_ranges * sizeof(*e->functions.ranges);
}

bool elf_symbols_go(const struct elf_symbols *e)
{
	return e->go;
}

bool elf_symbols_whole(const struct elf_symbols *e)
{
	return e->whole;
}

bool elf_symbols_dwarf(const struct elf_symbols *e)
{
	return e->dwarf;
}

const char *elf_symbols_debuglink(const struct elf_symbols *e, uint32_t *sum)
{
	*sum = e->link_sum;
	return e->link;
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
	const struct symbol *s = &e->list[lo - 1];

	/* Assembly has symbols without size: they reach to the next. */
	return s->size && vaddr - s->vaddr >= s->size ? NULL : e->names + s->name;
}

bool elf_symbols_start(const struct elf_symbols *e, uint64_t vaddr, uint64_t *start)
{
	const struct ehframe *f = &e->functions;
	size_t lo = 0, hi = f->n_ranges;

	while (lo < hi) { /* the first above vaddr */
		size_t mid = lo + (hi - lo) / 2;

		if (f->ranges[mid].from <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || vaddr >= f->ranges[lo - 1].to)
		return false;
	*start = f->ranges[lo - 1].from;
	return true;
}
