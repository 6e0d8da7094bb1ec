/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of events in memory, packed as in a file. They are written later into one file or
 * several. */
#ifndef GOTRACE_PACKED_H
#define GOTRACE_PACKED_H

#include "trace/trace.h"

/* One block; to be freed with free. */
struct packed_block {
	uint64_t first_ns, last_ns; /* times of its first and last event */
	uint32_t events, raw_bytes, stored_bytes, crc;
	uint16_t flags; /* CHUNK_* */
	/* The values of its events; n is 0 when there are none. A file has them before the
	 * events. */
	struct {
		uint32_t n, raw_bytes, stored_bytes, crc;
		uint16_t flags;
	} values;
	uint8_t stored[]; /* stored_bytes of the events, then those of the values */
};

/* Returns the memory of a block, in bytes. */
static inline size_t packed_block_bytes(const struct packed_block *b)
{
	return sizeof(*b) + b->stored_bytes + b->values.stored_bytes;
}

struct packer;

struct packer *packer_new(void); /* NULL: no memory */
void packer_free(struct packer *p);
/* Adds up to n events. arg is NULL for kinds without arguments. An event with arguments is added
 * alone, with arg. Returns the number of events added, which is smaller than n when the block is
 * full. */
size_t packer_add(struct packer *p, const struct event *ev, size_t n, const uint64_t (*arg)[4]);
/* Sets the values of the next event, which must be added alone. 0, -ENOMEM, or -ENOBUFS when the
 * block is full and must be ended first. */
int packer_values(struct packer *p, const struct trace_values *v);
size_t packer_events(const struct packer *p); /* number of events in the block */
/* Returns the block, which must have events. The next event added begins another one. NULL and
 * errno (logged). */
struct packed_block *packer_end(struct packer *p);

/* Appends a block to a trace, after all events given before. Returns like trace_writer_event. */
int trace_writer_packed(struct trace_writer *w, const struct packed_block *b);

#endif
