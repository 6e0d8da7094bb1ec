// SPDX-License-Identifier: BSD-2-Clause
#include "trace/summary_slot.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "base/log.h"
#include "base/vec.h"

/* ---- packing */

#define PACK_LEVEL 1

int trace_summary_pack(struct trace_summary *s, const uint8_t *raw, size_t n)
{
	size_t room = ZSTD_compressBound(n);

	*s = (struct trace_summary){ .raw_bytes = (uint32_t)n };
	if (n > SUMMARY_MAX_BYTES)
		return -E2BIG;
	s->packed = malloc(room);
	if (!s->packed)
		return -ENOMEM;
	size_t packed = ZSTD_compress(s->packed, room, raw, n, PACK_LEVEL);

	if (ZSTD_isError(packed)) {
		log_error("packing a summary failed inside zstd: %s", ZSTD_getErrorName(packed));
		trace_summary_free(s);
		return -EIO;
	}
	s->stored_bytes = (uint32_t)packed;
	s->crc = (uint32_t)crc32_z(0, s->packed, packed);
	return 0;
}

void trace_summary_free(struct trace_summary *s)
{
	free(s->packed);
	*s = (struct trace_summary){ 0 };
}

/* ---- writing */

/* The smallest power of two that it fits into; 0: none that a chunk may have. */
static uint32_t slot_bytes(const struct trace_summary *what)
{
	uint64_t need = (uint64_t)SLOT_HEAD_BYTES + what->stored_bytes;
	uint32_t bytes = SLOT_MIN_BYTES;

	while (bytes < need && bytes < RAW_MAX_BYTES)
		bytes *= 2;
	return need <= bytes ? bytes : 0;
}

static void put_slot_head(uint8_t *p, const struct trace_summary *what, uint64_t generation)
{
	uint8_t *start = p;

	p = put_u32(p, SLOT_MARK);
	p = put_u32(p, what->crc);
	p = put_u64(p, generation);
	p = put_u32(p, what->stored_bytes);
	p = put_u32(p, what->raw_bytes);
	p = put_u32(p, 0);
	put_u32(p, (uint32_t)crc32_z(0, start, SLOT_HEAD_BYTES - 4));
}

static int refuse(uint32_t stored_bytes)
{
	log_error("the summary takes %u MiB, a trace has room for %u MiB: select fewer functions",
		  stored_bytes >> 20, RAW_MAX_BYTES >> 20);
	return -E2BIG;
}

/* Two slots at the end of the file, into which the next summary fits. */
static int add_slots(struct summary_slots *s, struct chunk_file *f, uint32_t bytes)
{
	int err = 0;

	for (int i = 0; !err && i < 2; i++) {
		struct chunk_head h = { .type = CHUNK_SUMMARY, .flags = CHUNK_OPTIONAL };

		err = chunk_file_blank(f, &h, bytes, &s->off[i]);
	}
	s->bytes = err ? 0 : bytes;
	return err;
}

static int write_last(struct summary_slots *s, struct chunk_file *f, const uint8_t *head,
		      const struct trace_summary *what)
{
	struct chunk_head h = { .type = CHUNK_SUMMARY, .flags = CHUNK_OPTIONAL };
	int err = chunk_file_head(f, &h, SLOT_HEAD_BYTES + what->stored_bytes);

	s->generation++;
	if (!err)
		err = chunk_file_raw(f, head, SLOT_HEAD_BYTES);
	return err ? err : chunk_file_raw(f, what->packed, what->stored_bytes);
}

int summary_slots_write(struct summary_slots *s, struct chunk_file *f,
			const struct trace_summary *what, bool last)
{
	uint8_t head[SLOT_HEAD_BYTES];
	uint32_t bytes = slot_bytes(what);
	int err = chunk_file_error(f);

	if (err)
		return err;
	if (!bytes)
		return refuse(what->stored_bytes);
	put_slot_head(head, what, s->generation + 1);
	if (!chunk_file_seeks(f))
		return last ? write_last(s, f, head, what) : 0;
	if (bytes > s->bytes)
		err = add_slots(s, f, bytes);
	if (err)
		return err;
	uint64_t off = s->off[++s->generation & 1];

	/* The head last, though a kill in between would be noticed by the checksum anyway. */
	err = chunk_file_over(f, off + SLOT_HEAD_BYTES, what->packed, what->stored_bytes);
	return err ? err : chunk_file_over(f, off, head, SLOT_HEAD_BYTES);
}

/* ---- reading */

int summary_newest_take(struct summary_newest *s, const uint8_t *p, size_t n)
{
	if (n < SLOT_HEAD_BYTES || get_u32(p) != SLOT_MARK ||
	    get_u32(p + SLOT_HEAD_BYTES - 4) != (uint32_t)crc32_z(0, p, SLOT_HEAD_BYTES - 4))
		return 0;
	uint64_t generation = get_u64(p + 8);
	uint32_t stored_bytes = get_u32(p + 16), raw_bytes = get_u32(p + 20);

	if (generation <= s->generation || stored_bytes > n - SLOT_HEAD_BYTES ||
	    raw_bytes > SUMMARY_MAX_BYTES ||
	    get_u32(p + 4) != (uint32_t)crc32_z(0, p + SLOT_HEAD_BYTES, stored_bytes))
		return 0;
	if (vec_reserve(&s->packed.data, &s->packed.cap, (size_t)stored_bytes + 1))
		return -ENOMEM;
	memcpy(s->packed.data, p + SLOT_HEAD_BYTES, stored_bytes);
	s->packed.n = stored_bytes;
	s->raw_bytes = raw_bytes;
	s->generation = generation;
	s->raw.n = 0;
	return 0;
}

int summary_newest_unpack(struct summary_newest *s)
{
	if (!s->packed.n)
		return 0;
	if (s->raw.n)
		return 1;
	if (!s->raw_bytes || ZSTD_getFrameContentSize(s->packed.data, s->packed.n) != s->raw_bytes)
		return -EBADMSG;
	if (vec_reserve(&s->raw.data, &s->raw.cap, s->raw_bytes))
		return -ENOMEM;
	if (ZSTD_decompress(s->raw.data, s->raw_bytes, s->packed.data, s->packed.n) != s->raw_bytes)
		return -EBADMSG;
	s->raw.n = s->raw_bytes;
	return 1;
}

void summary_newest_free(struct summary_newest *s)
{
	free(s->packed.data);
	free(s->raw.data);
	*s = (struct summary_newest){ 0 };
}
