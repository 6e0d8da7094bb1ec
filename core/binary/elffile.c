/* SPDX-License-Identifier: BSD-2-Clause */
#include "binary/elffile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void elffile_close(struct elffile *e)
{
	free(e->sections);
	free(e->segments);
	free(e->relocs);
	if (e->map)
		munmap(e->map, e->size);
	*e = (struct elffile){ 0 };
}

const struct elf_section *elffile_section(const struct elffile *e, const char *name)
{
	for (size_t i = 0; i < e->n_sections; i++)
		if (strcmp(e->sections[i].name, name) == 0)
			return &e->sections[i];
	return NULL;
}

static const struct elf_segment *segment_at(const struct elffile *e, uint64_t vaddr)
{
	for (size_t i = 0; i < e->n_segments; i++) {
		const struct elf_segment *s = &e->segments[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->filesz)
			return s;
	}
	return NULL;
}

const uint8_t *elffile_span(const struct elffile *e, uint64_t vaddr, uint64_t *avail)
{
	const struct elf_segment *s = segment_at(e, vaddr);

	if (!s)
		return NULL;
	*avail = s->filesz - (vaddr - s->vaddr);
	return e->map + s->off + (vaddr - s->vaddr);
}

const uint8_t *elffile_bytes(const struct elffile *e, uint64_t vaddr, uint64_t len)
{
	uint64_t avail;
	const uint8_t *p = elffile_span(e, vaddr, &avail);

	return p && len <= avail ? p : NULL;
}

int elffile_word(const struct elffile *e, uint64_t vaddr, uint64_t *out)
{
	size_t lo = 0, hi = e->n_relocs;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (e->relocs[mid].vaddr < vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < e->n_relocs && e->relocs[lo].vaddr == vaddr) {
		*out = e->relocs[lo].addend;
		return 0;
	}
	const uint8_t *p = elffile_bytes(e, vaddr, 8);
	if (!p)
		return -ENOENT;
	*out = load64(p);
	return 0;
}

int elffile_offset(const struct elffile *e, uint64_t vaddr, uint64_t *off)
{
	const struct elf_segment *s = segment_at(e, vaddr);

	if (!s)
		return -ENOENT;
	*off = s->off + (vaddr - s->vaddr);
	return 0;
}
