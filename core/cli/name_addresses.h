/* SPDX-License-Identifier: BSD-2-Clause */
/* What the addresses of a trace's stacks are, before its writing ends. */
#ifndef GOTRACE_NAME_ADDRESSES_H
#define GOTRACE_NAME_ADDRESSES_H

#include "attach/sample/sampling.h"
#include "symbols/symbols.h"

struct name_context {
	struct symbols_cache *cache; /* NULL: none */
	struct sampling *sampling;   /* what knows the processes */
	uint64_t hold_bytes;         /* as in symbols_options */
};

/* The first early, and only of processes whose number is set in `ended`: what has no name yet may
 * get one later. The second writes their names, and sets keys of `end` that say which have none and
 * why; ctx: a struct name_context, or NULL. 0 or -errno (logged). */
int name_ended(void *ctx, struct trace_writer *w, const bool *ended, size_t n);
int name_addresses(void *ctx, struct trace_writer *w, struct trace_info *end);

#endif
