// SPDX-License-Identifier: BSD-2-Clause
/* Decodes arm64. Each instruction is a word, and a few masks tell all that is needed. */
#include "binary/arm64/arm64_code.h"

#include <stdlib.h>
#include <string.h>

#include "binary/arm64/arm64_impl.h"
#include "binary/arm64/arm64_insn.h"

#define TABLE_LOAD_NEAR 6 /* instructions between a jump table's load and its jump */

static struct decoder *open_decoder(void)
{
	return calloc(1, sizeof(struct decoder));
}

static void close_decoder(struct decoder *d)
{
	free(d);
}

static uint64_t *place_of(struct decoder *d, uint64_t vaddr, uint64_t *bit)
{
	const size_t i = vaddr / ARM64_BYTES % ARM64_AHEAD;

	*bit = 1ull << i % 64;
	return &d->constants[i / 64];
}

/* The assembler puts constants behind the code that loads them, inside the function. */
static void note_constant(struct decoder *d, uint32_t w, uint64_t vaddr)
{
	int64_t distance;
	const unsigned bytes = arm64_literal(w, &distance);
	uint64_t bit;

	for (unsigned i = 0; i < bytes && distance > 0; i += ARM64_BYTES) {
		uint64_t *place = place_of(d, vaddr + (uint64_t)distance + i, &bit);

		d->n_constants += !(*place & bit);
		*place |= bit;
	}
}

static bool take_constant(struct decoder *d, uint64_t vaddr)
{
	uint64_t bit, *place = place_of(d, vaddr, &bit);

	if (!(*place & bit))
		return false;
	*place &= ~bit;
	d->n_constants--;
	return true;
}

static bool decode(struct decoder *d, const uint8_t *p, size_t left, uint64_t vaddr,
		   struct insn *in)
{
	if (vaddr != d->next && d->n_constants) {
		memset(d->constants, 0, sizeof(d->constants));
		d->n_constants = 0;
	}
	d->next = vaddr + ARM64_BYTES;
	if (left < ARM64_BYTES)
		return false;
	if (d->n_constants && take_constant(d, vaddr)) {
		*in = (struct insn){
			.off = in->off, .len = ARM64_BYTES, .flow = FLOW_TRAP, .class = INSN_REFUSED
		};
		return true;
	}
	arm64_classify(load32(p), in);
	note_constant(d, load32(p), vaddr);
	return true;
}

/* br Xn, after ldr Xn, [Xm, Xi, lsl #3]. */
static bool is_table_jump(const struct body *y, size_t i)
{
	const unsigned reg = arm64_rn(arm64_word(y, &y->insns[i]));

	for (size_t n = 0; n < TABLE_LOAD_NEAR && i-- > 0 && y->insns[i].flow == FLOW_NEXT; n++) {
		const uint32_t w = arm64_word(y, &y->insns[i]);

		if ((w & 0xffe0fc00) == 0xf8607800 && arm64_rd(w) == reg)
			return true;
	}
	return false;
}

const struct arch_code arm64_code = {
	.no_decoder = "",
	.entry_at_check = true,
	.open = open_decoder,
	.close = close_decoder,
	.decode = decode,
	.is_table_jump = is_table_jump,
	.check = arm64_check,
	.g_in_register = arm64_g_in_register,
	.may_fault = arm64_may_fault,
	.reads_closure = arm64_reads_closure,
	.writes_closure = arm64_writes_closure,
	.writes_result = arm64_writes_result,
	.follow_sp = arm64_follow_sp,
	.memory = arm64_memory,
};
