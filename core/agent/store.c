// SPDX-License-Identifier: BSD-2-Clause
#include "agent/store.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/store_internal.h"
#include "agent/store_vfs.h"
#include "base/log.h"

static int run(struct store *s, const char *sql)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) ? store_failed(s, "cannot be written")
							  : 0;
}

int store_open(struct store *s, const char *directory)
{
	char *path = NULL;
	int err = 0;

	*s = (struct store){ .directory = strdup(directory), .dir_fd = -1 };
	if (!s->directory || !store_vfs_reading() ||
	    asprintf(&path, "%s/index.db", directory) < 0) {
		log_no_memory("no memory for a store");
		store_close(s);
		return -ENOMEM;
	}
	if (mkdir(directory, 0750) && errno != EEXIST) {
		err = -errno;
		log_error("%s: cannot be made: %s", directory, strerror(-err));
	} else if ((s->dir_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) {
		err = -errno;
		log_error("%s: cannot be opened: %s", directory, strerror(-err));
	} else if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
				   NULL)) {
		err = store_failed(s, "cannot be opened");
	}
	free(path);
	if (!err) {
		sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
		store_keep_room(s, false);
		/* Readers go on while it is written; a kill leaves whole rows. */
		err = run(s, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;");
	}
	if (!err)
		err = run(s, store_schema);
	if (err)
		store_close(s);
	else
		store_keep_room(s, true);
	return err;
}

/* ---- files */

void store_file_word(const char *service, char word[STORE_WORD_BYTES])
{
	size_t n = 0;

	for (; service[n] && n < STORE_WORD_BYTES - 1; n++)
		word[n] = isalnum((unsigned char)service[n]) || strchr("_.-", service[n])
				  ? service[n]
				  : '_';
	word[n] = '\0';
}

/* 20261125/031500.123-SERVICE-NUMBER, by UTC. */
char *store_new_path(const struct store *s, const char *service, uint64_t from_ns, unsigned number)
{
	const time_t seconds = (time_t)(from_ns / 1000000000);
	char day[16], hour[16], name[STORE_WORD_BYTES], *path = NULL, *folder = NULL;
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(day, sizeof(day), "%Y%m%d", &tm);
	strftime(hour, sizeof(hour), "%H%M%S", &tm);
	store_file_word(service, name);
	if (asprintf(&folder, "%s/%s", s->directory, day) < 0 ||
	    asprintf(&path, "%s/%s.%03u-%s-%u", day, hour, (unsigned)(from_ns / 1000000 % 1000),
		     name, number) < 0) {
		log_no_memory("no memory for a name");
		path = NULL;
	} else if (mkdir(folder, 0750) && errno != EEXIST) {
		log_error("%s: cannot be made: %s", folder, strerror(errno));
		free(path);
		path = NULL;
	}
	free(folder);
	return path;
}

static void remove_files(const struct store *s, const char *path)
{
	static const char *const ends[] = { ".gotrace", ".pb.gz" };

	if (!store_path_is_below(path))
		return;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		char *file = NULL;

		if (asprintf(&file, "%s/%s%s", s->directory, path, ends[i]) >= 0)
			unlink(file);
		free(file);
	}
	/* Its day, if it was the last one. */
	char *day = NULL;

	if (asprintf(&day, "%s/%.*s", s->directory, (int)strcspn(path, "/"), path) >= 0)
		rmdir(day);
	free(day);
}

/* ---- rows */

static sqlite3_stmt *prepare(struct store *s, const char *sql)
{
	sqlite3_stmt *q = NULL;

	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL))
		s->failed = store_failed(s, "cannot be asked");
	return q;
}

static void bind_text(sqlite3_stmt *q, int i, const char *text)
{
	sqlite3_bind_text(q, i, text, -1, SQLITE_TRANSIENT);
}

/* To its end, once. */
static int finish(struct store *s, sqlite3_stmt *q)
{
	int err = !q                               ? -EIO
		  : sqlite3_step(q) == SQLITE_DONE ? 0
						   : store_failed(s, "cannot be written");

	sqlite3_finalize(q);
	return err;
}

static int add_row(struct store *s, const struct profile *p, bool push)
{
	sqlite3_stmt *q = prepare(
		s,
		"INSERT INTO profiles(service, labels, from_ns, to_ns, samples, weight_ns,"
		" lost, event, build_ids, path, bytes, waiting_ns) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
	if (!q)
		return -EIO;
	bind_text(q, 1, p->service);
	bind_text(q, 2, p->labels);
	sqlite3_bind_int64(q, 3, (int64_t)p->from_ns);
	sqlite3_bind_int64(q, 4, (int64_t)p->to_ns);
	sqlite3_bind_int64(q, 5, (int64_t)p->samples);
	sqlite3_bind_int64(q, 6, (int64_t)p->weight_ns);
	sqlite3_bind_int64(q, 7, (int64_t)p->lost);
	bind_text(q, 8, p->event);
	bind_text(q, 9, p->build_ids);
	bind_text(q, 10, p->path);
	sqlite3_bind_int64(q, 11, (int64_t)p->bytes);
	sqlite3_bind_int64(q, 12, (int64_t)p->waiting_ns);
	int err = finish(s, q);

	if (err || !push)
		return err;
	q = prepare(s, "INSERT INTO outbox VALUES(last_insert_rowid(), 0)");
	return finish(s, q);
}

/* Adds to a total. Returns 0 or -errno (logged). */
static int count(struct store *s, const char *name, uint64_t n)
{
	sqlite3_stmt *q = n ? prepare(s, "INSERT INTO totals VALUES(?1, ?2) ON CONFLICT(name)"
					 " DO UPDATE SET value = value + ?2")
			    : NULL;

	if (!n)
		return 0;
	bind_text(q, 1, name);
	sqlite3_bind_int64(q, 2, (int64_t)n);
	return finish(s, q);
}

/* The first number of the first row; 0: there is none. */
static uint64_t number(sqlite3_stmt *q)
{
	uint64_t n = 0;

	if (q && sqlite3_step(q) == SQLITE_ROW)
		n = (uint64_t)sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return n;
}

#define ask(s, sql) number(prepare(s, sql))

uint64_t store_total(struct store *s, const char *name)
{
	sqlite3_stmt *q = prepare(s, "SELECT value FROM totals WHERE name = ?");

	bind_text(q, 1, name);
	return number(q);
}

int64_t store_next_id(struct store *s)
{
	return (int64_t)ask(s, "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence"
			       " WHERE name = 'profiles'");
}

static int end_transaction(struct store *s, int err)
{
	if (!err)
		err = run(s, "COMMIT");
	if (err && !sqlite3_get_autocommit(s->db))
		run(s, "ROLLBACK");
	return err;
}

int store_add(struct store *s, const struct profile *p, size_t n, bool push)
{
	uint64_t samples = 0;
	int err = run(s, "BEGIN IMMEDIATE");

	if (err)
		return err;
	for (size_t i = 0; i < n && !err; i++) {
		err = add_row(s, &p[i], push);
		samples += p[i].samples;
	}
	if (!err)
		err = count(s, "samples_written", samples);
	return end_transaction(s, err);
}

static char *column(sqlite3_stmt *q, int i)
{
	const char *text = (const char *)sqlite3_column_text(q, i);

	return strdup(text ? text : "");
}

#define COLUMNS \
	"id, service, labels, from_ns, to_ns, samples, weight_ns, lost, build_ids, path, bytes, waiting_ns"

static int take(sqlite3_stmt *q, struct profile *p)
{
	*p = (struct profile){
		.id = sqlite3_column_int64(q, 0),
		.service = column(q, 1),
		.labels = column(q, 2),
		.from_ns = (uint64_t)sqlite3_column_int64(q, 3),
		.to_ns = (uint64_t)sqlite3_column_int64(q, 4),
		.samples = (uint64_t)sqlite3_column_int64(q, 5),
		.weight_ns = (uint64_t)sqlite3_column_int64(q, 6),
		.lost = (uint64_t)sqlite3_column_int64(q, 7),
		.build_ids = column(q, 8),
		.path = column(q, 9),
		.bytes = (uint64_t)sqlite3_column_int64(q, 10),
		.waiting_ns = (uint64_t)sqlite3_column_int64(q, 11),
	};
	if (p->service && p->labels && p->path && p->build_ids)
		return 0;
	profile_free(p);
	return -ENOMEM;
}

void profile_free(struct profile *p)
{
	free(p->service);
	free(p->labels);
	free(p->build_ids);
	free(p->path);
	*p = (struct profile){ 0 };
}

static bool has_labels(struct store *s, const struct profile *p, const struct pairs *wanted)
{
	struct pairs has = { 0 };
	bool all = !wanted->n || !pairs_from_json(&has, p->labels);

	if (!all && !s->said_labels) {
		log_error("%s/index.db: row %" PRId64 " has labels that cannot be read; it is left "
			  "out, and so are others like it",
			  s->directory, p->id);
		s->said_labels = true;
	}
	for (size_t i = 0; i < wanted->n && all; i++) {
		const char *value = pairs_get(&has, wanted->at[i].name);

		all = value && !strcmp(value, wanted->at[i].value);
	}
	pairs_free(&has);
	return all;
}

int store_find(struct store *s, const struct store_query *w,
	       int (*each)(void *ctx, const struct profile *p), void *ctx)
{
	sqlite3_stmt *q = prepare(s,
				  "SELECT " COLUMNS
				  " FROM profiles WHERE (?1 IS NULL OR service = ?1)"
				  " AND to_ns > ?2 AND from_ns < ?3"
				  " AND (?5 = 0 OR (id >= ?4 AND id < ?5)) ORDER BY from_ns, id");
	int err = q ? 0 : s->failed, code;

	if (!q)
		return err;
	bind_text(q, 1, w->service);
	sqlite3_bind_int64(q, 2, (int64_t)w->from_ns);
	sqlite3_bind_int64(q, 3, w->to_ns ? (int64_t)w->to_ns : INT64_MAX);
	sqlite3_bind_int64(q, 4, w->first_id);
	sqlite3_bind_int64(q, 5, w->end_id);
	while (!err && (code = sqlite3_step(q)) == SQLITE_ROW) {
		struct profile p;

		err = take(q, &p);
		if (!err && !store_path_is_below(p.path)) {
			log_error("%s/index.db: row %" PRId64
				  " names a file that is not in the store",
				  s->directory, p.id);
			err = -EINVAL;
		}
		if (!err && has_labels(s, &p, &w->labels))
			err = each(ctx, &p);
		profile_free(&p);
	}
	if (store_has_changed(s))
		err = -EAGAIN;
	else if (!err && code != SQLITE_DONE)
		err = store_failed(s, "cannot be read");
	sqlite3_finalize(q);
	return err;
}

/* ---- the outbox */

int store_next_out(struct store *s, struct profile *p, int most)
{
	sqlite3_stmt *q = prepare(s, "SELECT " COLUMNS
				     " FROM profiles JOIN outbox USING(id) ORDER BY id LIMIT ?");
	int code = SQLITE_ERROR, n = 0, err = 0;

	sqlite3_bind_int(q, 1, most);
	while (!err && q && (code = sqlite3_step(q)) == SQLITE_ROW) {
		err = take(q, &p[n]);
		n += !err;
	}
	if (!err && code != SQLITE_DONE)
		err = store_failed(s, "cannot be read");
	sqlite3_finalize(q);
	for (; err && n; n--)
		profile_free(&p[n - 1]);
	return err ? err : n;
}

int store_out_done(struct store *s, const struct profile *p, bool pushed)
{
	int err = run(s, "BEGIN IMMEDIATE");
	sqlite3_stmt *q = err ? NULL : prepare(s, "DELETE FROM outbox WHERE id = ?");

	if (err)
		return err;
	sqlite3_bind_int64(q, 1, p->id);
	err = finish(s, q);
	if (!err && sqlite3_changes(s->db)) /* else it was given up meanwhile */
		err = count(s, pushed ? "samples_pushed" : "samples_given_up", p->samples);
	return end_transaction(s, err);
}

/* ---- room */

static int remove_row(struct store *s, const struct profile *p)
{
	int err = store_out_done(s, p, false);
	sqlite3_stmt *q = err ? NULL : prepare(s, "DELETE FROM profiles WHERE id = ?");

	if (err)
		return err;
	sqlite3_bind_int64(q, 1, p->id);
	return finish(s, q);
}

/* On a full disk the index can be written in what was kept free for that. SQLite reports a spent
 * quota as an error of input and output, at COMMIT without an errno. */
static int remove_one(struct store *s, const struct profile *p)
{
	int err = remove_row(s, p);

	if (err == -ENOSPC || err == -EIO) {
		store_keep_room(s, false);
		err = remove_row(s, p);
	}
	if (!err)
		remove_files(s, p->path);
	return err;
}

static int remove_counted(struct store *s, const struct profile *p, uint64_t *count,
			  struct store_trimmed *gone)
{
	int err = remove_one(s, p);

	if (err)
		return err;
	++*count;
	gone->samples += p->samples;
	gone->bytes += p->bytes;
	return 0;
}

/* The first profile of a query. 1, 0, -errno. */
static int first(struct store *s, const char *sql, uint64_t bound, struct profile *p)
{
	sqlite3_stmt *q = prepare(s, sql);
	int code, got;

	if (!q)
		return -EIO;
	sqlite3_bind_int64(q, 1, (int64_t)bound);
	code = sqlite3_step(q);
	got = code == SQLITE_ROW ? (take(q, p) ? -ENOMEM : 1) : 0;
	sqlite3_finalize(q);
	return got;
}

int store_trim(struct store *s, uint64_t now_ns, uint64_t max_age_ns, uint64_t max_bytes,
	       uint64_t pending_bytes, struct store_trimmed *gone)
{
	const uint64_t oldest = max_age_ns && max_age_ns < now_ns ? now_ns - max_age_ns : 0;
	uint64_t has = ask(s, "SELECT sum(bytes) FROM profiles"),
		 pending = ask(s, "SELECT sum(bytes) FROM profiles JOIN outbox USING(id)");
	struct profile p;
	int got = 1, err = 0;

	while (!err &&
	       (got = first(s,
			    "SELECT " COLUMNS " FROM profiles WHERE to_ns < ?1 ORDER BY id LIMIT 1",
			    oldest, &p)) > 0) {
		has -= p.bytes < has ? p.bytes : has;
		err = remove_counted(s, &p, &gone->old, gone);
		profile_free(&p);
	}
	while (!err && got >= 0 && max_bytes && has > max_bytes &&
	       (got = first(s, "SELECT " COLUMNS " FROM profiles WHERE ?1 ORDER BY id LIMIT 1", 1,
			    &p)) > 0) {
		has -= p.bytes < has ? p.bytes : has;
		err = remove_counted(s, &p, &gone->too_many, gone);
		profile_free(&p);
	}
	while (!err && got >= 0 && pending_bytes && pending > pending_bytes &&
	       (got = store_next_out(s, &p, 1)) > 0) {
		pending -= p.bytes < pending ? p.bytes : pending;
		err = store_out_done(s, &p, false);
		gone->given_up += !err;
		profile_free(&p);
	}
	store_keep_room(s, true);
	return err ? err : got < 0 ? got : 0;
}
