/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chunks (FORMAT.md, "Chunks"): packed, checksummed pieces of a file. Private
 * to core/trace.
 */
#ifndef GOTRACE_CHUNK_H
#define GOTRACE_CHUNK_H

#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

#include "trace/block.h"
#include "trace/format.h"
#include "trace/tables.h"

/* ---- writing ---- */

struct chunk_packer {
	ZSTD_CCtx *zstd;
	bool hurried;
	struct bytes out; /* header and payload of the last chunk packed, ready to be written */
};

int chunk_packer_init(struct chunk_packer *c);
void chunk_packer_free(struct chunk_packer *c);

/* Packs chunks faster but larger from now on, or no longer so. */
void chunk_packer_hurry(struct chunk_packer *c, bool hurry);

/* Packs the pieces into c->out as the chunk h. The caller sets type, flags, count, seq and first_ns
 * of h, and this sets the rest. Small payloads are not compressed. 0, -ENOMEM, or -EIO when zstd
 * fails. */
int chunk_pack(struct chunk_packer *c, struct chunk_head *h, const struct block_piece *pieces,
	       size_t n_pieces);

/* Fills in the mark and the checksum of h and writes it as CHUNK_HEAD_BYTES. */
void chunk_head_put(uint8_t *p, struct chunk_head *h);

/* ---- reading ---- */

/* Reads a header of 40 bytes. Returns NULL, or the fault in its mark, checksum or limits. */
const char *chunk_head_get(struct chunk_head *h, const uint8_t *p);

struct chunk_unpacker {
	ZSTD_DCtx *zstd;
	uint8_t *raw; /* the payload, h.raw_bytes long; may lie in the caller's `stored` */
	struct bytes space;
};

int chunk_unpacker_init(struct chunk_unpacker *c);
void chunk_unpacker_free(struct chunk_unpacker *c);

/* Checks a stored payload and unpacks it into c->raw. Returns NULL, or the fault ("" for no
 * memory). */
const char *chunk_unpack(struct chunk_unpacker *c, const struct chunk_head *h, uint8_t *stored);

#endif
