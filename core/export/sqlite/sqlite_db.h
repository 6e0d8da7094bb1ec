/* SPDX-License-Identifier: BSD-2-Clause */
/* A database that is being written. The first error is logged and ends all work. */
#ifndef GOTRACE_SQLITE_DB_H
#define GOTRACE_SQLITE_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct db {
	sqlite3 *h;
	int fd;  /* the file, which has no name any more; -1 when not open */
	int err; /* 0 or -errno */
};

/* Begins a transaction in a temporary file in $TMPDIR. 0 or -errno (logged); db_close in either
 * case. */
int db_open(struct db *d);
void db_run(struct db *d, const char *sql);
/* Prepares a statement, to be freed by sqlite3_finalize. NULL after an error. */
sqlite3_stmt *db_prepare(struct db *d, const char *sql);
/* Prepares an INSERT with `columns` values. */
sqlite3_stmt *db_prepare_insert(struct db *d, const char *table, int columns);
/* Executes an INSERT whose values are bound, and resets it for the next. */
void db_insert(struct db *d, sqlite3_stmt *s);
/* Binds a value to a column, 1 the first. Numbers beyond int64 are stored as its largest. */
void db_bind(struct db *d, sqlite3_stmt *s, int column, uint64_t v);
void db_bind_if(struct db *d, sqlite3_stmt *s, int column, bool known,
		uint64_t v); /* NULL if not known */
/* Binds a text; NULL and "" become NULL. */
void db_bind_text(struct db *d, sqlite3_stmt *s, int column, const char *v);
/* Commits and copies the file to out. 0 or -errno (logged). */
int db_finish(struct db *d, FILE *out);
void db_close(struct db *d);
/* Inserts a row of two texts. */
void db_insert_pair(struct db *d, sqlite3_stmt *s, const char *a, const char *b);

#endif
