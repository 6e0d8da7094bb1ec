/* SPDX-License-Identifier: BSD-2-Clause */
/* Merges several profiles of a store. */
#ifndef GOTRACE_PROFILE_MERGE_H
#define GOTRACE_PROFILE_MERGE_H

#include "agent/store.h"
#include "trace/trace.h"

/* Returns all profiles of the query as one trace of samples, in a file without a name. Returns NULL
 * and sets errno on error. ENOENT: there are none. EAGAIN: as in store_find. Other errors are
 * logged. */
struct trace_reader *merge_trace(struct store *s, const struct store_query *q);
/* Merges them into a pprof profile in memory: *bytes of *n, which the caller frees. Returns 0 or
 * -errno. */
int merge_pprof(struct store *s, const struct store_query *q, char **bytes, size_t *n);

#endif
