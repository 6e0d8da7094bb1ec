/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Payloads of the chunks without events (FORMAT.md, "Tables"): functions, sites, keys with values,
 * program counters. Private to core/trace.
 */
#ifndef GOTRACE_TABLES_H
#define GOTRACE_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* A payload that grows. */
struct bytes {
	uint8_t *data;
	size_t n, cap;
};

/* Append one item. 0, -ENOMEM, -E2BIG (a string beyond STRING_MAX_BYTES), -EINVAL (a site or an
 * empty key that a reader would refuse). After an error *b is unchanged. */
int table_put_func(struct bytes *b, const struct trace_func *f);
int table_put_site(struct bytes *b, const struct trace_site *s, size_t n_funcs);
int table_put_kv(struct bytes *b, const struct trace_kv *kv);
int table_put_pc(struct bytes *b, const struct trace_pc *p);
int table_put_value(struct bytes *b, const struct trace_value_def *d, size_t n_funcs);

/* Adds the `count` items of a chunk's payload to info. `type` is one of the five. Returns NULL, or
 * the fault ("" for no memory). Items before the fault stay added. */
const char *table_get(struct trace_info *info, unsigned type, const uint8_t *p, size_t len,
		      uint32_t count);

#endif
