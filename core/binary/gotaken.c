// SPDX-License-Identifier: BSD-2-Clause
/* Which functions' addresses the data holds. */
#include "binary/gobin_impl.h"
#include "binary/gorewrite.h"

typedef void taken_fn(void *ctx, const struct gofunc *f);

static const struct gofunc *begins_at(const struct gobin *b, uint64_t vaddr)
{
	const struct gofunc *f = gobin_func_at(b, vaddr);

	return f && f->vaddr == vaddr ? f : NULL;
}

/* A method as reflection finds it (abi.Method): offsets of its name and type, and of two functions
 * from the start of the text. The second is called with a receiver that is not in an interface. */
#define METHOD_BYTES 16

static const struct gofunc *method_at(const struct gobin *b, const uint8_t *p, uint64_t span)
{
	const uint32_t by_interface = load32(p + 8), direct = load32(p + 12);

	if (direct >= span || by_interface >= span || !begins_at(b, b->text + by_interface))
		return NULL;
	return begins_at(b, b->text + direct);
}

static void look_at_segment(const struct gobin *b, const struct elf_segment *s, taken_fn *fn,
			    void *ctx)
{
	const uint8_t *p = b->elf.map + s->off;
	const struct gofunc *last = &b->funcs[b->n_funcs - 1];
	const uint64_t lo = b->funcs[0].vaddr, hi = last->vaddr + last->size;

	for (uint64_t k = (4 - s->vaddr % 4) % 4; k + 8 <= s->filesz; k += 4) {
		const uint64_t at = s->vaddr + k;
		const struct gofunc *f = NULL;

		/* The function table is full of offsets into the text. */
		if (at - b->pcln.vaddr < b->pcln.len) {
			k += b->pcln.len - 4;
			continue;
		}
		if (at % 8 == 0 && load64(p + k) >= lo && load64(p + k) < hi &&
		    (f = begins_at(b, load64(p + k))))
			fn(ctx, f);
		if (k + METHOD_BYTES <= s->filesz && (f = method_at(b, p + k, hi - b->text)))
			fn(ctx, f);
	}
}

void gobin_taken_funcs(const struct gobin *b, taken_fn *fn, void *ctx)
{
	const struct elffile *e = &b->elf;
	const struct gofunc *f;

	for (size_t i = 0; i < e->n_relocs; i++)
		if ((f = begins_at(b, e->relocs[i].addend)))
			fn(ctx, f);
	for (size_t i = 0; i < e->n_segments; i++)
		if (!(e->segments[i].flags & PF_X))
			look_at_segment(b, &e->segments[i], fn, ctx);
}
