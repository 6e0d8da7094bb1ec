// SPDX-License-Identifier: BSD-2-Clause
#include "binary/goframes.h"

#include "binary/gobin_impl.h"

#define PCDATA_INL_TREE_INDEX 2 /* internal/abi/symtab.go */
#define FUNCDATA_INL_TREE     3

/* An entry of an inline tree; its layout is at tree_name in goline.c. */
struct inlined {
	const char *name;
	uint32_t parent_pc, start_line;
};

static bool get_inlined(const struct gobin *b, uint64_t tree, int32_t i, struct inlined *x)
{
	bool old = b->pcln.magic != PCLNTAB_MAGIC_120;
	uint64_t size = old ? 20 : 16;
	const uint8_t *p = elffile_bytes(&b->elf, tree + size * (uint32_t)i, size);

	if (!p)
		return false;
	x->name = pclntab_string(&b->pcln, b->pcln.name_off, load32(p + (old ? 12 : 4)));
	x->parent_pc = load32(p + (old ? 16 : 8));
	x->start_line = old ? 0 : load32(p + 12);
	return x->name != NULL;
}

static void place(const struct gobin *b, const struct pclnfunc *pf, uint64_t vaddr,
		  struct goframe *f)
{
	int32_t file_no, line;

	*f = (struct goframe){ 0 };
	if (!pcvalue_at(&b->pcln, pf, pf->pcfile, vaddr, &file_no))
		f->file = pclntab_file_name(&b->pcln, pf, file_no);
	if (!pcvalue_at(&b->pcln, pf, pf->pcln, vaddr, &line) && line > 0)
		f->line = (uint32_t)line;
}

size_t gobin_frames(const struct gobin *b, uint64_t vaddr, struct goframe *frames, size_t max)
{
	const struct gofunc *f = gobin_func_at(b, vaddr);
	struct pclnfunc pf;
	struct inlined x;
	size_t n = 0;
	int32_t index;

	if (!f || !max || pclntab_func(&b->pcln, &b->elf, f->pcln, &pf) < 0)
		return 0;
	uint64_t tree = pclntab_funcdata(&b->pcln, &b->elf, &pf, FUNCDATA_INL_TREE, b->gofunc);
	uint32_t indices = pclntab_pcdata(&b->pcln, &pf, PCDATA_INL_TREE_INDEX);

	while (tree && indices && n + 1 < max &&
	       !pcvalue_at(&b->pcln, &pf, indices, vaddr, &index) && index >= 0 &&
	       get_inlined(b, tree, index, &x)) {
		const struct gofunc *same = x.start_line ? NULL : gobin_func_named(b, x.name);

		place(b, &pf, vaddr, &frames[n]);
		frames[n].func = x.name;
		frames[n++].start_line = same ? same->start_line : x.start_line;
		if (x.parent_pc >= f->size) /* nothing is where it says */
			break;
		vaddr = f->vaddr + x.parent_pc;
	}
	place(b, &pf, vaddr, &frames[n]);
	frames[n].func = f->name;
	frames[n].wrapper = f->flags & GOFUNC_WRAPPER;
	frames[n++].start_line = f->start_line;
	return n;
}
