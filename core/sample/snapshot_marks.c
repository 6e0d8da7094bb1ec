// SPDX-License-Identifier: BSD-2-Clause
/* Whether goroutines have run since they were asked before: a piece of each g, many at a time. */
#include <errno.h>
#include <string.h>

#include "sample/snapshot_walk.h"

#define PIECES    256
#define MARK_MOST 512 /* bytes of a piece */
#define SCAN      0x1000u

static uint64_t word(const struct snapshot *s, const uint8_t *piece, int32_t off)
{
	uint64_t v;

	memcpy(&v, piece + ((size_t)off - s->mark_from), sizeof(v));
	return v;
}

/* The garbage collector changes a g that waits, but nothing of this. */
static uint64_t mark_of(const struct snapshot *s, const uint8_t *piece)
{
	const struct golayout *l = &s->layout;
	const uint32_t status = (uint32_t)word(s, piece, l->g_atomicstatus) & ~SCAN;
	/* Where it is not known, one that came back to the same place seems to have stayed. */
	const uint8_t seq = l->g_tracking_seq < 0 ? 0 : (uint8_t)word(s, piece, l->g_tracking_seq);
	const uint64_t of[] = { word(s, piece, l->g_goid), (uint64_t)status << 8 | seq,
				word(s, piece, l->g_sched_pc), word(s, piece, l->g_sched_sp) };
	uint64_t mark = 0;

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		mark = (mark ^ of[i]) * 0x9e3779b97f4a7c15ull ^ (mark ^ of[i]) >> 29;
	return mark ? mark : 1;
}

/* What cannot be read has a mark of 1. */
static int read_some(struct snapshot *s, const uint32_t *which, size_t n, uint64_t *marks)
{
	struct iovec there[PIECES];
	uint8_t pieces[PIECES * MARK_MOST];
	size_t listed = 0;
	uint8_t of[PIECES]; /* by piece: its place in `which` */

	for (size_t i = 0; i < n; i++) {
		const uint64_t g = s->list[which[i]];

		marks[i] = 1;
		if (!g) /* being appended */
			continue;
		of[listed] = (uint8_t)i;
		there[listed++] = (struct iovec){ (void *)(uintptr_t)(g + s->mark_from),
						  s->mark_bytes };
	}
	ssize_t got = snapshot_read_pieces(s, pieces, there, listed);

	if (got < 0)
		return (int)got;
	for (size_t k = 0; k < (size_t)got / s->mark_bytes; k++)
		marks[of[k]] = mark_of(s, pieces + k * s->mark_bytes);
	return 0;
}

int snapshot_marks(struct snapshot *s, const uint32_t *which, size_t n, uint64_t *marks)
{
	int err = s->mark_bytes > MARK_MOST ? -ENOTSUP : 0;

	for (size_t i = 0; i < n && !err; i += PIECES)
		err = read_some(s, which + i, n - i < PIECES ? n - i : PIECES, marks + i);
	return err;
}
