/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of displaced code that depend on its address. Private to core/plan. */
#ifndef GOTRACE_INLINE_FIXES_H
#define GOTRACE_INLINE_FIXES_H

#include "plan/inline_stub.h"

/* Adds fixes to a stub whose displaced bytes are known. rip has the offsets of operands relative to
 * rip, jumps those of jumps, from the first displaced byte. */
void inline_add_fixes(struct inline_stub *out, const uint8_t *rip, unsigned n_rip,
		      const uint8_t *jumps, unsigned n_jumps);

#endif
