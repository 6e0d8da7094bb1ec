/* SPDX-License-Identifier: BSD-2-Clause */
/* How SQLite opens files of a store, which may be a stranger's. */
#ifndef GOTRACE_AGENT_STORE_VFS_H
#define GOTRACE_AGENT_STORE_VFS_H

/*
 * From the first call on SQLite opens regular files only, and does not wait for a FIFO. The name
 * of a VFS for sqlite3_open_v2 that moreover deletes nothing, makes nothing, and opens only a
 * database and its write-ahead log, to be read. NULL: SQLite has no VFS of this system.
 */
const char *store_vfs_reading(void);

#endif
