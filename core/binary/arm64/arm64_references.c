// SPDX-License-Identifier: BSD-2-Clause
/* The few instructions that are looked for in the runtime's code. */
#include "binary/arm64/arm64_impl.h"
#include "binary/arm64/arm64_insn.h"
#include "binary/elffile.h"

static uint32_t word_at(const uint8_t *p, size_t left, unsigned i)
{
	return left >= (i + 1) * ARM64_BYTES ? load32(p + i * ARM64_BYTES) : 0;
}

uint64_t arm64_address_taken(const uint8_t *p, size_t left, uint64_t vaddr)
{
	const uint32_t page = word_at(p, left, 0), add = word_at(p, left, 1);
	int64_t distance, n;

	if (!arm64_adrp(page, &distance) || !arm64_add(add, &n) || arm64_rn(add) != arm64_rd(page))
		return 0;
	return (vaddr & ~(uint64_t)4095) + (uint64_t)(distance + n);
}

/* adrp, perhaps add, and a load of one word or two. */
uint64_t arm64_words_loaded(const uint8_t *p, size_t left, uint64_t vaddr, unsigned *n)
{
	const uint32_t page = word_at(p, left, 0);
	unsigned i = 1, base = arm64_rd(page);
	int64_t distance, more = 0, at;

	if (!arm64_adrp(page, &distance))
		return 0;
	if (arm64_add(word_at(p, left, i), &more) && arm64_rn(word_at(p, left, i)) == base)
		base = arm64_rd(word_at(p, left, i++));
	else
		more = 0;
	const uint32_t load = word_at(p, left, i);
	const bool two = arm64_load_two64(load, &at);

	if (arm64_rn(load) != base || (!two && !arm64_load64(load, &at)))
		return 0;
	*n = two ? 2 : 1;
	return (vaddr & ~(uint64_t)4095) + (uint64_t)(distance + more + at);
}

uint64_t arm64_called(const uint8_t *p, size_t left, uint64_t vaddr)
{
	struct insn in = { 0 };

	if (left < ARM64_BYTES)
		return 0;
	arm64_classify(load32(p), &in);
	return in.flow == FLOW_CALL ? vaddr + (uint64_t)in.target : 0;
}

bool arm64_byte_compared(const uint8_t *p, size_t left, uint8_t *n)
{
	/* cmp Wn, #n */
	if (left < ARM64_BYTES || (load32(p) & 0xffc0001f) != 0x7100001f ||
	    (load32(p) >> 10 & 0xfff) > UINT8_MAX)
		return false;
	*n = (uint8_t)(load32(p) >> 10);
	return true;
}
