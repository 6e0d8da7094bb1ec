/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of a block's events (FORMAT.md, "Arguments"), read. Private to core/trace. */
#ifndef GOTRACE_BLOCK_VALUES_H
#define GOTRACE_BLOCK_VALUES_H

#include "trace/trace.h"

struct block_values {
	struct trace_values *list; /* ascending by event, at most one entry for an event */
	size_t n, cap;
	uint8_t *data; /* the memory of their data */
	size_t cap_data;
	uint32_t n_events; /* the block has at least so many events */
};

/* Reads `count` entries out of a payload, and copies it. Returns NULL, or the fault of the payload
 * ("" for no memory). After a fault the list is empty. */
const char *block_values_read(struct block_values *b, const struct trace_info *info,
			      const uint8_t *raw, size_t len, uint32_t count);
/* Gives the values from *next on to a span that begins with event `at` of the block. */
void block_values_span(struct block_values *b, size_t *next, size_t at, struct trace_span *span);
void block_values_free(struct block_values *b);

#endif
