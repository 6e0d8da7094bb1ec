/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the addresses of a trace's stacks, before its writing ends. */
#ifndef GOTRACE_NAME_ADDRESSES_H
#define GOTRACE_NAME_ADDRESSES_H

#include "sample/sampling.h"
#include "symbols/symbols.h"

struct name_context {
	struct symbols_cache *cache; /* NULL: none */
	struct sampling *sampling;   /* the sampling that knows the processes */
	uint64_t hold_bytes;         /* see symbols_options */
	/* With whose rights servers are asked for debug files at the end of the recording. NULL:
	 * none is asked. */
	const struct user *debuginfod;
};

/* name_ended names addresses early, and only those of processes whose number is set in `ended`. An
 * address without a name may get one later. name_addresses writes the names, and sets keys of `end`
 * on addresses without a name and the reasons. ctx: a struct name_context, or NULL. Both return 0
 * or -errno (logged). */
int name_ended(void *ctx, struct trace_writer *w, const bool *ended, size_t n);
int name_addresses(void *ctx, struct trace_writer *w, struct trace_info *end);

#endif
