/* SPDX-License-Identifier: BSD-2-Clause */
/* What of displaced code depends on its address. Private to core/plan. */
#ifndef GOTRACE_INLINE_FIXES_H
#define GOTRACE_INLINE_FIXES_H

#include "plan/inline_stub.h"

/* Adds to a stub, whose displaced bytes are known, operands relative to rip and jumps, by their
 * offsets from the first displaced byte. */
void inline_add_fixes(struct inline_stub *out, const uint8_t *rip, unsigned n_rip,
		      const uint8_t *jumps, unsigned n_jumps);

#endif
