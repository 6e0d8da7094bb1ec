/* SPDX-License-Identifier: BSD-2-Clause */
/* Single instructions as text, in the AT&T spelling. */
#ifndef GOTRACE_DISASM_H
#define GOTRACE_DISASM_H

#include <stddef.h>

#include "binary/gobin.h"

struct disasm;

/* Returns NULL with errno ENOMEM, or ENOTSUP when capstone has no x86. Borrows b. */
struct disasm *disasm_new(const struct gobin *b);
void disasm_free(struct disasm *d);

/* Writes the instruction at a link-time address, "?" where there is none. */
void disasm_text(struct disasm *d, uint64_t vaddr, char *out, size_t size);

/* Returns the instruction's length in bytes, 0 where there is none. */
unsigned disasm_length(struct disasm *d, uint64_t vaddr);

#endif
