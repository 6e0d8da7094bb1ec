/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of a block's events, written (FORMAT.md, "Arguments"). Private to core/trace. */
#ifndef GOTRACE_VALUE_ITEMS_H
#define GOTRACE_VALUE_ITEMS_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/varint.h"
#include "base/vec.h"
#include "trace/tables.h"
#include "trace/trace.h"

struct value_items {
	struct bytes b;
	uint32_t count;
	uint32_t at; /* the last event of the block with values */
};

/* Adds the values of event number `at` of the block. 0 or -ENOMEM. */
static inline int value_items_put(struct value_items *items, uint32_t at,
				  const struct trace_values *v)
{
	struct bytes *b = &items->b;

	if (vec_reserve(&b->data, &b->cap, b->n + v->bytes + 4 * VARINT_MAX_BYTES))
		return -ENOMEM;
	uint8_t *p = varint_put(b->data + b->n, at - items->at);

	p = varint_put(p, v->first);
	p = varint_put(p, v->n);
	p = varint_put(p, v->bytes);
	memcpy(p, v->data, v->bytes);
	b->n = (size_t)(p - b->data) + v->bytes;
	items->at = at;
	items->count++;
	return 0;
}

/* Empties the items after they were written, because the next ones belong to another block. */
static inline void value_items_clear(struct value_items *items)
{
	items->b.n = 0;
	items->count = items->at = 0;
}

static inline void value_items_free(struct value_items *items)
{
	free(items->b.data);
	items->b = (struct bytes){ 0 };
}

#endif
