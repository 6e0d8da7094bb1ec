// SPDX-License-Identifier: BSD-2-Clause
#include "plan/inline_fixes.h"

#include <stdlib.h>

static int by_fix_offset(const void *a, const void *b)
{
	const struct inline_fix *x = a, *y = b;

	return x->off - y->off;
}

/* The distance of a jump, at its end. */
static struct inline_fix fix_of_jump(const uint8_t *displaced, uint8_t at)
{
	const uint8_t opcode = displaced[at];
	const bool near = opcode == 0x0f || opcode == 0xe9; /* jcc or jmp rel32 */

	return (struct inline_fix){ .off = at + (opcode == 0x0f ? 2 : 1),
				    .kind = near ? INLINE_FIX_BRANCH32 : INLINE_FIX_BRANCH8 };
}

void inline_add_fixes(struct inline_stub *out, const uint8_t *rip, unsigned n_rip,
		      const uint8_t *jumps, unsigned n_jumps)
{
	for (unsigned i = 0; i < n_rip; i++)
		out->fixes[out->n_fixes++] = (struct inline_fix){ .off = rip[i],
								  .kind = INLINE_FIX_MEMORY };
	for (unsigned i = 0; i < n_jumps; i++)
		out->fixes[out->n_fixes++] = fix_of_jump(out->displaced, jumps[i]);
	qsort(out->fixes, out->n_fixes, sizeof(*out->fixes), by_fix_offset);
}
