/* SPDX-License-Identifier: BSD-2-Clause */
/* uthash, which does not end the process when there is no memory: ask HASH_ADDED after each
 * HASH_ADD. */
#ifndef GOTRACE_HASH_TABLE_H
#define GOTRACE_HASH_TABLE_H

#include "base/hash_index.h"

#define HASH_NONFATAL_OOM 1
/* Keys may be a file's, whose writer knows uthash's own function. */
#define HASH_FUNCTION(key, bytes, hash) ((hash) = hash_bytes(key, bytes))
#include <uthash.h>

/* Whether the element is in the table. */
#define HASH_ADDED(e) ((e)->hh.tbl != NULL)

#endif
