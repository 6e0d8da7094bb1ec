/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens files of a store for SQLite. The store may be a stranger's. */
#ifndef GOTRACE_AGENT_STORE_VFS_H
#define GOTRACE_AGENT_STORE_VFS_H

/*
 * From the first call on, SQLite opens regular files only, and does not wait for a FIFO. Returns
 * the name of a VFS for sqlite3_open_v2. That VFS also deletes nothing and makes nothing. It opens
 * only a database and its write-ahead log, for reading. NULL: SQLite has no VFS for this system.
 */
const char *store_vfs_reading(void);

#endif
