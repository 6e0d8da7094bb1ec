// SPDX-License-Identifier: BSD-2-Clause
/* What who writes a store and who reads one have in common. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/store_internal.h"
#include "base/log.h"

const char store_schema[] =
	"CREATE TABLE IF NOT EXISTS profiles(id INTEGER PRIMARY KEY AUTOINCREMENT, service TEXT NOT NULL,"
	" labels TEXT NOT NULL, from_ns INTEGER NOT NULL, to_ns INTEGER NOT NULL, samples INTEGER NOT NULL,"
	" weight_ns INTEGER NOT NULL, waiting_ns INTEGER NOT NULL, lost INTEGER NOT NULL, event TEXT NOT NULL, build_ids TEXT NOT NULL,"
	" path TEXT NOT NULL, bytes INTEGER NOT NULL);"
	"CREATE INDEX IF NOT EXISTS profiles_by_time ON profiles(from_ns);"
	"CREATE INDEX IF NOT EXISTS profiles_by_service ON profiles(service, from_ns);"
	"CREATE TABLE IF NOT EXISTS outbox(id INTEGER PRIMARY KEY REFERENCES profiles(id), tries INTEGER NOT NULL);"
	"CREATE TABLE IF NOT EXISTS totals(name TEXT PRIMARY KEY, value INTEGER NOT NULL);";

int store_failed(const struct store *s, const char *what)
{
	const int code = sqlite3_errcode(s->db);

	/* The agent removes what is shared as it ends, and a new one may get the inode's number.
	 * The next agent makes it anew: until it has, only a writer could. */
	if (store_has_changed(s) ||
	    (s->shared && ((code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY)))
		return -EAGAIN;
	const bool damaged = (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;

	log_error("%s/index.db: %s: %s%s", s->directory, what,
		  code == SQLITE_INTERRUPT ? "reading it takes more steps than its size explains"
					   : sqlite3_errmsg(s->db),
		  damaged ? "; sqlite3's .recover saves what can be read, and without the file an "
			    "agent makes a new one"
			  : "");
	return code == SQLITE_FULL ? -ENOSPC : code == SQLITE_NOMEM ? -ENOMEM : -EIO;
}

/* On a full disk nothing can be taken out before that is written: room for it. */
#define ROOM_BYTES (256 << 10)

void store_keep_room(const struct store *s, bool keep)
{
	int fd = keep ? openat(s->dir_fd, "room", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)
		      : -1;

	if (!keep || fd < 0 || posix_fallocate(fd, 0, ROOM_BYTES))
		unlinkat(s->dir_fd, "room", 0);
	if (fd >= 0)
		close(fd);
}

void store_close(struct store *s)
{
	if (!s->directory)
		return;
	sqlite3_close(s->db);
	if (s->dir_fd >= 0)
		close(s->dir_fd);
	free(s->directory);
	*s = (struct store){ .dir_fd = -1 };
}

bool store_has_changed(const struct store *s)
{
	const struct stat *was = &s->index;
	struct stat is;

	/* What readers and the agent share is gone, or another agent's. */
	if (s->shared && (fstatat(s->dir_fd, "index.db-shm", &is, AT_SYMLINK_NOFOLLOW) ||
			  is.st_ino != s->shared))
		return true;
	return s->frozen &&
	       (fstatat(s->dir_fd, "index.db", &is, AT_SYMLINK_NOFOLLOW) ||
		is.st_dev != was->st_dev || is.st_ino != was->st_ino ||
		is.st_size != was->st_size || is.st_mtim.tv_sec != was->st_mtim.tv_sec ||
		is.st_mtim.tv_nsec != was->st_mtim.tv_nsec);
}

bool store_path_is_below(const char *path)
{
	for (const char *part = path;; part++) {
		size_t n = strcspn(part, "/");

		if (!n || (n == 1 && *part == '.') || (n == 2 && part[0] == '.' && part[1] == '.'))
			return false;
		part += n;
		if (!*part)
			return true;
	}
}
