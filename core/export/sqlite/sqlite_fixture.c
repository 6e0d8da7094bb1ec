// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "analysis/stat_columns.h"
#include "export/export_fixture.h"

struct sqlite3 *fixture_open_sqlite(const char *data, size_t n)
{
	unsigned char *copy = sqlite3_malloc64(n);
	sqlite3 *db = NULL;

	assert_non_null(copy);
	memcpy(copy, data, n);
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_deserialize(db, "main", copy, (sqlite3_int64)n, (sqlite3_int64)n,
					     SQLITE_DESERIALIZE_FREEONCLOSE |
						     SQLITE_DESERIALIZE_READONLY),
			 SQLITE_OK);
	return db;
}

/* The last column of numbers of calls that stored dumps have: new ones go behind it. */
#define LAST_STORED "total_off_cpu_corrected_ns"

/* How many columns of a row a dump has. */
static int columns(sqlite3_stmt *s)
{
	const int n = sqlite3_column_count(s);

	for (int c = 0; c < n; c++)
		if (!strcmp(sqlite3_column_name(s, c), LAST_STORED))
			return c + 1;
	return n;
}

size_t fixture_query(struct sqlite3 *db, const char *sql, FILE *out)
{
	sqlite3_stmt *s;
	size_t rows = 0;
	int rc;

	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		for (int c = 0; c < columns(s); c++) {
			const unsigned char *v = sqlite3_column_text(s, c);

			fprintf(out, "%s%s", c ? "|" : "", v ? (const char *)v : "");
		}
		fputc('\n', out);
		rows++;
	}
	assert_int_equal(rc, SQLITE_DONE);
	sqlite3_finalize(s);
	return rows;
}

/* Also those that no dump has. */
static void has_all_columns(sqlite3 *db)
{
	char sql[128];

	for (const struct stat_column *c = stat_columns; c->name; c++) {
		sqlite3_stmt *s;

		snprintf(sql, sizeof(sql), "SELECT %s FROM functions", c->name);
		if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
			fail_msg("%s: %s", sql, sqlite3_errmsg(db));
		sqlite3_finalize(s);
	}
}

void fixture_print_sqlite(const char *data, size_t n, FILE *out)
{
	static const char *const tables[] = { "functions",  "paths", "path_names",
					      "goroutines", "calls", "losses" };
	sqlite3 *db = fixture_open_sqlite(data, n);
	char sql[64];

	fixture_query(db, "PRAGMA integrity_check", out);
	has_all_columns(db);
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		fprintf(out, "-- %s\n", tables[t]);
		snprintf(sql, sizeof(sql), "SELECT * FROM %s ORDER BY 1, 2", tables[t]);
		fixture_query(db, sql, out);
	}
	assert_int_equal(fixture_query(db, "PRAGMA foreign_key_check", out), 0);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}
