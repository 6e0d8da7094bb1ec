// SPDX-License-Identifier: BSD-2-Clause
#include "sample/snapshot_walk.h"

#include <string.h>

#include "trace/samples.h"

#define MORE_BYTES 8192

/* Bytes from the return address of what executes at link-time pc down to sp; -1: not known. */
static int32_t delta_at(const struct gostack *rows, uint64_t pc)
{
	size_t low = 0, high = rows->n;

	if (pc < rows->text || pc >= rows->etext)
		return -1;
	const uint64_t off = pc - rows->text;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (rows->rows[mid].off <= off)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? rows->rows[low - 1].delta : -1;
}

static uint32_t special_at(const struct snapshot *s, uint64_t pc)
{
	for (unsigned i = 0; i < s->n_special; i++)
		if (pc >= s->special[i].from && pc < s->special[i].to)
			return s->special[i].what;
	return 0;
}

/* The word at `at`, from a window that may be moved up to it with the memory of `more`. */
static bool word_at(const struct snapshot *s, struct stack_window *w, uint64_t at,
		    uint8_t more[MORE_BYTES], uint64_t *to)
{
	if (at < w->from || at + 8 > w->hi || at & 7)
		return false;
	if (at + 8 > w->from + w->bytes) {
		size_t bytes = w->hi - at < MORE_BYTES ? w->hi - at : MORE_BYTES;

		if (snapshot_read(s, at, more, bytes))
			return false;
		w->from = at;
		w->data = more;
		w->bytes = bytes;
	}
	memcpy(to, w->data + (at - w->from), 8);
	return true;
}

void snapshot_walk(const struct snapshot *s, struct stack_window *w, uint64_t pc, uint64_t start,
		   struct snapshot_goroutine *to)
{
	uint8_t more[MORE_BYTES];
	uint64_t sp = w->from;
	/* One that has not run yet is about to execute its first instruction. */
	bool returns = pc != start;

	while (pc) {
		const uint64_t at = pc - (returns ? 1 : 0);
		const uint32_t special = special_at(s, at - s->bias);
		int32_t delta;

		if (to->n == SNAPSHOT_FRAMES) {
			to->flags |= STACK_CUT;
			return;
		}
		to->pcs[to->n++] = at;
		if (special == SNAPSHOT_ROOT)
			return;
		delta = delta_at(&s->rows, at - s->bias);
		if (delta < 0 || !word_at(s, w, sp + (uint32_t)delta, more, &pc)) {
			to->flags |= STACK_UNREADABLE;
			return;
		}
		sp += (uint32_t)delta + 8;
		returns = special != SNAPSHOT_INTERRUPT;
	}
}
