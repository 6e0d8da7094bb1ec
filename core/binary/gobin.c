/* SPDX-License-Identifier: BSD-2-Clause */
#include "binary/gobin.h"

#include <stdlib.h>
#include <string.h>

#include "binary/gobin_impl.h"

void gobin_close(struct gobin *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n_names; i++)
		free(b->names[i]);
	free(b->names);
	free(b->funcs);
	hash_index_free(&b->by_name);
	free(b->version);
	free(b->modinfo);
	free(b->build_id);
	elffile_close(&b->elf);
	free(b->path);
	free(b);
}

size_t gobin_bytes_held(const struct gobin *b)
{
	return b->elf.size - b->elf.left_out + b->pcln.n_funcs * sizeof(*b->funcs);
}

const struct arch *gobin_arch(const struct gobin *b)
{
	return b->elf.arch;
}

const char *gobin_go_version(const struct gobin *b)
{
	return b->version;
}

int gobin_go_minor(const struct gobin *b)
{
	return b->minor;
}

const char *gobin_build_id(const struct gobin *b)
{
	return b->build_id;
}

bool gobin_is_pie(const struct gobin *b)
{
	return b->elf.pie;
}

bool gobin_has_dwarf(const struct gobin *b)
{
	/* .zdebug_: the older way of compressing, Go up to 1.18 */
	return elffile_section(&b->elf, ".debug_info") || elffile_section(&b->elf, ".zdebug_info");
}

const struct gomodule *gobin_main_module(const struct gobin *b)
{
	return &b->main_module;
}

void gobin_image(const struct gobin *b, uint64_t *lo, uint64_t *hi)
{
	const struct elffile *e = &b->elf;

	*lo = *hi = 0;
	for (size_t i = 0; i < e->n_segments; i++) {
		if (i == 0)
			*lo = e->segments[i].vaddr;
		if (e->segments[i].vaddr + e->segments[i].memsz > *hi)
			*hi = e->segments[i].vaddr + e->segments[i].memsz;
	}
}

const uint8_t *gobin_bytes(const struct gobin *b, uint64_t vaddr, size_t len)
{
	return elffile_bytes(&b->elf, vaddr, len);
}

/* One word and its address; consecutive entries of a jump table differ by 8 there. */
struct text_word {
	uint64_t at, vaddr;
	const struct gofunc *f;
	bool passed;
};

/*
 * Passes on words that have a neighbour into the same function: the compiler makes no table of
 * fewer than 8 cases (cmd/compile walk/switch.go, ssagen), while a number that is in the text's
 * range by chance has no such neighbour.
 */
static void take_word(const struct gobin *b, struct text_word *prev, uint64_t at, uint64_t vaddr,
		      void (*fn)(void *ctx, uint64_t vaddr), void *ctx)
{
	struct text_word w = { .at = at, .vaddr = vaddr, .f = gobin_func_at(b, vaddr) };

	if (w.f && w.f->vaddr == vaddr)
		w.f = NULL; /* func values and itabs point at starts, a case never does */
	if (w.f && prev->f == w.f && prev->at + 8 == at) {
		if (!prev->passed)
			fn(ctx, prev->vaddr);
		fn(ctx, vaddr);
		w.passed = true;
	}
	*prev = w;
}

void gobin_text_words(const struct gobin *b, void (*fn)(void *ctx, uint64_t vaddr), void *ctx)
{
	const struct elffile *e = &b->elf;
	uint64_t lo = b->funcs[0].vaddr;
	uint64_t hi = b->funcs[b->n_funcs - 1].vaddr + b->funcs[b->n_funcs - 1].size;
	struct text_word prev = { 0 };

	for (size_t i = 0; i < e->n_relocs; i++)
		if (e->relocs[i].addend >= lo && e->relocs[i].addend < hi)
			take_word(b, &prev, e->relocs[i].vaddr, e->relocs[i].addend, fn, ctx);
	for (size_t i = 0; i < e->n_segments; i++) {
		const struct elf_segment *s = &e->segments[i];
		const uint8_t *p = e->map + s->off;

		/* Fixed addresses: .rodata. A PIE's table is relocated, in .data.rel.ro. */
		if ((s->flags & PF_X) || (e->pie ? !e->has_relr : s->flags & PF_W))
			continue;
		for (uint64_t k = (8 - s->vaddr % 8) % 8; k + 8 <= s->filesz; k += 8) {
			const uint64_t w = load64(p + k);

			if (w - lo < hi - lo)
				take_word(b, &prev, s->vaddr + k, w, fn, ctx);
		}
	}
}
