// SPDX-License-Identifier: BSD-2-Clause
#include "export/sqlite/sqlite_db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/utf8.h"

/* 0 or -errno for a result of SQLite's. */
static void check(struct db *d, int rc)
{
	if (d->err || rc == SQLITE_OK || rc == SQLITE_DONE || rc == SQLITE_ROW)
		return;
	int sys = d->h ? sqlite3_system_errno(d->h) : 0;

	d->err = rc == SQLITE_NOMEM ? -ENOMEM : rc == SQLITE_FULL ? -ENOSPC : sys ? -sys : -EIO;
	if (d->err == -ENOMEM)
		log_no_memory("the database could not be written: out of memory");
	else
		log_error("the database could not be written: %s%s",
			  d->h ? sqlite3_errmsg(d->h) : sqlite3_errstr(rc),
			  d->err == -ENOSPC || d->err == -EDQUOT
				  ? "; set TMPDIR to a folder with room"
				  : "");
}

int db_open(struct db *d)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];

	*d = (struct db){ .fd = -1 };
	snprintf(path, sizeof(path), "%s/gotrace-db-XXXXXX", dir && *dir ? dir : "/tmp");
	d->fd = mkostemp(path, O_CLOEXEC);
	if (d->fd < 0) {
		d->err = -errno;
		log_error("%s: cannot make a temporary file: %s; set TMPDIR to a folder with room",
			  path, strerror(errno));
		return d->err;
	}
	check(d, sqlite3_open_v2(path, &d->h, SQLITE_OPEN_READWRITE, NULL));
	/* No other process sees the file: no journal, no locks, no syncs. */
	db_run(d,
	       "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; BEGIN IMMEDIATE");
	unlink(path);
	return d->err;
}

void db_run(struct db *d, const char *sql)
{
	if (!d->err)
		check(d, sqlite3_exec(d->h, sql, NULL, NULL, NULL));
}

sqlite3_stmt *db_prepare(struct db *d, const char *sql)
{
	sqlite3_stmt *s = NULL;

	if (!d->err)
		check(d, sqlite3_prepare_v2(d->h, sql, -1, &s, NULL));
	return s;
}

sqlite3_stmt *db_prepare_insert(struct db *d, const char *table, int columns)
{
	char sql[256];
	size_t n = (size_t)snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", table);

	for (int i = 1; i < columns; i++)
		n += (size_t)snprintf(sql + n, sizeof(sql) - n, ",?");
	snprintf(sql + n, sizeof(sql) - n, ")");
	return db_prepare(d, sql);
}

void db_insert(struct db *d, sqlite3_stmt *s)
{
	if (d->err)
		return;
	check(d, sqlite3_step(s));
	check(d, sqlite3_reset(s));
}

void db_bind(struct db *d, sqlite3_stmt *s, int column, uint64_t v)
{
	if (!d->err)
		check(d, sqlite3_bind_int64(s, column, v < INT64_MAX ? (int64_t)v : INT64_MAX));
}

void db_bind_if(struct db *d, sqlite3_stmt *s, int column, bool known, uint64_t v)
{
	if (known)
		db_bind(d, s, column, v);
	else if (!d->err)
		check(d, sqlite3_bind_null(s, column));
}

void db_bind_text(struct db *d, sqlite3_stmt *s, int column, const char *v)
{
	if (d->err)
		return;
	if (!v || !*v) {
		check(d, sqlite3_bind_null(s, column));
		return;
	}
	char *clean = utf8_copy(v);

	check(d, clean ? sqlite3_bind_text(s, column, clean, -1, free) : SQLITE_NOMEM);
}

int db_finish(struct db *d, FILE *out)
{
	char buf[1 << 16];
	off_t at = 0;
	ssize_t got = 0;

	db_run(d, "COMMIT");
	while (!d->err && (got = pread(d->fd, buf, sizeof(buf), at)) > 0) {
		if (fwrite(buf, 1, (size_t)got, out) != (size_t)got)
			break; /* said where out is checked */
		at += got;
	}
	if (got < 0) {
		d->err = -errno;
		log_error("the database's temporary file: %s", strerror(errno));
	}
	return d->err;
}

void db_close(struct db *d)
{
	sqlite3_close(d->h);
	if (d->fd >= 0)
		close(d->fd);
	*d = (struct db){ .fd = -1 };
}

void db_insert_pair(struct db *d, sqlite3_stmt *s, const char *a, const char *b)
{
	db_bind_text(d, s, 1, a);
	db_bind_text(d, s, 2, b);
	db_insert(d, s);
}
