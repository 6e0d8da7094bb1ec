// SPDX-License-Identifier: BSD-2-Clause
/* For ZSTD_c_literalCompressionMode. */
#define ZSTD_STATIC_LINKING_ONLY
#include "trace/chunk.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/log.h"
#include "base/vec.h"

/* The level at which the encoder costs the target least; higher ones gain a few per cent here. */
#define ZSTD_LEVEL 1
/* In a hurry: hardly looks for repetitions and packs bytes by how often they come. The columns of
 * a block are mostly made of bytes that do not repeat in sequences: half the time, 10 % larger. */
#define ZSTD_LEVEL_HURRY (-100)
/* Payloads below are stored as they are: a frame would make them no smaller. */
#define PACK_FROM_BYTES 64
/* A zstd block ends with a column of at least this size: columns differ from each other, and each
 * then gets its own entropy tables. */
#define FLUSH_FROM_BYTES 2048

int chunk_packer_init(struct chunk_packer *c)
{
	memset(c, 0, sizeof(*c));
	c->zstd = ZSTD_createCCtx();
	return c->zstd && !ZSTD_isError(ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_compressionLevel,
							       ZSTD_LEVEL))
		       ? 0
		       : -ENOMEM;
}

void chunk_packer_free(struct chunk_packer *c)
{
	ZSTD_freeCCtx(c->zstd);
	free(c->out.data);
	memset(c, 0, sizeof(*c));
}

void chunk_packer_hurry(struct chunk_packer *c, bool hurry)
{
	if (hurry == c->hurried)
		return;
	c->hurried = hurry;
	/* Levels below 0 would leave out the second half, which is the better one here. Where the
	 * library has no such parameter the level stays. */
	if (!ZSTD_isError(
		    ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_literalCompressionMode, ZSTD_ps_enable)))
		ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_compressionLevel,
				       hurry ? ZSTD_LEVEL_HURRY : ZSTD_LEVEL);
}

static int zstd_failed(size_t code)
{
	log_error("packing a block of the trace failed inside zstd: %s", ZSTD_getErrorName(code));
	return -EIO;
}

/* One frame of known content size from all pieces. */
static int pack(struct chunk_packer *c, const struct block_piece *pieces, size_t n_pieces,
		size_t raw_bytes)
{
	/* A flush costs a block header (3 bytes) and what ends the block. */
	size_t room = ZSTD_compressBound(raw_bytes) + 64 * (n_pieces + 1);

	if (vec_reserve(&c->out.data, &c->out.cap, CHUNK_HEAD_BYTES + room))
		return -ENOMEM;
	ZSTD_outBuffer out = { c->out.data, c->out.cap, CHUNK_HEAD_BYTES };
	ZSTD_CCtx_reset(c->zstd, ZSTD_reset_session_only);
	size_t rc = ZSTD_CCtx_setPledgedSrcSize(c->zstd, raw_bytes);
	for (size_t i = 0; i < n_pieces && !ZSTD_isError(rc); i++) {
		ZSTD_inBuffer in = { pieces[i].data, pieces[i].n, 0 };
		ZSTD_EndDirective end = i + 1 == n_pieces             ? ZSTD_e_end
					: in.size >= FLUSH_FROM_BYTES ? ZSTD_e_flush
								      : ZSTD_e_continue;
		do {
			size_t before = out.pos + in.pos;
			rc = ZSTD_compressStream2(c->zstd, &out, &in, end);
			if (!ZSTD_isError(rc) && rc && out.pos + in.pos == before)
				/* no room and no progress: cannot be, and must not loop */
				return -EIO;
		} while (!ZSTD_isError(rc) &&
			 (end == ZSTD_e_continue ? in.pos < in.size : rc != 0));
	}
	if (ZSTD_isError(rc))
		return zstd_failed(rc);
	c->out.n = out.pos;
	return 0;
}

static int store(struct chunk_packer *c, const struct block_piece *pieces, size_t n_pieces,
		 size_t raw_bytes)
{
	if (vec_reserve(&c->out.data, &c->out.cap, CHUNK_HEAD_BYTES + raw_bytes))
		return -ENOMEM;
	c->out.n = CHUNK_HEAD_BYTES;
	for (size_t i = 0; i < n_pieces; i++) {
		if (pieces[i].n)
			memcpy(c->out.data + c->out.n, pieces[i].data, pieces[i].n);
		c->out.n += pieces[i].n;
	}
	return 0;
}

void chunk_head_put(uint8_t *p, struct chunk_head *h)
{
	uint8_t *start = p;

	h->mark = CHUNK_MARK;
	p = put_u32(p, h->mark);
	p = put_u16(p, h->type);
	p = put_u16(p, h->flags);
	p = put_u32(p, h->stored_bytes);
	p = put_u32(p, h->raw_bytes);
	p = put_u32(p, h->count);
	p = put_u32(p, h->seq);
	p = put_u64(p, h->first_ns);
	p = put_u32(p, h->payload_crc);
	put_u32(p, (uint32_t)crc32_z(0, start, CHUNK_HEAD_BYTES - 4));
}

int chunk_pack(struct chunk_packer *c, struct chunk_head *h, const struct block_piece *pieces,
	       size_t n_pieces)
{
	size_t raw = 0;

	for (size_t i = 0; i < n_pieces; i++)
		raw += pieces[i].n;
	if (raw > RAW_MAX_BYTES)
		return -E2BIG;
	int err = raw >= PACK_FROM_BYTES ? pack(c, pieces, n_pieces, raw)
					 : store(c, pieces, n_pieces, raw);
	if (err)
		return err;
	if (raw >= PACK_FROM_BYTES)
		h->flags |= CHUNK_ZSTD;
	h->raw_bytes = (uint32_t)raw;
	h->stored_bytes = (uint32_t)(c->out.n - CHUNK_HEAD_BYTES);
	h->payload_crc = (uint32_t)crc32_z(0, c->out.data + CHUNK_HEAD_BYTES, h->stored_bytes);
	chunk_head_put(c->out.data, h);
	return 0;
}

const char *chunk_head_get(struct chunk_head *h, const uint8_t *p)
{
	*h = (struct chunk_head){
		.mark = get_u32(p),
		.type = get_u16(p + 4),
		.flags = get_u16(p + 6),
		.stored_bytes = get_u32(p + 8),
		.raw_bytes = get_u32(p + 12),
		.count = get_u32(p + 16),
		.seq = get_u32(p + 20),
		.first_ns = get_u64(p + 24),
		.payload_crc = get_u32(p + 32),
		.head_crc = get_u32(p + 36),
	};
	if (h->mark != CHUNK_MARK)
		return "no chunk begins here";
	if (h->head_crc != (uint32_t)crc32_z(0, p, CHUNK_HEAD_BYTES - 4))
		return "the checksum of a chunk's header does not match";
	if (h->stored_bytes > STORED_MAX_BYTES || h->raw_bytes > RAW_MAX_BYTES)
		return "a chunk larger than any may be";
	if (!(h->flags & CHUNK_ZSTD) && h->raw_bytes != h->stored_bytes)
		return "a chunk of two sizes";
	return NULL;
}

int chunk_unpacker_init(struct chunk_unpacker *c)
{
	memset(c, 0, sizeof(*c));
	c->zstd = ZSTD_createDCtx();
	return c->zstd ? 0 : -ENOMEM;
}

void chunk_unpacker_free(struct chunk_unpacker *c)
{
	ZSTD_freeDCtx(c->zstd);
	free(c->space.data);
	memset(c, 0, sizeof(*c));
}

const char *chunk_unpack(struct chunk_unpacker *c, const struct chunk_head *h, uint8_t *stored)
{
	if (h->payload_crc != (uint32_t)crc32_z(0, stored, h->stored_bytes))
		return "its checksum does not match";
	c->raw = stored;
	if (!(h->flags & CHUNK_ZSTD))
		return NULL;
	/* The frame's own sizes must agree before anything is allocated for it. */
	if (ZSTD_getFrameContentSize(stored, h->stored_bytes) != h->raw_bytes ||
	    ZSTD_findFrameCompressedSize(stored, h->stored_bytes) != h->stored_bytes)
		return "its zstd frame is of another size";
	if (vec_reserve(&c->space.data, &c->space.cap, h->raw_bytes))
		return "";
	c->raw = c->space.data;
	if (ZSTD_decompressDCtx(c->zstd, c->raw, h->raw_bytes, stored, h->stored_bytes) !=
	    h->raw_bytes)
		return "zstd cannot unpack it";
	return NULL;
}
