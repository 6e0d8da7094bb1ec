/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of a block's events (FORMAT.md, "Arguments"), read. Private to core/trace. */
#ifndef GOTRACE_BLOCK_VALUES_H
#define GOTRACE_BLOCK_VALUES_H

#include "trace/trace.h"

struct block_values {
	struct trace_values *list; /* ascending by event; those of one event come once */
	size_t n, cap;
	uint8_t *data; /* what they lie in */
	size_t cap_data;
	uint32_t n_events; /* of the block, at least */
};

/* Takes `count` of them out of a payload, which is copied. NULL, or what is wrong with it ("" for
 * no memory); then there are none. */
const char *block_values_read(struct block_values *b, const struct trace_info *info,
			      const uint8_t *raw, size_t len, uint32_t count);
/* Gives a span that begins with event `at` of the block the values from *next on. */
void block_values_span(struct block_values *b, size_t *next, size_t at, struct trace_span *span);
void block_values_free(struct block_values *b);

#endif
