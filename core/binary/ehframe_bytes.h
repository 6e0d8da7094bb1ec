/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads numbers from untrusted bytes. */
#ifndef GOTRACE_EHFRAME_BYTES_H
#define GOTRACE_EHFRAME_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Reads up to end. Once a read goes past end, bad is set and all results are 0. */
struct in {
	const uint8_t *p, *end;
	bool bad;
};

static inline uint64_t get(struct in *in, size_t n)
{
	uint64_t v = 0;

	if (in->bad || (size_t)(in->end - in->p) < n) {
		in->bad = true;
		return 0;
	}
	memcpy(&v, in->p, n);
	in->p += n;
	return v;
}

static inline int64_t get_signed(struct in *in, size_t n)
{
	unsigned unused = (unsigned)(64 - 8 * n);

	return (int64_t)(get(in, n) << unused) >> unused;
}

static inline uint64_t get_leb(struct in *in, bool is_signed)
{
	unsigned shift = 0;
	uint64_t v = 0, byte;

	do {
		byte = get(in, 1);
		if (shift < 64)
			v |= (byte & 127) << shift;
		shift += 7;
	} while (byte & 128 && !in->bad);
	if (is_signed && byte & 64 && shift < 64)
		v |= UINT64_MAX << shift;
	return v;
}

static inline void skip(struct in *in, uint64_t n)
{
	if (in->bad || (uint64_t)(in->end - in->p) < n)
		in->bad = true;
	else
		in->p += n;
}

#endif
