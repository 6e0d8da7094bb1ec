// SPDX-License-Identifier: BSD-2-Clause
#include "sample/go_chain.h"

/* Nothing that calls mcall or a function of the root belongs to the stack. */
static bool is_root(const struct sample_binary *b, uint64_t off)
{
	for (uint32_t i = 0; i < b->n_specials && i < SAMPLE_SPECIALS; i++)
		if (off >= b->special[i].from && off < b->special[i].to &&
		    (b->special[i].what == SAMPLE_AT_ROOT || b->special[i].what == SAMPLE_AT_SCHED))
			return true;
	return false;
}

bool go_chain_ends(const struct sample_binary *b, uint64_t bias, const uint64_t *pcs, uint32_t *n)
{
	for (uint32_t i = 0; i < *n; i++) {
		const uint64_t off = pcs[i] - bias - b->text;

		if (off >= b->etext - b->text || !is_root(b, off))
			continue;
		*n = i + 1;
		return true;
	}
	return false;
}
