/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader's insides, shared by its files. */
#ifndef GOTRACE_READER_INTERNAL_H
#define GOTRACE_READER_INTERNAL_H

#include "trace/block_values.h"
#include "trace/chunk.h"
#include "trace/samples.h"
#include "trace/summary_slot.h"
#include "trace/trace.h"

struct trace_reader {
	int fd;
	char *name; /* for messages */
	int err;    /* the error of a failed read, which later reads return too */
	bool started, ended, complete;
	bool growing; /* the file grew when it was opened */
	/* the end of the file then; no chunk that begins behind it is read */
	uint64_t until;
	uint64_t off;    /* offset of the next read */
	uint64_t sound;  /* chunks are whole up to this offset */
	uint64_t events; /* events in the blocks read */
	uint64_t tables_bytes;
	uint64_t items[CHUNK_TYPES]; /* items of each kind of table */
	uint32_t seq;
	struct trace_info info;
	struct bytes stored;
	struct chunk_unpacker unpacker;
	struct block block;
	struct summary_newest summary;
	struct slot {
		uint64_t off;
		uint32_t bytes;
	} * slots; /* slots of summaries */
	size_t n_slots, cap_slots;
	size_t at, args_at;         /* the next event of the block, the next of its arguments */
	struct block_values values; /* values of this block or the next one */
	size_t values_at;           /* index of the next value */
	bool values_wait;           /* the block of `values` was not read yet */
	struct sample_tables tables;
	struct sample *samples; /* the last block of samples read */
	size_t n_block, cap_samples;
	uint64_t n_samples;         /* samples in the blocks read */
	sample_resolve_fn *resolve; /* NULL: addresses are not looked up */
	void *resolve_ctx;
	uint64_t stack_pcs; /* addresses in stacks, as the limit counts them */
};

/* reader_samples.c. These return NULL, or the fault ("" for no memory). */
/* Counts a chunk of a table against the limits. */
const char *reader_count_table(struct trace_reader *r, const struct chunk_head *h);
const char *reader_take_sample_table(struct trace_reader *r, const struct chunk_head *h);
const char *reader_take_samples(struct trace_reader *r, const struct chunk_head *h);
void reader_free_samples(struct trace_reader *r);

/* reader_again.c */
/* Takes the slot that has just been read. NULL, or "" for no memory. */
const char *reader_take_summary(struct trace_reader *r, const struct chunk_head *h);
/* Sets r->growing and r->until. A writer that is faster than its reader would keep the reader busy
 * until it ends. */
void reader_look_how_far(struct trace_reader *r);

#endif
