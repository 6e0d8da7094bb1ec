/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the store share. */
#ifndef GOTRACE_AGENT_STORE_INTERNAL_H
#define GOTRACE_AGENT_STORE_INTERNAL_H

#include "agent/store.h"

#define STORE_BUSY_MS 30000 /* a writer waits so long for another one */

/* Tables and indexes of index.db. */
extern const char store_schema[];

/* Logs what SQLite says of its last failure: "DIR/index.db: WHAT: ...". -ENOSPC, -ENOMEM or -EIO.
 */
int store_failed(const struct store *s, const char *what);
/* Whether a row's path is relative and leads to no folder above the store. */
bool store_path_is_below(const char *path);
/* Of a store that is read as one to which nobody writes: whether somebody did. */
bool store_has_changed(const struct store *s);

/* Takes room for the index on a disk that will be full, if that is not taken yet and there is some;
 * or gives it free. */
void store_keep_room(const struct store *s, bool keep);

#endif
