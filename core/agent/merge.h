/* SPDX-License-Identifier: BSD-2-Clause */
/* Several profiles of a store as one. */
#ifndef GOTRACE_AGENT_MERGE_H
#define GOTRACE_AGENT_MERGE_H

#include "agent/store.h"

/* All that the query finds as one trace of samples, in a file without a name of which `path` (of
 * size bytes) is one while *fd is open. 0, -ENOENT: there is none, or -errno (logged). */
int merge_trace(struct store *s, const struct store_query *q, int *fd, char *path, size_t size);
/* The same as a pprof profile in memory, to be freed. */
int merge_pprof(struct store *s, const struct store_query *q, char **bytes, size_t *n);

#endif
