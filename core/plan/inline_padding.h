/* SPDX-License-Identifier: BSD-2-Clause */
/* Padding between functions, which gives room for jumps to stubs. Private to core/plan. */
#ifndef GOTRACE_INLINE_PADDING_H
#define GOTRACE_INLINE_PADDING_H

#include "plan/plan.h"

/* Takes five free bytes of padding near fn that a jump of two bytes at `vaddr` in fn reaches.
 * *padding is their address, or 0 when there are none. Returns 0 or -ENOMEM. */
int inline_take_padding(struct plan *p, const struct gofunc *fn, uint64_t vaddr, uint64_t *padding);

/* Returns true when a jump of two bytes at `vaddr` reaches that padding. */
bool inline_padding_reached(uint64_t vaddr, uint64_t padding);

/* Returns the number of bytes from `vaddr` to the next function, if all are padding and the first
 * five are free. Returns 0 otherwise. */
unsigned inline_padding_at(const struct plan *p, const struct gofunc *fn, uint64_t vaddr);

/* Marks five bytes at `at` as taken. Returns 0 or -ENOMEM. */
int inline_note_padding(struct plan *p, uint64_t at);

#endif
