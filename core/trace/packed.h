/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of events in memory, packed as in a file, to be written into one later, or into several.
 */
#ifndef GOTRACE_PACKED_H
#define GOTRACE_PACKED_H

#include "trace/trace.h"

/* One block; to be freed with free. */
struct packed_block {
	uint64_t first_ns, last_ns; /* of its events */
	uint32_t events, raw_bytes, stored_bytes, crc;
	uint16_t flags; /* CHUNK_* */
	/* of its events, which go before them; n 0: none has any */
	struct {
		uint32_t n, raw_bytes, stored_bytes, crc;
		uint16_t flags;
	} values;
	uint8_t stored[]; /* stored_bytes of the events, then those of the values */
};

/* The memory that it takes. */
static inline size_t packed_block_bytes(const struct packed_block *b)
{
	return sizeof(*b) + b->stored_bytes + b->values.stored_bytes;
}

struct packer;

struct packer *packer_new(void); /* NULL: no memory */
void packer_free(struct packer *p);
/* Adds up to n events, all of kinds that have no arguments; arg (n is 1): of one that has some.
 * Returns how many: fewer when the block is full. */
size_t packer_add(struct packer *p, const struct event *ev, size_t n, const uint64_t (*arg)[4]);
/* Values of the event that is added next, alone. 0, -ENOMEM, or -ENOBUFS: the block is full, to be
 * ended first. */
int packer_values(struct packer *p, const struct trace_values *v);
size_t packer_events(const struct packer *p); /* in the block so far */
/* The block, which has events; the next one added begins another. NULL and errno (logged). */
struct packed_block *packer_end(struct packer *p);

/* Appends a block to a trace, after all that was given before. As trace_writer_event. */
int trace_writer_packed(struct trace_writer *w, const struct packed_block *b);

#endif
