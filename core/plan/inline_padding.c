// SPDX-License-Identifier: BSD-2-Clause
#include "plan/inline_padding.h"

#include "base/vec.h"

#define JMP_BYTES       5
#define SHORT_JMP_BYTES 2
#define SHORT_JMP_REACH 128
#define FUNC_GAP_MAX    (1u << 20) /* between functions: no padding where it is larger */

static bool padding_is_taken(const struct plan_inline *inl, uint64_t at)
{
	/* Those of other functions are far away. */
	for (size_t i = inl->n_paddings; i-- > 0 && i + 64 > inl->n_paddings;)
		if (at < inl->paddings[i] + JMP_BYTES && inl->paddings[i] < at + JMP_BYTES)
			return true;
	return false;
}

/* The bytes from function number i on to where the next one begins, at *next. NULL: it has no
 * padding of ours. */
static const uint8_t *up_to_next(const struct plan *p, const struct gofunc *funcs, size_t n,
				 size_t i, uint64_t *next)
{
	const struct gofunc *f = &funcs[i];

	if (i + 1 >= n || ((f->flags | funcs[i + 1].flags) & GOFUNC_FIPS))
		return NULL;
	*next = funcs[i + 1].vaddr;
	return *next - f->vaddr < FUNC_GAP_MAX ? gobin_bytes(p->binary, f->vaddr, *next - f->vaddr)
					       : NULL;
}

bool inline_padding_reached(uint64_t vaddr, uint64_t padding)
{
	int64_t distance = (int64_t)(padding - (vaddr + SHORT_JMP_BYTES));

	return distance >= -SHORT_JMP_REACH && distance < SHORT_JMP_REACH;
}

/* Five free bytes of padding after function number i, which a jump of two bytes at `from` reaches.
 * 0: none. */
static uint64_t padding_after(const struct plan *p, const struct gofunc *funcs, size_t n, size_t i,
			      uint64_t from)
{
	const struct gofunc *f = &funcs[i];
	uint64_t next, at;
	const uint8_t *code = up_to_next(p, funcs, n, i, &next);

	if (!code)
		return 0;
	at = next;
	while (at > f->vaddr && code[at - 1 - f->vaddr] == 0xcc)
		at--;
	/* An int3 may belong to the function: its padding begins at the next one. */
	if (at < f->vaddr + f->size && at + 1 < next && f->size < next - f->vaddr)
		at = f->vaddr + f->size;
	for (; at + JMP_BYTES <= next; at++)
		if (inline_padding_reached(from, at) && !padding_is_taken(&p->stubs.inl, at))
			return at;
	return 0;
}

int inline_note_padding(struct plan *p, uint64_t at)
{
	struct plan_inline *inl = &p->stubs.inl;
	int err = vec_reserve(&inl->paddings, &inl->cap_paddings, inl->n_paddings + 1);

	if (!err)
		inl->paddings[inl->n_paddings++] = at;
	return err;
}

int inline_take_padding(struct plan *p, const struct gofunc *fn, uint64_t vaddr, uint64_t *padding)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(p->binary, &funcs), i = (size_t)(fn - funcs);

	*padding = padding_after(p, funcs, n, i, vaddr);
	if (!*padding && i)
		*padding = padding_after(p, funcs, n, i - 1, vaddr);
	return *padding ? inline_note_padding(p, *padding) : 0;
}

unsigned inline_padding_at(const struct plan *p, const struct gofunc *fn, uint64_t vaddr)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(p->binary, &funcs);
	uint64_t next;
	const uint8_t *code = up_to_next(p, funcs, n, (size_t)(fn - funcs), &next);
	unsigned free = 0;

	for (uint64_t at = vaddr; code && at < next; at++) {
		if (code[at - fn->vaddr] != 0xcc)
			return 0;
		free++;
	}
	/* Whatever is taken lies after them, or is too near. */
	return padding_is_taken(&p->stubs.inl, vaddr) ? 0 : free;
}
