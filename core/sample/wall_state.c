// SPDX-License-Identifier: BSD-2-Clause
#include "sample/wall_state.h"

#include <string.h>

uint8_t wall_reason(struct wall *w, const char *text)
{
	for (unsigned i = 1; i <= w->n_reasons; i++)
		if (!strcmp(w->reason[i], text))
			return (uint8_t)i;
	if (w->n_reasons + 1 >= WALL_REASONS)
		return 0;
	w->reason[w->n_reasons + 1] = strdup(text);
	return w->reason[w->n_reasons + 1] ? (uint8_t)++w->n_reasons : 0;
}

double wall_chance(struct wall *w)
{
	w->random ^= w->random >> 12;
	w->random ^= w->random << 25;
	w->random ^= w->random >> 27;
	return (double)(w->random * 0x2545f4914f6cdd1dull >> 11) / (double)(1ull << 53);
}

void wall_gap(struct wall *w, uint64_t ns)
{
	w->gap_ns = ns > w->gap_ns ? ns : w->gap_ns;
}
