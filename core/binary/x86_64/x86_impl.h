/* SPDX-License-Identifier: BSD-2-Clause */
/* The members of x86-64's struct arch. Private to this folder. */
#ifndef GOTRACE_X86_IMPL_H
#define GOTRACE_X86_IMPL_H

#include "binary/arch.h"

extern const struct arch_code x86_code;
extern const struct arch_text x86_text;

/* See struct arch. */
int x86_tls_of_g(const struct gobin *b, int64_t *off);
void x86_text_writers(const struct gobin *b, void (*fn)(void *ctx, const struct gofunc *f),
		      void *ctx);
uint64_t x86_address_taken(const uint8_t *p, size_t left, uint64_t vaddr);
uint64_t x86_words_loaded(const uint8_t *p, size_t left, uint64_t vaddr, unsigned *n);
uint64_t x86_called(const uint8_t *p, size_t left, uint64_t vaddr);
bool x86_byte_compared(const uint8_t *p, size_t left, uint8_t *n);

#endif
