/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the files of the store. */
#ifndef GOTRACE_AGENT_STORE_INTERNAL_H
#define GOTRACE_AGENT_STORE_INTERNAL_H

#include "agent/store.h"

#define STORE_BUSY_MS 30000 /* longest wait of a writer for another writer */

/* Tables and indexes of index.db. */
extern const char store_schema[];

/* Logs SQLite's message on its last failure: "DIR/index.db: WHAT: ...". Returns -ENOSPC, -ENOMEM or
 * -EIO. */
int store_failed(const struct store *s, const char *what);
/* Returns true if a row's path is relative and leads to no folder above the store. */
bool store_path_is_below(const char *path);
/* Returns true if a process has written to a store that is read as one without a writer. */
bool store_has_changed(const struct store *s);

/* keep: reserves room for the index before the disk is full, unless it is reserved already or the
 * disk has none. Otherwise frees that room. */
void store_keep_room(const struct store *s, bool keep);

#endif
