// SPDX-License-Identifier: BSD-2-Clause
/* The few instructions that are looked for in the runtime's code, at any byte. */
#include "binary/elffile.h"
#include "binary/x86_64/x86_impl.h"

#define BYTES 7 /* REX.W, opcode, ModRM, a distance of 4 bytes */

/* The address that an operand relative to rip has; 0: the instruction is another one. */
static uint64_t relative(const uint8_t *p, size_t left, uint64_t vaddr, uint8_t opcode)
{
	if (left < BYTES || (p[0] & 0xfb) != 0x48 || p[1] != opcode || (p[2] & 0xc7) != 0x05)
		return 0;
	return vaddr + BYTES + (uint64_t)(int64_t)(int32_t)load32(p + 3);
}

uint64_t x86_address_taken(const uint8_t *p, size_t left, uint64_t vaddr)
{
	return relative(p, left, vaddr, 0x8d); /* lea d(%rip),%reg */
}

uint64_t x86_words_loaded(const uint8_t *p, size_t left, uint64_t vaddr, unsigned *n)
{
	*n = 1;
	return relative(p, left, vaddr, 0x8b); /* mov d(%rip),%reg */
}

uint64_t x86_called(const uint8_t *p, size_t left, uint64_t vaddr)
{
	if (left < 5 || p[0] != 0xe8)
		return 0;
	return vaddr + 5 + (uint64_t)(int64_t)(int32_t)load32(p + 1);
}

bool x86_byte_compared(const uint8_t *p, size_t left, uint8_t *n)
{
	if (left < 2 || p[0] != 0x3c) /* cmp $n,%al */
		return false;
	*n = p[1];
	return true;
}
