/* SPDX-License-Identifier: BSD-2-Clause */
/* Several profiles of a store as one. */
#ifndef GOTRACE_PROFILE_MERGE_H
#define GOTRACE_PROFILE_MERGE_H

#include "agent/store.h"
#include "trace/trace.h"

/* All that the query finds as one trace of samples, in a file without a name. NULL and errno:
 * ENOENT, there is none; EAGAIN as store_find; another (logged). */
struct trace_reader *merge_trace(struct store *s, const struct store_query *q);
/* The same as a pprof profile in memory, to be freed. 0 or -errno. */
int merge_pprof(struct store *s, const struct store_query *q, char **bytes, size_t *n);

#endif
