/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file of chunks. The caller packs and writes them, or hands blocks over to a thread of the file
 * and goes on. Private to core/trace.
 */
#ifndef GOTRACE_CHUNK_FILE_H
#define GOTRACE_CHUNK_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/chunk.h"

struct chunk_file;

/* Returns NULL when there is no memory. The caller owns `fd`, and the bytes before the first chunk
 * are the caller's, too. */
struct chunk_file *chunk_file_new(int fd);
/* Writes all blocks that were handed over, then frees f. */
void chunk_file_free(struct chunk_file *f);

/* Writes bytes that are no chunk. 0 or -errno. */
int chunk_file_raw(struct chunk_file *f, const uint8_t *p, size_t n);

/* Packs a chunk and writes it, after all blocks that were handed over. The caller sets type, count
 * and first_ns of h. 0 or -errno, logged once; every later call then returns the same error and
 * writes nothing. The bytes written before stay readable. */
int chunk_file_put(struct chunk_file *f, struct chunk_head *h, const struct block_piece *pieces,
		   size_t n_pieces);

/* Writes a chunk that is packed already, after all blocks that were handed over. The caller sets
 * all of h except seq. Returns like chunk_file_put. */
int chunk_file_put_packed(struct chunk_file *f, struct chunk_head *h, const uint8_t *stored);

/* ---- chunks that are written again and again, after all blocks that were handed over */

/* Returns whether f can write before the end of the file. It cannot in a pipe. */
bool chunk_file_seeks(const struct chunk_file *f);
/* Writes the header of a chunk of n bytes, whose type and flags are set. The caller writes the n
 * bytes with chunk_file_raw. */
int chunk_file_head(struct chunk_file *f, struct chunk_head *h, uint32_t n);
/* Writes a chunk of n zeros and sets *off to the offset of its payload. */
int chunk_file_blank(struct chunk_file *f, struct chunk_head *h, uint32_t n, uint64_t *off);
/* Overwrites n bytes of the file at `off`. */
int chunk_file_over(struct chunk_file *f, uint64_t off, const uint8_t *p, size_t n);

/* Starts the thread. 0 or -errno. */
int chunk_file_start_thread(struct chunk_file *f);

/* Blocks that may wait for the thread, with the one that it packs. */
#define CHUNKS_IN_FLIGHT 2

/* Does the work of chunk_file_put in the thread. Copies the pieces, waits while CHUNKS_IN_FLIGHT
 * blocks are not written, and returns. It returns an error of earlier blocks as soon as it is
 * known. Without a thread it is chunk_file_put. */
int chunk_file_hand_over(struct chunk_file *f, struct chunk_head *h,
			 const struct block_piece *pieces, size_t n_pieces);

/* Waits until all blocks that were handed over are written. 0 or the error. */
int chunk_file_wait(struct chunk_file *f);
/* Waits until they are on the disk, too. */
int chunk_file_sync(struct chunk_file *f);
/* Makes err the error of the file, if it has none yet. Returns the file's error. */
int chunk_file_refuse(struct chunk_file *f, int err);

/* Packs later chunks faster but larger, or no longer so. */
void chunk_file_hurry(struct chunk_file *f, bool hurry);

int chunk_file_error(const struct chunk_file *f);      /* 0, or the error that ended the file */
uint64_t chunk_file_bytes(const struct chunk_file *f); /* size of the file */
/* Returns the largest size that the file may have after all blocks that were handed over. */
uint64_t chunk_file_bytes_max(const struct chunk_file *f);
/* Returns the largest size of n bytes as a packed chunk. */
uint64_t chunk_bytes_max(uint64_t n);

#endif
