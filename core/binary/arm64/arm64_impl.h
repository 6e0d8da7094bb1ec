/* SPDX-License-Identifier: BSD-2-Clause */
/* The members of arm64's struct arch. Private to this folder. */
#ifndef GOTRACE_ARM64_IMPL_H
#define GOTRACE_ARM64_IMPL_H

#include "binary/arch.h"

extern const struct arch_code arm64_code;
extern const struct arch_text arm64_text;

/* See struct arch. */
int arm64_tls_of_g(const struct gobin *b, int64_t *off);
void arm64_text_writers(const struct gobin *b, void (*fn)(void *ctx, const struct gofunc *f),
			void *ctx);
uint64_t arm64_address_taken(const uint8_t *p, size_t left, uint64_t vaddr);
uint64_t arm64_words_loaded(const uint8_t *p, size_t left, uint64_t vaddr, unsigned *n);
uint64_t arm64_called(const uint8_t *p, size_t left, uint64_t vaddr);
bool arm64_byte_compared(const uint8_t *p, size_t left, uint8_t *n);

#endif
