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
	int err;    /* what a failed read returned, for ever after */
	bool started, ended, complete;
	bool growing;    /* when it was opened */
	uint64_t until;  /* where the file ended then; no chunk is read that begins behind it */
	uint64_t off;    /* of what is read next */
	uint64_t sound;  /* up to there, chunks are whole */
	uint64_t events; /* in the blocks read */
	uint64_t tables_bytes;
	uint64_t items[CHUNK_TYPES]; /* of each kind of table */
	uint32_t seq;
	struct trace_info info;
	struct bytes stored;
	struct chunk_unpacker unpacker;
	struct block block;
	struct summary_newest summary;
	struct slot {
		uint64_t off;
		uint32_t bytes;
	} * slots; /* of summaries */
	size_t n_slots, cap_slots;
	size_t at, args_at;         /* next event of the block, next of its arguments */
	struct block_values values; /* of the block, or of the next one */
	size_t values_at;           /* next of them */
	bool values_wait;           /* their block was not read yet */
	struct sample_tables tables;
	struct sample *samples; /* of the block of samples read last */
	size_t n_block, cap_samples;
	uint64_t n_samples;         /* in the blocks read */
	sample_resolve_fn *resolve; /* NULL: nobody looks up addresses */
	void *resolve_ctx;
	uint64_t stack_pcs; /* in their stacks, as the limit counts them */
};

/* reader_samples.c. NULL, or what is wrong ("" for no memory). */
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
