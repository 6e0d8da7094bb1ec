/* SPDX-License-Identifier: BSD-2-Clause */
/* Padding between functions, which gives room for jumps to stubs. Private to core/plan. */
#ifndef GOTRACE_INLINE_PADDING_H
#define GOTRACE_INLINE_PADDING_H

#include "plan/plan.h"

/* Five free bytes of padding near fn that a jump of two bytes at `vaddr` in it reaches: taken from
 * now on. *padding: their address, 0 when there are none. 0 or -ENOMEM. */
int inline_take_padding(struct plan *p, const struct gofunc *fn, uint64_t vaddr, uint64_t *padding);

/* Whether a jump of two bytes at `vaddr` reaches that padding. */
bool inline_padding_reached(uint64_t vaddr, uint64_t padding);

/* How many bytes from `vaddr` to the next function are padding, all of it, of which the first five
 * are free; else 0. */
unsigned inline_padding_at(const struct plan *p, const struct gofunc *fn, uint64_t vaddr);

/* Five bytes at `at` are taken from now on. 0 or -ENOMEM. */
int inline_note_padding(struct plan *p, uint64_t at);

#endif
