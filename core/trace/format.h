/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers of FORMAT.md: magic, versions, chunk types, sizes, limits.
 * Private to core/trace. All integers in the file are little-endian.
 */
#ifndef GOTRACE_FORMAT_H
#define GOTRACE_FORMAT_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FORMAT_MAGIC        "GOTRACE\x1a" /* 8 bytes; the last stops `type` and cat-like tools */
#define FORMAT_MAJOR        1
#define FORMAT_MINOR        3
#define FILE_HEAD_BYTES     24
#define FILE_HEAD_MAX_BYTES 4096 /* a later minor version may lengthen it */

#define CHUNK_MARK       0x4b4e4843u /* "CHNK" */
#define CHUNK_HEAD_BYTES 40

/* Chunk types, append-only. */
#define CHUNK_KVS     1
#define CHUNK_FUNCS   2
#define CHUNK_SITES   3
#define CHUNK_PCS     4
#define CHUNK_START   5 /* functions and sites are complete, events follow */
#define CHUNK_EVENTS  6
#define CHUNK_END     7
#define CHUNK_STACKS  8
#define CHUNK_SAMPLES 9
/* A slot, written again and again. Its payload has its own checksums. */
#define CHUNK_SUMMARY 10
/* before START, the definitions of values; later, the values of the next block */
#define CHUNK_VALUES 11

/* Tables that samples refer to. They come before the samples that need them. The last two may come
 * anywhere after START. */
#define CHUNK_PROCESSES 12
#define CHUNK_IMAGES    13
#define CHUNK_LABELS    14
#define CHUNK_SYMBOLS   15
#define CHUNK_LOCATIONS 16
#define CHUNK_DEATHS    17 /* after START and the stacks that they refer to */
#define CHUNK_STATED    18 /* samples that also have the goroutine's state */
#define CHUNK_WEIGHED   19 /* CHUNK_STATED, also with the error of the weight */
#define CHUNK_TYPES     20

/* Chunk flags */
#define CHUNK_OPTIONAL 1u /* a reader that does not know the type may skip it */
#define CHUNK_ZSTD     2u /* the payload is one zstd frame */

/* Limits. A reader refuses more, and a writer never writes more. */
#define RAW_MAX_BYTES    (16u << 20)                  /* a chunk's payload, unpacked */
#define STORED_MAX_BYTES (RAW_MAX_BYTES + (1u << 20)) /* a chunk's payload, in the file */
#define STRING_MAX_BYTES (4u << 20)
/* the unpacked payloads of kvs, funcs, sites and pcs together */
#define TABLES_MAX_BYTES (256u << 20)
/* They may also be at most TABLES_MAX_RATIO times the file so far. Names and sites take a fifth or
 * a tenth of the file. The first TABLES_FREE_BYTES are free. */
#define TABLES_FREE_BYTES (1u << 20)
#define TABLES_MAX_RATIO  200u
#define KVS_MAX           4096u
#define FUNCS_MAX         (1u << 20)
#define SITES_MAX         (1u << 24)
#define PCS_MAX           (1u << 16)
#define SUMMARY_MAX_BYTES (64u << 20) /* unpacked */
#define BLOCK_MAX_EVENTS  (1u << 16)
#define VALUE_DEFS_MAX    (1u << 16)
/* The writer ends a block when its values have this size. */
#define VALUES_END_BYTES (4u << 20)

/* Limits of samples. The addresses in all stacks are limited, also in proportion to the file so
 * far; the first STACK_PCS_FREE are free. A stack counts as at least STACK_MIN_PCS addresses. */
#define STACK_PCS_MAX   (1u << 26)
#define STACK_PCS_FREE  (1u << 20)
#define STACK_PCS_RATIO 128u
#define STACK_MIN_PCS   8u
#define STACKS_MAX      (1u << 24)
#define PROCESSES_MAX   (1u << 20)
#define IMAGES_MAX      (1u << 20)
#define LABELS_MAX      (1u << 20)
#define LOCATIONS_MAX   (1u << 24)
#define DEATHS_MAX      (1u << 14)
/* The writer writes a block of so many samples. A reader takes up to BLOCK_MAX_EVENTS. */
#define SAMPLES_BLOCK 8192u

/* A summary's slot. */
#define SLOT_MARK       0x59524d53u /* "SMRY" */
#define SLOT_HEAD_BYTES 32
#define SLOT_MIN_BYTES  (64u << 10)

/* Fields of a chunk header, in file order. */
struct chunk_head {
	uint32_t mark;
	uint16_t type, flags;
	uint32_t stored_bytes, raw_bytes;
	uint32_t count;       /* items in the payload */
	uint32_t seq;         /* 0, 1, 2, ... within the file */
	uint64_t first_ns;    /* time of its first event; 0 in other chunks */
	uint32_t payload_crc; /* CRC-32 (zlib) of the stored payload */
	uint32_t head_crc;    /* CRC-32 of the 36 bytes before */
};
_Static_assert(sizeof(struct chunk_head) == CHUNK_HEAD_BYTES, "read and written field by field");

static inline uint8_t *put_u16(uint8_t *p, uint16_t v)
{
	v = htole16(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static inline uint8_t *put_u32(uint8_t *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static inline uint8_t *put_u64(uint8_t *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static inline uint16_t get_u16(const uint8_t *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static inline uint32_t get_u32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline uint64_t get_u64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

#endif
