/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of tables' items: numbers and strings. Private to core/trace. */
#ifndef GOTRACE_ITEMS_H
#define GOTRACE_ITEMS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/varint.h"
#include "base/vec.h"
#include "trace/format.h"
#include "trace/tables.h"

/* Makes room for `more` bytes and returns their place; NULL when there is no memory. */
static inline uint8_t *item_room(struct bytes *b, size_t more)
{
	return vec_reserve(&b->data, &b->cap, b->n + more) ? NULL : b->data + b->n;
}

/* Returns the most bytes of a string with its length; 0 when the string is too long. NULL counts as
 * empty. */
static inline size_t item_str_bytes(const char *s)
{
	size_t n = s ? strlen(s) : 0;

	return n > STRING_MAX_BYTES ? 0 : n + VARINT_MAX_BYTES;
}

static inline uint8_t *item_put_str(uint8_t *p, const char *s)
{
	size_t n = s ? strlen(s) : 0;

	p = varint_put(p, n);
	if (n)
		memcpy(p, s, n);
	return p + n;
}

struct item_in {
	const uint8_t *p, *end;
};

static inline bool item_get_u(struct item_in *in, uint64_t max, uint64_t *v)
{
	const uint8_t *next = varint_get(in->p, in->end, v);

	if (!next || *v > max)
		return false;
	in->p = next;
	return true;
}

static inline bool item_get_u32(struct item_in *in, uint32_t *v)
{
	uint64_t n;

	if (!item_get_u(in, UINT32_MAX, &n))
		return false;
	*v = (uint32_t)n;
	return true;
}

/* A string as a copy that ends in NUL, to be freed. False and *s NULL when it
 * is cut off or has a NUL inside; false and *oom when there is no memory. */
static inline bool item_get_str(struct item_in *in, char **s, bool *oom)
{
	uint64_t n;

	*s = NULL;
	if (!item_get_u(in, STRING_MAX_BYTES, &n) || n > (size_t)(in->end - in->p) ||
	    memchr(in->p, '\0', n))
		return false;
	*s = malloc(n + 1);
	if (!*s) {
		*oom = true;
		return false;
	}
	memcpy(*s, in->p, n);
	(*s)[n] = '\0';
	in->p += n;
	return true;
}

#endif
