// SPDX-License-Identifier: BSD-2-Clause
/* Rows that tables of executables and images must leave alone. */
#include "sample/processes_room.h"

static void mark_binaries(void *ctx, struct binaries *b)
{
	const struct processes *p = ctx;

	for (size_t i = 0; i < p->n; i++)
		if (!p->all[i].ended)
			binaries_mark(b, p->all[i].binary);
}

static bool lives(void *ctx, uint32_t pid)
{
	const struct process *one = process_find(ctx, pid, UINT64_MAX);

	return one && !one->ended;
}

void processes_tell(struct processes *p, struct binaries *b, struct natives *n)
{
	p->binaries = b;
	p->natives = n;
	b->living = mark_binaries;
	b->living_ctx = p;
	if (!n)
		return;
	n->lives = lives;
	n->lives_ctx = p;
}
