/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unsigned integers in 1 to 10 bytes. A byte has seven bits, lowest first, and its top bit says
 * that more follow (LEB128, as in DWARF and protobuf). Signed integers are first folded to unsigned
 * ones, so that small negative ones stay short.
 */
#ifndef GOTRACE_VARINT_H
#define GOTRACE_VARINT_H

#include <stddef.h>
#include <stdint.h>

#define VARINT_MAX_BYTES 10

static inline uint64_t zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ -(v & 1));
}

/* Writes at most VARINT_MAX_BYTES at p; returns their end. */
static inline uint8_t *varint_put(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)v | 0x80;
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* The long form of varint_get. */
static inline const uint8_t *varint_get_long(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t n = 0;

	for (unsigned shift = 0; shift < 70 && p < end; shift += 7) {
		uint8_t b = *p++;
		if (shift == 63 && b > 1)
			return NULL; /* more than 64 bits */
		n |= (uint64_t)(b & 0x7f) << shift;
		if (b < 0x80) {
			*v = n;
			return p;
		}
	}
	return NULL;
}

/* Reads one number from [p, end). Returns the place after it, NULL when it is cut off or wider than
 * 64 bits. */
static inline const uint8_t *varint_get(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	if (__builtin_expect(p < end && *p < 0x80, 1)) {
		*v = *p;
		return p + 1;
	}
	return varint_get_long(p, end, v);
}

#endif
