/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file of chunks, and who packs and writes them: the caller, or a thread of the file's own, to
 * which the caller hands blocks and goes on. Private to core/trace.
 */
#ifndef GOTRACE_CHUNK_FILE_H
#define GOTRACE_CHUNK_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/chunk.h"

struct chunk_file;

/* NULL: no memory. `fd` stays the caller's; the bytes before the first chunk too. */
struct chunk_file *chunk_file_new(int fd);
/* Writes what was handed over first. */
void chunk_file_free(struct chunk_file *f);

/* Bytes that are no chunk. 0 or -errno. */
int chunk_file_raw(struct chunk_file *f, const uint8_t *p, size_t n);

/* Packs a chunk (type, count and first_ns given, the rest filled in) and writes it, after all that
 * was handed over. 0 or -errno, logged once; every later call then returns the same error and
 * writes nothing. What was written stays readable. */
int chunk_file_put(struct chunk_file *f, struct chunk_head *h, const struct block_piece *pieces,
		   size_t n_pieces);

/* Writes a chunk that is packed already (all of h given but its number), after all that was handed
 * over. As chunk_file_put. */
int chunk_file_put_packed(struct chunk_file *f, struct chunk_head *h, const uint8_t *stored);

/* ---- chunks that are written again and again, after all that was handed over */

/* Whether bytes may be written before the end of the file, as not in a pipe. */
bool chunk_file_seeks(const struct chunk_file *f);
/* The header of a chunk (type and flags given) of n bytes, which chunk_file_raw is to be given. */
int chunk_file_head(struct chunk_file *f, struct chunk_head *h, uint32_t n);
/* A chunk of n zeros; *off: of its payload. */
int chunk_file_blank(struct chunk_file *f, struct chunk_head *h, uint32_t n, uint64_t *off);
/* Writes over what is there. */
int chunk_file_over(struct chunk_file *f, uint64_t off, const uint8_t *p, size_t n);

/* Starts the thread. 0 or -errno. */
int chunk_file_start_thread(struct chunk_file *f);

/* Blocks that may wait for the thread, the one that it is packing included. */
#define CHUNKS_IN_FLIGHT 2

/* As chunk_file_put, by the thread: copies the pieces and returns, having waited while
 * CHUNKS_IN_FLIGHT others are not written. An error of theirs is returned as soon as it is known.
 * Without a thread the same as chunk_file_put. */
int chunk_file_hand_over(struct chunk_file *f, struct chunk_head *h,
			 const struct block_piece *pieces, size_t n_pieces);

/* Waits until all that was handed over is written. 0 or the error. */
int chunk_file_wait(struct chunk_file *f);
/* And until it is on the disk. */
int chunk_file_sync(struct chunk_file *f);
/* From now on err is the error of the file, if it has none yet. The error that it has. */
int chunk_file_refuse(struct chunk_file *f, int err);

/* Whether chunks given from now on are packed fast, or well. */
void chunk_file_hurry(struct chunk_file *f, bool hurry);

int chunk_file_error(const struct chunk_file *f);      /* 0, or what ended it */
uint64_t chunk_file_bytes(const struct chunk_file *f); /* in the file */
/* What the file will have at the most once all that was handed over is written. */
uint64_t chunk_file_bytes_max(const struct chunk_file *f);
/* What n bytes take at the most when they are packed and written as a chunk. */
uint64_t chunk_bytes_max(uint64_t n);

#endif
