// SPDX-License-Identifier: BSD-2-Clause
#include "agent/store_vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READING "gotrace-reading"

/* SQLite keeps them for as long as the process lives. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sqlite3_vfs *unix_vfs, reading;

/* In the place of SQLite's open(2). */
static int open_regular(const char *path, int flags, int mode)
{
	int fd = open(path, flags | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, mode);
	struct stat st;

	if (fd < 0 || !strcmp(path, "/dev/urandom"))
		return fd;
	/* A directory is opened to be synchronized. */
	if (!fstat(fd, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return fd;
	close(fd);
	errno = ENXIO;
	return -1;
}

static int open_to_read(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
	(void)vfs;
	if (!name || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))) {
		file->pMethods = NULL;
		return SQLITE_CANTOPEN;
	}
	flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE |
		   SQLITE_OPEN_DELETEONCLOSE);
	return unix_vfs->xOpen(unix_vfs, name, file, flags | SQLITE_OPEN_READONLY, out);
}

static int delete_nothing(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs, (void)name, (void)sync;
	return SQLITE_IOERR_DELETE;
}

static void prepare(void)
{
	unix_vfs = sqlite3_vfs_find("unix");
	if (!unix_vfs || unix_vfs->iVersion < 3 ||
	    unix_vfs->xSetSystemCall(unix_vfs, "open", (sqlite3_syscall_ptr)open_regular)) {
		unix_vfs = NULL;
		return;
	}
	reading = *unix_vfs;
	reading.zName = READING;
	reading.pNext = NULL;
	reading.xOpen = open_to_read;
	reading.xDelete = delete_nothing;
	if (sqlite3_vfs_register(&reading, 0))
		unix_vfs = NULL;
}

const char *store_vfs_reading(void)
{
	pthread_once(&once, prepare);
	return unix_vfs ? READING : NULL;
}
