/* SPDX-License-Identifier: BSD-2-Clause */
/* A function's instructions, and where its branches go. */
#include <errno.h>
#include <string.h>

#include "base/vec.h"
#include "binary/gocode_impl.h"
#include "binary/x86_64/x86.h"
#include "binary/x86_64/x86_length.h"

static bool all_padding(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != 0xcc && p[i] != 0)
			return false;
	return true;
}

/* 0: no instruction begins there. */
static unsigned length_at(const struct body *y, uint32_t off)
{
	const uint8_t *p = y->code + off;
	size_t left = y->f->size - off;
	uint64_t addr = y->f->vaddr + off;
	unsigned n = x86_length(p, left);

	if (n)
		return n;
	return cs_disasm_iter(y->c->fast, &p, &left, &addr, y->c->fast_insn) ? y->c->fast_insn->size
									     : 0;
}

static int decode(struct body *y)
{
	struct gocode_ctx *c = y->c;

	for (uint32_t off = 0, len; off < y->f->size; off += len) {
		len = length_at(y, off);
		if (!len) {
			if (all_padding(y->code + off, y->f->size - off))
				break;
			return -EILSEQ;
		}
		if (vec_reserve(&c->insns, &c->cap_insns, y->n + 1) < 0)
			return -ENOMEM;
		struct insn *in = &c->insns[y->n++];
		*in = (struct insn){ .off = off, .len = (uint8_t)len };
		insn_classify(in, y->code + off);
	}
	y->insns = c->insns;
	return y->n ? 0 : -EILSEQ;
}

bool gocode_detail(const struct body *y, const struct insn *in)
{
	struct gocode_ctx *c = y->c;
	const size_t slot = in->off % DETAILS;
	const uint8_t *p = y->code + in->off;
	size_t len = in->len;
	uint64_t vaddr = y->f->vaddr + in->off, addr = vaddr;

	c->detail_insn = c->details[slot];
	if (c->detail_at[slot] == vaddr)
		return true;
	c->detail_at[slot] = NO_DETAIL;
	if (!cs_disasm_iter(c->detail, &p, &len, &addr, c->detail_insn))
		return false;
	c->detail_at[slot] = vaddr;
	return true;
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

/* `jmp START` at the end of a morestack block: call morestack, reload registers, jmp. */
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
	x86_want_text(false); /* only lengths are used */
	int err = decode(y);

	x86_want_text(true);
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
