// SPDX-License-Identifier: BSD-2-Clause
/* A store that may be a stranger's: read, and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/store_internal.h"
#include "agent/store_vfs.h"
#include "base/log.h"

#define WAIT_MS     5000        /* for who repairs the write-ahead log */
#define WAL_BYTES   (1ll << 30) /* the agent's own has some megabytes */
#define VALUE_BYTES (1 << 20)   /* a text or a row of the index */
#define STEPS       1000        /* of SQLite's machine, between two looks at how many there were */
#define STEPS_MIN   10000000    /* these, and one for each byte of the index */

/* struct open_how of openat2(2), whose header is the kernel's. */
struct how {
	uint64_t flags, mode, resolve;
};
#define NO_SYMLINKS 4
#define BENEATH     8

/* ---- before SQLite looks at it */

/* One of the index's files: 1, 0: it is not there, -errno (logged). */
static int look_at(const struct store *s, const char *name, struct stat *st)
{
	if (fstatat(s->dir_fd, name, st, AT_SYMLINK_NOFOLLOW)) {
		if (errno == ENOENT)
			return 0;
		log_error("%s/%s: %s", s->directory, name, strerror(errno));
		return -errno;
	}
	if (S_ISREG(st->st_mode))
		return 1;
	log_error("%s/%s: it is no regular file, and is not read", s->directory, name);
	return -EINVAL;
}

/* The write-ahead log and its memory are read as parts of the index: only its owner writes them. */
static int look_beside(const struct store *s, const char *name, uid_t owner, struct stat *st)
{
	int is = look_at(s, name, st);

	if (is <= 0)
		return is;
	if (st->st_uid != owner) {
		log_error("%s/%s: it belongs to user %u and index.db to user %u; it is not read",
			  s->directory, name, (unsigned)st->st_uid, (unsigned)owner);
		return -EPERM;
	}
	if (st->st_size > WAL_BYTES) {
		log_error("%s/%s: it has %lld bytes, more than a store's, and is not read",
			  s->directory, name, (long long)st->st_size);
		return -EFBIG;
	}
	return 1;
}

#define SETTLE_NS 10000000
#define SETTLES   100

/* Sets what is known of the index, and `frozen`. 0 or -errno (logged). */
static int look_again(struct store *s, unsigned tries)
{
	struct stat wal, shm, journal;
	int is = look_at(s, "index.db", &s->index), has_wal, has_shm;

	if (!is)
		log_error("%s: there is no index.db", s->directory);
	if (is <= 0)
		return is ? is : -ENOENT;
	is = look_at(s, "index.db-journal", &journal);
	if (is) {
		if (is > 0)
			log_error(
				"%s/index.db-journal: a store of gotrace agent has no such file; it is not read",
				s->directory);
		return is < 0 ? is : -EINVAL;
	}
	has_wal = look_beside(s, "index.db-wal", s->index.st_uid, &wal);
	has_shm = has_wal < 0 ? has_wal : look_beside(s, "index.db-shm", s->index.st_uid, &shm);
	if (has_wal < 0 || has_shm < 0)
		return has_wal < 0 ? has_wal : has_shm;
	if (has_wal && !has_shm && wal.st_size && tries--) {
		/* An agent that ends removes the one, then the other. */
		nanosleep(&(struct timespec){ .tv_nsec = SETTLE_NS }, NULL);
		return look_again(s, tries);
	}
	if (has_wal && !has_shm && wal.st_size) {
		log_error(
			"%s: index.db-shm is missing beside index.db-wal; copy all files of the store, or start its agent once",
			s->directory);
		return -ENOENT;
	}
	s->frozen = !has_wal || !has_shm;
	s->shared = s->frozen ? 0 : shm.st_ino;
	s->ticks = (STEPS_MIN + 512 * (uint64_t)s->index.st_blocks +
		    (has_wal ? 512 * (uint64_t)wal.st_blocks : 0)) /
		   STEPS;
	return 0;
}

/* ---- opening */

/* What a file: URI is; NULL: no memory. */
static char *uri_of(const struct store *s)
{
	char *uri = NULL;
	size_t n;
	FILE *f = open_memstream(&uri, &n);

	if (!f)
		return NULL;
	fputs("file:", f);
	for (const char *c = s->directory; *c; c++)
		if (strchr("?#%&", *c))
			fprintf(f, "%%%02X", (unsigned char)*c);
		else
			fputc(*c, f);
	/* Nobody writes: no lock and no log is looked at. */
	fprintf(f, "/index.db?mode=ro&%s", s->frozen ? "immutable=1" : "readonly_shm=1");
	if (!fclose(f))
		return uri;
	free(uri);
	return NULL;
}

static int tick(void *ctx)
{
	struct store *s = ctx;

	return !s->ticks || !--s->ticks;
}

static void set_bounds(struct store *s)
{
	static const struct {
		int what, most;
	} limits[] = {
		{ SQLITE_LIMIT_LENGTH, VALUE_BYTES },
		{ SQLITE_LIMIT_SQL_LENGTH, 10000 },
		{ SQLITE_LIMIT_COLUMN, 100 },
		{ SQLITE_LIMIT_EXPR_DEPTH, 50 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 2 },
		{ SQLITE_LIMIT_VDBE_OP, 10000 },
		{ SQLITE_LIMIT_FUNCTION_ARG, 8 },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50 },
		{ SQLITE_LIMIT_VARIABLE_NUMBER, 20 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};
	static const struct {
		int what, on;
	} configs[] = {
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },      { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 }, { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
		{ SQLITE_DBCONFIG_ENABLE_FKEY, 0 },    { SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1 },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		sqlite3_limit(s->db, limits[i].what, limits[i].most);
	for (size_t i = 0; i < sizeof(configs) / sizeof(*configs); i++)
		sqlite3_db_config(s->db, configs[i].what, configs[i].on, NULL);
	sqlite3_busy_timeout(s->db, WAIT_MS);
	sqlite3_progress_handler(s->db, STEPS, tick, s);
}

/* ---- tables */

#define ASK_SCHEMA \
	"SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name"

static bool same_row(sqlite3_stmt *a, sqlite3_stmt *b)
{
	for (int i = 0; i < 4; i++) {
		const char *x = (const char *)sqlite3_column_text(a, i),
			   *y = (const char *)sqlite3_column_text(b, i);

		if (!x || !y || strcmp(x, y) != 0)
			return false;
	}
	return true;
}

/* The tables and indexes are those that store_open makes, and nothing else is there: no view and no
 * trigger runs. 0 or -errno (logged). */
static int check_schema(struct store *s)
{
	sqlite3 *own = NULL;
	sqlite3_stmt *has = NULL, *wanted = NULL;
	int code = SQLITE_ROW, other = SQLITE_ROW, err = 0;
	bool same = true;

	if (sqlite3_open(":memory:", &own) || sqlite3_exec(own, store_schema, NULL, NULL, NULL) ||
	    sqlite3_prepare_v2(own, ASK_SCHEMA, -1, &wanted, NULL)) {
		log_no_memory("no memory to look at a store");
		err = -ENOMEM;
	} else if (sqlite3_exec(s->db, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;", NULL, NULL,
				NULL) ||
		   sqlite3_prepare_v2(s->db, ASK_SCHEMA, -1, &has, NULL)) {
		err = store_failed(s, "cannot be read");
	}
	while (!err && same && code == SQLITE_ROW) {
		code = sqlite3_step(has);
		other = sqlite3_step(wanted);
		if (code != SQLITE_ROW && code != SQLITE_DONE)
			err = store_failed(s, "cannot be read");
		else
			same = code == other && (code == SQLITE_DONE || same_row(has, wanted));
	}
	if (!err && !same) {
		log_error("%s/index.db: its tables are not those of a store of this gotrace",
			  s->directory);
		err = -EINVAL;
	}
	sqlite3_finalize(has);
	sqlite3_finalize(wanted);
	sqlite3_close(own);
	return err;
}

int store_open_to_read(struct store *s, const char *directory)
{
	const char *vfs = store_vfs_reading();
	char *uri = NULL;
	int err = 0;

	*s = (struct store){ .directory = strdup(directory), .dir_fd = -1 };
	if (!s->directory || !vfs) {
		log_no_memory("no memory for a store");
		err = -ENOMEM;
	}
	if (!err && (s->dir_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) {
		err = -errno;
		log_error("%s: cannot be read: %s", directory, strerror(-err));
	}
	if (!err)
		err = look_again(s, SETTLES);
	if (!err && !(uri = uri_of(s))) {
		log_no_memory("no memory for a store");
		err = -ENOMEM;
	}
	if (!err && sqlite3_open_v2(uri, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, vfs)) {
		const int why = sqlite3_system_errno(s->db);

		err = store_failed(s, why ? strerror(why) : "cannot be opened");
		err = why && err != -EAGAIN ? -why : err;
	}
	free(uri);
	if (!err) {
		set_bounds(s);
		err = check_schema(s);
	}
	if (err)
		store_close(s);
	return err;
}

bool store_is_one(const char *directory)
{
	char path[4096];
	struct stat st;

	return snprintf(path, sizeof(path), "%s/index.db", directory) < (int)sizeof(path) &&
	       !lstat(path, &st) && S_ISREG(st.st_mode);
}

int store_owner(const char *directory, uid_t *uid, gid_t *gid)
{
	char path[4096];
	struct stat st;

	if (stat(directory, &st))
		return -errno;
	/* Who may write a folder of root's, by its group, say, owns what is in it. */
	if (!st.st_uid &&
	    snprintf(path, sizeof(path), "%s/index.db", directory) < (int)sizeof(path) &&
	    lstat(path, &st))
		return -errno;
	*uid = st.st_uid;
	*gid = st.st_gid;
	return 0;
}

/* ---- files */

int store_open_file(const struct store *s, const char *path, const char *end)
{
	const struct how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
				 .resolve = BENEATH | NO_SYMLINKS };
	char *file = NULL;
	struct stat st;

	if (asprintf(&file, "%s%s", path, end) < 0)
		return -ENOMEM;
	int fd = (int)syscall(SYS_openat2, s->dir_fd, file, &how, sizeof(how));
	int err = fd < 0 ? -errno : fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;

	if (err == -ENOSYS)
		log_error(
			"%s: this kernel has no openat2 (Linux 5.6), without which no store is read",
			s->directory);
	else if (err == -EXDEV || err == -ELOOP)
		log_error("%s/%s: it leads out of the store, or by a link, and is not read",
			  s->directory, file);
	else if (err == -EINVAL)
		log_error("%s/%s: it is no regular file, and is not read", s->directory, file);
	else if (err && err != -ENOENT)
		log_error("%s/%s: cannot be opened: %s", s->directory, file, strerror(-err));
	free(file);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}
