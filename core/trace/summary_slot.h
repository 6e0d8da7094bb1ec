/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slots for summaries (FORMAT.md, "Summary"): chunks whose payload is written again and again.
 * Private to core/trace.
 */
#ifndef GOTRACE_SUMMARY_SLOT_H
#define GOTRACE_SUMMARY_SLOT_H

#include "trace/chunk_file.h"
#include "trace/trace.h"

/* The two slots that a writer writes in turn. Zeroed: none yet. */
struct summary_slots {
	uint64_t generation; /* of the last summary */
	uint64_t off[2];     /* of their payloads in the file */
	uint32_t bytes;      /* of each; 0: there is none */
};

/* Writes a summary into the older slot, or into one of two new ones when it does not fit. On a file
 * that only grows, the last one is written, in a slot of its size. 0 or -errno, logged; -E2BIG: it
 * fits into no slot, and the file is as it was. */
int summary_slots_write(struct summary_slots *s, struct chunk_file *f,
			const struct trace_summary *what, bool last);

/* The newest summary that a reader has met. Zeroed: none. */
struct summary_newest {
	uint64_t generation;
	uint32_t raw_bytes;
	struct bytes packed; /* n: 0 when there is none */
	struct bytes raw;
};

/* Takes the payload of a slot if it holds a whole summary that is newer. 0 or -ENOMEM. */
int summary_newest_take(struct summary_newest *s, const uint8_t *payload, size_t n);
/* Unpacks it into s->raw. 1, 0 when there is none, -EBADMSG, -ENOMEM. */
int summary_newest_unpack(struct summary_newest *s);
void summary_newest_free(struct summary_newest *s);

#endif
