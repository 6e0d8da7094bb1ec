// SPDX-License-Identifier: BSD-2-Clause
#include "trace/block_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/varint.h"
#include "base/vec.h"
#include "trace/format.h"

/* All of an item's values are sound. */
static bool sound(const struct trace_info *info, const struct trace_values *v)
{
	const uint8_t *p = v->data, *end = p + v->bytes;
	struct trace_value one;

	for (uint32_t i = 0; i < v->n && p; i++)
		p = trace_value_get(p, end, info->values[v->first + i].type, &one);
	return p == end;
}

static const uint8_t *get_item(const struct trace_info *info, const uint8_t *p, const uint8_t *end,
			       struct trace_values *v, uint64_t *step)
{
	uint64_t first = 0, n = 0, bytes = 0;

	p = varint_get(p, end, step);
	p = p ? varint_get(p, end, &first) : NULL;
	p = p ? varint_get(p, end, &n) : NULL;
	p = p ? varint_get(p, end, &bytes) : NULL;
	if (!p || !n || first > info->n_values || n > info->n_values - first ||
	    bytes > (size_t)(end - p))
		return NULL;
	v->first = (uint32_t)first;
	v->n = (uint32_t)n;
	v->bytes = (uint32_t)bytes;
	v->data = p;
	for (uint64_t i = 1; i < n; i++)
		if (info->values[first + i].func != info->values[first].func)
			return NULL;
	return sound(info, v) ? p + bytes : NULL;
}

const char *block_values_read(struct block_values *b, const struct trace_info *info,
			      const uint8_t *raw, size_t len, uint32_t count)
{
	uint64_t at = 0, step;

	b->n = 0;
	b->n_events = 0;
	if (count > BLOCK_MAX_EVENTS)
		return "values of more events than a block may have";
	if (vec_reserve(&b->data, &b->cap_data, len + 1) ||
	    vec_reserve(&b->list, &b->cap, (size_t)count + 1))
		return "";
	memcpy(b->data, raw, len);
	const uint8_t *p = b->data, *end = p + len;
	for (uint32_t i = 0; i < count; i++) {
		struct trace_values *v = &b->list[i];

		p = get_item(info, p, end, v, &step);
		if (!p || step >= BLOCK_MAX_EVENTS || (i && !step))
			return "bad values of an event";
		at += step;
		if (at >= BLOCK_MAX_EVENTS)
			return "values of an event that is not there";
		v->at = (uint32_t)at;
	}
	if (p != end)
		return "bytes after the last event's values";
	b->n = count;
	b->n_events = count ? (uint32_t)at + 1 : 0;
	return NULL;
}

void block_values_span(struct block_values *b, size_t *next, size_t at, struct trace_span *span)
{
	while (*next < b->n && b->list[*next].at < at)
		++*next;
	for (size_t k = *next; k < b->n; k++)
		b->list[k].at -= (uint32_t)at;
	span->values = b->list ? b->list + *next : NULL;
	span->n_values = b->n - *next;
	*next = b->n;
}

void block_values_free(struct block_values *b)
{
	free(b->list);
	free(b->data);
	*b = (struct block_values){ 0 };
}
