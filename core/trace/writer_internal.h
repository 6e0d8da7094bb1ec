/* SPDX-License-Identifier: BSD-2-Clause */
/* The writer's insides, shared by its files. */
#ifndef GOTRACE_WRITER_INTERNAL_H
#define GOTRACE_WRITER_INTERNAL_H

#include "trace/chunk_file.h"
#include "trace/samples.h"
#include "trace/summary_slot.h"
#include "trace/value_items.h"

/* A table chunk ends after the item that makes it larger than this. */
#define TABLE_CHUNK_BYTES (256u << 10)

struct writer_samples;

struct trace_writer {
	int fd;
	bool bad_event_logged, pcs_full_logged;
	uint64_t events; /* events given */
	uint64_t tables_bytes;
	size_t n_kvs, n_pcs; /* keys and pcs given so far */
	void (*on_pc)(void *ctx, const struct trace_pc *pc);
	void *on_pc_ctx;
	struct chunk_file *file;
	struct summary_slots slots;
	struct block_encoder *encoder;
	/* items that no chunk carries yet */
	struct table {
		struct bytes b;
		uint32_t count;
	} kvs, pcs;
	struct value_items values;      /* values of the block's events */
	struct writer_samples *samples; /* NULL before the first sample */
};

/* writer_table.c */
/* Writes the items of a table, if there are any, and empties it. 0 or -errno. */
int writer_put_table(struct trace_writer *w, uint16_t type, struct table *t);
/* Reports an item that cannot be written, and returns the error that ends the file. */
int writer_refuse(struct trace_writer *w, int err, const char *what, size_t i);

/* writer_samples.c */
/* Writes samples that wait, and the items that they refer to. */
int writer_put_samples(struct trace_writer *w);
/* Returns the number of samples given so far. */
uint64_t writer_samples(const struct trace_writer *w);
/* Returns the most bytes that writer_put_samples may write. */
uint64_t writer_samples_bytes_max(const struct trace_writer *w);
void writer_free_samples(struct trace_writer *w);

#endif
