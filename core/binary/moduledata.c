/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The few words of runtime.moduledata (runtime/symtab.go) that the function
 * table cannot do without. Its first fields are the same from Go 1.16 to 1.27:
 * the pcHeader pointer, then slices into the table.
 */
#include <errno.h>

#include "binary/gobin_impl.h"

#define MD_FUNCNAMETAB 8
#define MD_CUTAB       32
#define MD_PCLNTABLE   104
#define MD_TEXT        176
#define MD_ETEXT       184

static bool word_is(const struct gobin *b, uint64_t vaddr, uint64_t want)
{
	uint64_t w;

	return elffile_word(&b->elf, vaddr, &w) == 0 && w == want;
}

/* Four pointers into the table at their places: no other data looks like it. */
static bool is_moduledata(const struct gobin *b, uint64_t vaddr)
{
	const struct pclntab *t = &b->pcln;

	return word_is(b, vaddr, t->vaddr) &&
	       word_is(b, vaddr + MD_FUNCNAMETAB, t->vaddr + t->name_off) &&
	       word_is(b, vaddr + MD_CUTAB, t->vaddr + t->cu_off) &&
	       word_is(b, vaddr + MD_PCLNTABLE, t->vaddr + t->func_off);
}

static uint64_t find(const struct gobin *b)
{
	const struct elffile *e = &b->elf;

	if (b->sym_moduledata && is_moduledata(b, b->sym_moduledata))
		return b->sym_moduledata;
	for (size_t i = 0; i < e->n_relocs; i++)
		if (e->relocs[i].addend == b->pcln.vaddr && is_moduledata(b, e->relocs[i].vaddr))
			return e->relocs[i].vaddr;
	for (size_t i = 0; i < e->n_segments; i++) {
		const struct elf_segment *s = &e->segments[i];
		const uint8_t *p = e->map + s->off;

		if (s->flags & PF_X)
			continue;
		for (uint64_t k = (8 - s->vaddr % 8) % 8; k + 8 <= s->filesz; k += 8)
			if (load64(p + k) == b->pcln.vaddr && is_moduledata(b, s->vaddr + k))
				return s->vaddr + k;
	}
	return 0;
}

/*
 * Offset of moduledata.gofunc, the base of FUNCDATA offsets since Go 1.18:
 * 1.20 put two words of coverage counters before it, 1.27 three more.
 */
static uint64_t gofunc_off(const struct gobin *b)
{
	if (b->pcln.magic == PCLNTAB_MAGIC_118)
		return 304;
	if (b->pcln.magic != PCLNTAB_MAGIC_120)
		return 0;
	return b->minor >= 27 ? 344 : 320;
}

int moduledata_read(struct gobin *b)
{
	uint64_t md = find(b), w;

	if (md) {
		if (elffile_word(&b->elf, md + MD_TEXT, &w) == 0)
			b->text = w;
		if (elffile_word(&b->elf, md + MD_ETEXT, &w) == 0)
			b->etext = w;
		if (gofunc_off(b) && elffile_word(&b->elf, md + gofunc_off(b), &w) == 0)
			b->gofunc = w;
	}
	if (!b->text)
		b->text = b->pcln.text_start ? b->pcln.text_start : b->sym_text;
	if (!b->etext)
		b->etext = b->sym_etext;
	/* Go 1.18 to 1.25 repeat the start in the header, 1.26 and newer leave 0 there. */
	if (!b->pcln.text_start)
		b->pcln.text_start = b->text;
	return b->text ? 0 : -EBADMSG;
}
