/* SPDX-License-Identifier: BSD-2-Clause */
/* Single instructions as text. */
#ifndef GOTRACE_DISASM_H
#define GOTRACE_DISASM_H

#include <stddef.h>

#include "binary/gobin.h"

struct disasm;

/* The processor's part of it: a decoder of single instructions with their text. */
struct arch_text {
	uint8_t insn_bytes_max; /* bytes of the longest instruction */
	/* Returns NULL with errno ENOMEM, or ENOTSUP when the decoder cannot be had. */
	void *(*open)(void);
	void (*close)(void *decoder);
	/* Decodes the instruction at p, of which `left` bytes may be read. Returns its length in
	 * bytes, 0 where there is none. Writes its text to `out` unless that is NULL. */
	unsigned (*decode)(void *decoder, const uint8_t *p, size_t left, uint64_t vaddr, char *out,
			   size_t size);
};

/* Returns NULL with errno ENOMEM, or ENOTSUP when the decoder cannot be had. Borrows b. */
struct disasm *disasm_new(const struct gobin *b);
void disasm_free(struct disasm *d);

/* Writes the instruction at a link-time address, "?" where there is none. */
void disasm_text(struct disasm *d, uint64_t vaddr, char *out, size_t size);

/* Returns the instruction's length in bytes, 0 where there is none. */
unsigned disasm_length(struct disasm *d, uint64_t vaddr);

#endif
