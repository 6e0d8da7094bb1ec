/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slots for summaries (FORMAT.md, "Summary"). A slot is a chunk whose payload is written again and
 * again. Private to core/trace.
 */
#ifndef GOTRACE_SUMMARY_SLOT_H
#define GOTRACE_SUMMARY_SLOT_H

#include "trace/chunk_file.h"
#include "trace/trace.h"

/* The two slots that a writer writes in turn. A zeroed struct has no slots. */
struct summary_slots {
	uint64_t generation; /* the number of the last summary */
	uint64_t off[2];     /* offsets of the slots' payloads in the file */
	uint32_t bytes;      /* size of each slot; 0 before there are any */
};

/* Writes a summary into the older slot, or into one of two new slots when it does not fit. In a
 * file that can only grow, only the last summary is written, in a slot of its size. 0 or -errno,
 * logged. -E2BIG: it fits into no slot, and the file is unchanged. */
int summary_slots_write(struct summary_slots *s, struct chunk_file *f,
			const struct trace_summary *what, bool last);

/* The newest summary that a reader has met. A zeroed struct has none. */
struct summary_newest {
	uint64_t generation;
	uint32_t raw_bytes;
	struct bytes packed; /* n is 0 when there is no summary */
	struct bytes raw;
};

/* Copies the payload of a slot if it is a whole summary and newer. 0 or -ENOMEM. */
int summary_newest_take(struct summary_newest *s, const uint8_t *payload, size_t n);
/* Unpacks the summary into s->raw. Returns 1, 0 when there is none, -EBADMSG, -ENOMEM. */
int summary_newest_unpack(struct summary_newest *s);
void summary_newest_free(struct summary_newest *s);

#endif
