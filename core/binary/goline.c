/* SPDX-License-Identifier: BSD-2-Clause */
/* Source places, inline trees and stack depths, from pclntab's pc-value tables. */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "binary/gobin_impl.h"

#define PCDATA_INL_TREE_INDEX 2 /* internal/abi/symtab.go */
#define FUNCDATA_INL_TREE     3

int gobin_line(const struct gobin *b, uint64_t vaddr, const char **file, uint32_t *line)
{
	const struct gofunc *f = gobin_func_at(b, vaddr);
	struct pclnfunc pf;
	int32_t file_no, n;

	if (!f || pclntab_func(&b->pcln, &b->elf, f->pcln, &pf) < 0 ||
	    pcvalue_at(&b->pcln, &pf, pf.pcfile, vaddr, &file_no) < 0 ||
	    pcvalue_at(&b->pcln, &pf, pf.pcln, vaddr, &n) < 0 || n < 0)
		return -ENOENT;
	*file = pclntab_file_name(&b->pcln, &pf, file_no);
	*line = (uint32_t)n;
	return *file ? 0 : -ENOENT;
}

int gobin_sp_delta(const struct gobin *b, const struct gofunc *f, uint64_t vaddr, int32_t *out)
{
	struct pclnfunc pf;

	if (pclntab_func(&b->pcln, &b->elf, f->pcln, &pf) < 0)
		return -ENOENT;
	return pcvalue_at(&b->pcln, &pf, pf.pcsp, vaddr, out);
}

/* The name's offset in the table, of entry `i` of the inline tree at `tree`.
 * Entries (runtime/symtabinl.go; runtime/symtab.go before 1.20):
 * {i16 parent, u8 id, u8, i32 file, i32 line, i32 name, i32 parent_pc} and
 * since 1.20 {u8 id, 3 pad, i32 name, i32 parent_pc, i32 start_line}. */
static int tree_name(const struct gobin *b, uint64_t tree, int32_t i, uint32_t *name)
{
	bool old = b->pcln.magic != PCLNTAB_MAGIC_120;
	uint64_t size = old ? 20 : 16;
	const uint8_t *p = elffile_bytes(&b->elf, tree + size * (uint32_t)i, size);

	if (!p)
		return -EBADMSG;
	*name = load32(p + (old ? 12 : 4));
	return 0;
}

static int by_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

struct u32s {
	uint32_t *v;
	size_t n, cap;
};

/* Notes an entry, if it is one of the first. */
static bool has_had(uint64_t had[4], uint32_t i)
{
	if (i >= 4 * 64)
		return false;
	const uint64_t bit = 1ull << i % 64;
	const bool has = had[i / 64] & bit;

	had[i / 64] |= bit;
	return has;
}

static int collect_names(const struct gobin *b, const struct pclnfunc *pf, uint64_t end,
			 uint64_t tree, struct u32s *names)
{
	struct pcvalue v;
	uint32_t name;
	uint64_t had[4] = { 0 }; /* of the first entries, a bit each: most come many times */

	if (!pcvalue_start(&v, &b->pcln, pf, pclntab_pcdata(&b->pcln, pf, PCDATA_INL_TREE_INDEX)))
		return 0;
	while (pcvalue_next(&v)) {
		if (v.value >= 0 && !has_had(had, (uint32_t)v.value)) {
			int err = tree_name(b, tree, v.value, &name);

			if (!err)
				err = vec_reserve(&names->v, &names->cap, names->n + 1);
			if (err)
				return err;
			names->v[names->n++] = name;
		}
		if (v.pc >= end)
			break;
	}
	return 0;
}

int gobin_inlined(const struct gobin *b, const struct gofunc *f,
		  void (*fn)(void *ctx, const char *name), void *ctx)
{
	struct pclnfunc pf;
	struct u32s names = { 0 };

	if (pclntab_func(&b->pcln, &b->elf, f->pcln, &pf) < 0)
		return -EBADMSG;
	uint64_t tree = pclntab_funcdata(&b->pcln, &b->elf, &pf, FUNCDATA_INL_TREE, b->gofunc);
	if (!tree)
		return 0;
	int err = collect_names(b, &pf, f->vaddr + f->size, tree, &names);
	if (!err && names.n)
		qsort(names.v, names.n, sizeof(*names.v), by_u32);
	for (size_t i = 0; !err && i < names.n; i++) {
		if (i && names.v[i] == names.v[i - 1])
			continue; /* the linker stores a name once: one offset, one name */
		const char *name = pclntab_string(&b->pcln, b->pcln.name_off, names.v[i]);

		if (!name)
			err = -EBADMSG;
		else
			fn(ctx, name);
	}
	free(names.v);
	return err;
}
