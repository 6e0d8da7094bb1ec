/* SPDX-License-Identifier: BSD-2-Clause */
/* A function's instructions, and where its branches go. */
#include <errno.h>
#include <string.h>

#include "base/vec.h"
#include "binary/arch.h"
#include "binary/gocode_impl.h"

static bool all_padding(const struct body *y, uint32_t off)
{
	const uint8_t padding = y->c->b->elf.arch->padding;

	for (; off < y->f->size; off++)
		if (y->code[off] != padding && y->code[off] != 0)
			return false;
	return true;
}

static int decode(struct body *y)
{
	struct gocode_ctx *c = y->c;

	for (uint32_t off = 0; off < y->f->size; off += c->insns[y->n++].len) {
		if (vec_reserve(&c->insns, &c->cap_insns, y->n + 1) < 0)
			return -ENOMEM;
		struct insn *in = &c->insns[y->n];
		*in = (struct insn){ .off = off };
		if (c->arch->decode(c->decoder, y->code + off, y->f->size - off, y->f->vaddr + off,
				    in))
			continue;
		if (all_padding(y, off))
			break;
		return -EILSEQ;
	}
	y->insns = c->insns;
	return y->n ? 0 : -EILSEQ;
}

bool gocode_is_morestack_call(const struct body *y, const struct insn *in)
{
	if (in->flow != FLOW_CALL)
		return false;
	for (size_t i = 0; i < y->c->n_morestack; i++)
		if (y->f->vaddr + (uint64_t)in->target == y->c->morestack[i])
			return true;
	return false;
}

/* The jump to the start at the end of a morestack block: call morestack, reload registers, jump. */
static bool is_morestack_jump(const struct body *y, size_t i)
{
	if (y->insns[i].flow != FLOW_JMP || y->insns[i].target != 0)
		return false;
	while (i-- > 0)
		if (y->insns[i].flow != FLOW_NEXT)
			return gocode_is_morestack_call(y, &y->insns[i]);
	return false;
}

#define BITS 64 /* of a word of targets */

static int note_targets(struct body *y)
{
	struct gocode_ctx *c = y->c;
	const size_t n = y->f->size / BITS + 1;

	if (vec_reserve(&c->targets, &c->cap_targets, n) < 0)
		return -ENOMEM;
	memset(c->targets, 0, n * sizeof(*c->targets));
	for (size_t i = 0; i < y->n; i++) {
		const struct insn *in = &y->insns[i];

		if ((in->flow == FLOW_JMP || in->flow == FLOW_JCC) && in->target >= 0 &&
		    in->target < y->f->size && !is_morestack_jump(y, i))
			c->targets[in->target / BITS] |= 1ull << in->target % BITS;
	}
	return 0;
}

int gocode_decode(struct body *y)
{
	int err = decode(y);

	return err ? err : note_targets(y);
}

bool gocode_targeted(const struct body *y, uint32_t lo, uint32_t hi)
{
	const uint32_t last = hi < y->f->size ? hi : y->f->size - 1;

	for (uint32_t at = lo; at <= last; at = (at / BITS + 1) * BITS) {
		const uint32_t end = at | (BITS - 1);
		uint64_t bits = y->c->targets[at / BITS] >> at % BITS << at % BITS;

		if (end > last)
			bits &= UINT64_MAX >> (end - last);
		if (bits)
			return true;
	}
	return gocode_in_table(y, lo, hi);
}

bool gocode_in_table(const struct body *y, uint32_t lo, uint32_t hi)
{
	const struct gocode_ctx *c = y->c;
	size_t a = 0, z = c->n_words;
	while (a < z) {
		size_t mid = a + (z - a) / 2;

		if (c->words[mid] < y->f->vaddr + lo)
			a = mid + 1;
		else
			z = mid;
	}
	return a < c->n_words && c->words[a] <= y->f->vaddr + hi;
}

bool gocode_sp_at(const struct body *y, uint32_t off, uint16_t *adj)
{
	int32_t down;

	if (gobin_sp_delta(y->c->b, y->f, y->f->vaddr + off, &down) < 0 || down < 0 ||
	    down > UINT16_MAX)
		return false;
	*adj = (uint16_t)down;
	return true;
}

size_t gocode_index_at(const struct body *y, uint32_t off)
{
	size_t a = 0, z = y->n;

	while (a < z) {
		size_t mid = a + (z - a) / 2;

		if (y->insns[mid].off < off)
			a = mid + 1;
		else
			z = mid;
	}
	return a;
}
