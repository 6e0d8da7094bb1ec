// SPDX-License-Identifier: BSD-2-Clause
/* Stores that a stranger has made: they are read, or refused in one line, and nothing of them or
 * of the host is changed. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "agent/profile_merge.h"
#include "agent/store.h"
#include "base/log.h"
#include "trace/keys.h"
#include "trace/samples_fixture.h"

static char dir[64], said[1024];
static unsigned n_said;
static char warned[256];

static void keep(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	if (level == LOG_LEVEL_WARN)
		snprintf(warned, sizeof(warned), "%s", line);
	if (level != LOG_LEVEL_ERROR)
		return;
	n_said++;
	snprintf(said, sizeof(said), "%s", line);
}

static const char *in_dir(const char *name)
{
	static char path[2][256];
	static unsigned turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

static void add_row(struct store *s, const char *path)
{
	const struct profile p = { .service = (char *)(uintptr_t) "a",
				   .labels = (char *)(uintptr_t) "{}",
				   .from_ns = 1,
				   .to_ns = 2,
				   .samples = 3,
				   .event = "cpu-clock",
				   .build_ids = (char *)(uintptr_t) "[]",
				   .path = (char *)(uintptr_t)path };

	assert_int_equal(store_add(s, &p, 1, false), 0);
}

/* A store with one row, closed. */
static void make_store(const char *path)
{
	struct store s;

	assert_int_equal(store_open(&s, dir), 0);
	add_row(&s, path);
	store_close(&s);
}

static void change(const char *sql)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(in_dir("index.db"), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static int count_rows(void *ctx, const struct profile *p)
{
	(void)p;
	++*(unsigned *)ctx;
	return 0;
}

/* How many rows are found; -errno. */
static int rows(struct store *s)
{
	const struct store_query all = { 0 };
	unsigned n = 0;
	int err = store_find(s, &all, count_rows, &n);

	return err ? err : (int)n;
}

/* It is not opened, and one line says why. */
static void refused(const char *why)
{
	struct store s;

	n_said = 0;
	assert_true(store_open_to_read(&s, dir) < 0);
	assert_int_equal(n_said, 1);
	assert_non_null(strstr(said, why));
	assert_null(s.db);
}

static void put(uint8_t *to, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* A rollback journal that SQLite plays back, and which names a "super-journal" to delete
 * (sqlite.org/fileformat.html, "The Rollback Journal"). */
static void write_journal(const char *victim)
{
	static const uint8_t magic[8] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
	uint8_t page[4096], head[512] = { 0 }, word[4];
	uint32_t sum = 0;
	FILE *db = fopen(in_dir("index.db"), "r"), *f = fopen(in_dir("index.db-journal"), "w");

	assert_true(db && f && fread(page, sizeof(page), 1, db) == 1);
	memcpy(head, magic, sizeof(magic));
	put(head + 8, 1);
	put(head + 16, 8); /* pages before */
	put(head + 20, sizeof(head));
	put(head + 24, sizeof(page));
	fwrite(head, sizeof(head), 1, f);
	put(word, 1);
	fwrite(word, 4, 1, f);
	fwrite(page, sizeof(page), 1, f);
	for (int i = sizeof(page) - 200; i > 0; i -= 200)
		sum += page[i];
	put(word, sum);
	fwrite(word, 4, 1, f);
	put(word, 0x40000000 / sizeof(page) + 1);
	fwrite(word, 4, 1, f);
	fputs(victim, f);
	put(word, (uint32_t)strlen(victim));
	fwrite(word, 4, 1, f);
	sum = 0;
	for (const char *c = victim; *c; c++)
		sum += (uint32_t)*c;
	put(word, sum);
	fwrite(word, 4, 1, f);
	fwrite(magic, sizeof(magic), 1, f);
	fclose(db);
	fclose(f);
}

TEST(test_journal)
{
	char victim[128];

	make_store("day/x");
	change("PRAGMA journal_mode=DELETE");
	snprintf(victim, sizeof(victim), "%s", in_dir("victim"));
	FILE *f = fopen(victim, "w");

	assert_true(f && fputs("kept", f) >= 0 && !fclose(f));
	write_journal(victim);
	refused("index.db-journal: a store of gotrace agent has no such file");
	assert_int_equal(access(victim, F_OK), 0);
	assert_int_equal(access(in_dir("index.db-journal"), F_OK), 0);
	/* it is one that SQLite would have obeyed */
	change("SELECT count(*) FROM profiles");
	assert_int_equal(access(victim, F_OK), -1);
}

TEST(test_schema)
{
	static const char *const hostile[] = {
		"ALTER TABLE profiles RENAME TO p; CREATE VIEW profiles AS WITH RECURSIVE"
		" c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n AS id, '' AS service,"
		" '{}' AS labels, 1 AS from_ns, 2 AS to_ns, 0 AS samples, 0 AS weight_ns, 0 AS lost,"
		" '[]' AS build_ids, 'x' AS path, 0 AS bytes, 0 AS waiting_ns FROM c",
		"CREATE VIEW more AS SELECT 1",
		"CREATE TRIGGER t AFTER INSERT ON totals BEGIN DELETE FROM profiles; END",
		"CREATE TABLE more(x)",
		"CREATE INDEX more ON profiles(abs(bytes))",
		"DROP INDEX profiles_by_time",
		"DROP TABLE outbox",
		"ALTER TABLE profiles ADD COLUMN more",
	};

	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		make_store("day/x");
		change(hostile[i]);
		refused("its tables are not those of a store");
		assert_int_equal(unlink(in_dir("index.db")), 0);
	}
}

TEST(test_bounds)
{
	struct store s;

	make_store("day/x");
	change("UPDATE profiles SET labels = CAST(zeroblob(3000000) AS TEXT)");
	assert_int_equal(store_open_to_read(&s, dir), 0);
	n_said = 0;
	assert_true(rows(&s) < 0);
	assert_int_equal(n_said, 1);
	assert_non_null(strstr(said, "too big"));
	store_close(&s);
	change("DELETE FROM profiles; VACUUM; WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1"
	       " FROM c LIMIT 20000) INSERT INTO profiles SELECT n, 'a', '{}', 1, 2, 0, 0, 0, 0, '',"
	       " '[]', 'x', 0 FROM c");
	assert_int_equal(store_open_to_read(&s, dir), 0);
	assert_int_equal(rows(&s), 20000);
	s.ticks = 100;
	n_said = 0;
	assert_true(rows(&s) < 0);
	assert_int_equal(n_said, 1);
	assert_non_null(strstr(said, "more steps than its size explains"));
	store_close(&s);
}

/* Bytes of the index are overwritten: by chance, or while its agent runs. */
TEST(test_damaged_index)
{
	char zeros[4096] = { 0 };
	struct store s;

	make_store("day/x");
	assert_int_equal(store_open(&s, dir), 0);
	change("PRAGMA wal_checkpoint(TRUNCATE)");
	int fd = open(in_dir("index.db"), O_WRONLY);

	assert_true(fd >= 0);
	for (off_t at = 4096; at < 10 * 4096; at += 4096)
		assert_int_equal(pwrite(fd, zeros, sizeof(zeros), at), sizeof(zeros));
	store_close(&s);
	n_said = 0;
	assert_int_equal(store_open(&s, dir), 0);
	assert_true(rows(&s) < 0);
	assert_int_equal(n_said, 1);
	assert_non_null(strstr(said, "malformed; sqlite3's .recover saves what can be read"));
	n_said = 0;
	assert_true(store_total(&s, "samples_written") == 0);
	store_close(&s);
	assert_int_equal(pwrite(fd, "no database", 11, 0), 11);
	close(fd);
	refused("is not a database; sqlite3's .recover");
}

/* Names of rows that lead elsewhere. */
TEST(test_paths)
{
	static const char *const away[] = { "../x",   "/etc/passwd", "day/../../x", "",
					    "day//x", "./x",         "day/..",      "day/" };
	struct store s;

	for (size_t i = 0; i < sizeof(away) / sizeof(*away); i++) {
		make_store(away[i]);
		assert_int_equal(store_open_to_read(&s, dir), 0);
		n_said = 0;
		assert_int_equal(rows(&s), -EINVAL);
		assert_int_equal(n_said, 1);
		assert_non_null(strstr(said, "names a file that is not in the store"));
		store_close(&s);
		assert_int_equal(unlink(in_dir("index.db")), 0);
	}
}

TEST(test_files)
{
	struct store s;
	int fd;

	make_store("day/x");
	assert_int_equal(mkdir(in_dir("day"), 0700), 0);
	assert_int_equal(symlink("/etc/passwd", in_dir("day/link.gotrace")), 0);
	assert_int_equal(symlink("/etc", in_dir("etc")), 0);
	assert_int_equal(mkfifo(in_dir("day/fifo.gotrace"), 0600), 0);
	assert_int_equal(mkdir(in_dir("day/folder.gotrace"), 0700), 0);
	fclose(fopen(in_dir("day/x.gotrace"), "w"));
	assert_int_equal(store_open_to_read(&s, dir), 0);
	assert_int_equal(store_open_file(&s, "day/link", ".gotrace"), -ELOOP);
	assert_non_null(strstr(said, "by a link"));
	assert_int_equal(store_open_file(&s, "etc/passwd", ""), -ELOOP);
	assert_int_equal(store_open_file(&s, "../x", ""), -EXDEV);
	assert_int_equal(store_open_file(&s, "/etc/passwd", ""), -EXDEV);
	assert_int_equal(store_open_file(&s, "day/fifo", ".gotrace"), -EINVAL);
	assert_int_equal(store_open_file(&s, "day/folder", ".gotrace"), -EINVAL);
	n_said = 0;
	assert_int_equal(store_open_file(&s, "day/none", ".gotrace"), -ENOENT);
	assert_int_equal(n_said, 0);
	fd = store_open_file(&s, "day/x", ".gotrace");
	assert_true(fd >= 0);
	close(fd);
	store_close(&s);
}

/* What SQLite would open besides the index. */
TEST(test_beside)
{
	make_store("day/x");
	assert_int_equal(mkfifo(in_dir("index.db-wal"), 0600), 0);
	refused("index.db-wal: it is no regular file");
	unlink(in_dir("index.db-wal"));
	assert_int_equal(symlink("/etc/passwd", in_dir("index.db-wal")), 0);
	refused("index.db-wal: it is no regular file");
	unlink(in_dir("index.db-wal"));
	fclose(fopen(in_dir("index.db-wal"), "w"));
	assert_int_equal(mkfifo(in_dir("index.db-shm"), 0600), 0);
	refused("index.db-shm: it is no regular file");
	unlink(in_dir("index.db-shm"));
	assert_int_equal(truncate(in_dir("index.db-wal"), 3ll << 30), 0);
	refused("index.db-wal: it has 3221225472 bytes");
	assert_int_equal(truncate(in_dir("index.db-wal"), 4096), 0);
	refused("index.db-shm is missing");
	if (!getuid()) {
		assert_int_equal(chown(in_dir("index.db-wal"), 4242, 4242), 0);
		refused("index.db-wal: it belongs to user 4242 and index.db to user 0");
	}
	unlink(in_dir("index.db-wal"));
	assert_int_equal(rename(in_dir("index.db"), in_dir("moved")), 0);
	assert_int_equal(mkfifo(in_dir("index.db"), 0600), 0);
	assert_false(store_is_one(dir));
	refused("index.db: it is no regular file");
	unlink(in_dir("index.db"));
	assert_int_equal(symlink("moved", in_dir("index.db")), 0);
	assert_false(store_is_one(dir));
	refused("index.db: it is no regular file");
}

/* All names in the directory, with sizes and times. */
static void list(char *to, size_t size)
{
	char command[256];
	size_t n;

	snprintf(command, sizeof(command), "ls -lA --time-style=full-iso %s", dir);
	FILE *f = popen(command, "r");

	assert_non_null(f);
	n = fread(to, 1, size - 1, f);
	to[n] = '\0';
	pclose(f);
}

/* Rows that are in the write-ahead log alone, of an agent that runs, and of one that was killed:
 * they are read, and not a byte of the store changes. */
TEST(test_log)
{
	static char before[8192], after[8192];
	struct store s, other;
	int ready[2], end[2], status;
	char c = 0;

	make_store("day/x");
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(end), 0);
	pid_t child = fork();

	if (!child) {
		if (!store_open(&s, dir))
			add_row(&s, "day/y");
		if (write(ready[1], &c, 1) == 1 && read(end[0], &c, 1) < 0)
			_exit(2);
		_exit(0); /* as if killed */
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	for (int killed = 0; killed < 2; killed++) {
		list(before, sizeof(before));
		assert_non_null(strstr(before, "index.db-wal"));
		assert_int_equal(store_open_to_read(&other, dir), 0);
		assert_int_equal(rows(&other), 2);
		store_close(&other);
		list(after, sizeof(after));
		assert_string_equal(before, after);
		if (killed)
			break;
		assert_int_equal(write(end[1], &c, 1), 1);
		assert_int_equal(waitpid(child, &status, 0), child);
	}
	/* the agent itself reads beside its writing */
	assert_int_equal(store_open(&s, dir), 0);
	add_row(&s, "day/z");
	assert_int_equal(store_open_to_read(&other, dir), 0);
	assert_int_equal(rows(&other), 3);
	add_row(&s, "day/w");
	assert_int_equal(rows(&other), 4);
	store_close(&other);
	store_close(&s);
}

/* An agent begins to write while the store is read as one to which nobody does. */
TEST(test_changed)
{
	struct store s;

	make_store("day/x");
	assert_int_equal(store_open_to_read(&s, dir), 0);
	assert_int_equal(rows(&s), 1);
	make_store("day/y");
	n_said = 0;
	assert_int_equal(rows(&s), -EAGAIN);
	assert_int_equal(n_said, 0);
	store_close(&s);
}

/* A small index cannot have a file read a million times. */
TEST(test_same_file)
{
	const struct store_query all = { 0 };
	struct trace_reader *r;
	struct store s;

	make_store("x");
	assert_int_equal(samples_fixture_file(in_dir("x.gotrace"), true), 0);
	assert_int_equal(store_open_to_read(&s, dir), 0);
	r = merge_trace(&s, &all);
	assert_non_null(r);
	trace_reader_close(r);
	store_close(&s);
	make_store("y");
	assert_int_equal(link(in_dir("x.gotrace"), in_dir("y.gotrace")), 0);
	assert_int_equal(store_open_to_read(&s, dir), 0);
	n_said = 0;
	assert_null(merge_trace(&s, &all));
	assert_int_equal(n_said, 1);
	assert_non_null(strstr(said, "names the file of another row"));
	store_close(&s);
}

FIXTURE(make_dir)
{
	log_set_sink(keep, NULL);
	snprintf(dir, sizeof(dir), "/tmp/store_read_test.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}
FIXTURE(remove_dir)
{
	char command[128];

	log_set_sink(NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* Three rows with a profile each, x, y and z. */
static void make_three(void)
{
	static const char *const names[] = { "x", "y", "z" };
	char file[16];

	for (int i = 0; i < 3; i++) {
		make_store(names[i]);
		snprintf(file, sizeof(file), "%s.gotrace", names[i]);
		assert_int_equal(samples_fixture_file(in_dir(file), true), 0);
	}
}

/* Of what can be read. *left_out, *cut: what it says of the rest, or NULL; to be freed. *lost: how
 * many are, or -1. */
static unsigned merged_samples(char **left_out, char **cut, int *lost)
{
	const struct store_query all = { 0 };
	struct sample_span span;
	struct store s;
	unsigned n = 0;

	assert_int_equal(store_open_to_read(&s, dir), 0);
	n_said = 0;
	struct trace_reader *r = merge_trace(&s, &all);

	store_close(&s);
	assert_non_null(r);
	while (trace_reader_samples(r, &span) > 0)
		n += (unsigned)span.n;
	assert_true(trace_reader_complete(r));
	const char *value = trace_info_get(trace_reader_info(r), KEY_END_SAMPLES_LOST);

	*lost = value ? atoi(value) : -1;
	value = trace_info_get(trace_reader_info(r), KEY_WARN_LEFT_OUT);

	*left_out = value ? strdup(value) : NULL;
	value = trace_info_get(trace_reader_info(r), KEY_WARN_CUT);
	*cut = value ? strdup(value) : NULL;
	trace_reader_close(r);
	return n;
}

static void put_at(const char *name, off_t at, const char *bytes)
{
	int fd = open(in_dir(name), O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, strlen(bytes), at), strlen(bytes));
	close(fd);
}

static off_t size_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(in_dir(name), &st), 0);
	return st.st_size;
}

static void damage_nothing(void)
{
}
static void damage_head(void)
{
	put_at("y.gotrace", 10, "damaged");
}
static void damage_samples(void)
{
	put_at("y.gotrace", size_of("y.gotrace") / 2, "damaged");
}
static void damage_end(void)
{
	put_at("y.gotrace", size_of("y.gotrace") - 12, "damaged");
}
static void empty(void)
{
	assert_int_equal(truncate(in_dir("y.gotrace"), 0), 0);
}
static void take_away(void)
{
	assert_int_equal(unlink(in_dir("y.gotrace")), 0);
}
static void put_fifo(void)
{
	take_away();
	assert_int_equal(mkfifo(in_dir("y.gotrace"), 0600), 0);
}
static void put_link(void)
{
	take_away();
	assert_int_equal(symlink("x.gotrace", in_dir("y.gotrace")), 0);
}
static void put_calls(void)
{
	take_away();
	FILE *from = fopen("fixtures/traces/panics.emulated.gotrace", "r"),
	     *to = fopen(in_dir("y.gotrace"), "w");

	assert_true(from && to);
	for (int c; (c = getc(from)) != EOF;)
		putc(c, to);
	fclose(from);
	assert_int_equal(fclose(to), 0);
}

/* A profile that cannot be read is named in one line, counted and left out; the others are not the
 * worse for it, whether it is the first, or another of them. */
TEST(test_damaged)
{
	static const struct {
		void (*damage)(void);
		unsigned lines;
	} all[] = { { damage_nothing, 0 }, { damage_head, 1 }, { damage_samples, 1 },
		    { damage_end, 1 },     { empty, 1 },       { take_away, 1 },
		    { put_fifo, 1 },       { put_link, 1 },    { put_calls, 1 } };
	char *left_out, *cut;
	int lost;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		make_three();
		all[i].damage();
		assert_int_equal(merged_samples(&left_out, &cut, &lost),
				 FIXTURE_SAMPLES * (3 - all[i].lines));
		assert_int_equal(n_said, all[i].lines);
		assert_null(cut);
		/* two of each, and three of the row */
		assert_int_equal(lost, all[i].lines ? 2 * 2 + 3 : 3 * 2);
		if (all[i].lines) {
			assert_non_null(strstr(said, "/y.gotrace"));
			assert_string_equal(left_out,
					    "1 of 3 profiles cannot be read and is left out, "
					    "with the 3 samples that the index counts in it");
		} else {
			assert_null(left_out);
		}
		free(left_out);
		assert_int_equal(remove_dir(NULL), 0);
		assert_int_equal(make_dir(NULL), 0);
	}
}

/* No choice by labels loses a profile whose labels cannot be read without a word, and without such
 * a choice it counts. */
TEST(test_damaged_labels)
{
	static const char *const labels[] = { "{\"a\"", "", "[]", "{\"a\":1}" };
	struct store_query chosen = { 0 };
	char *left_out, *cut, sql[128];
	struct store s;
	int lost;

	make_three();
	assert_int_equal(pairs_add(&chosen.labels, "a", "b"), 0);
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		unsigned n = 0;

		snprintf(sql, sizeof(sql), "UPDATE profiles SET labels = '%s' WHERE id > 1",
			 labels[i]);
		change(sql);
		assert_int_equal(merged_samples(&left_out, &cut, &lost), 3 * FIXTURE_SAMPLES);
		assert_int_equal(n_said, 0);
		assert_null(left_out);
		assert_int_equal(store_open_to_read(&s, dir), 0);
		for (int again = 0; again < 2; again++)
			assert_int_equal(store_find(&s, &chosen, count_rows, &n), 0);
		assert_int_equal(n, 0);
		assert_int_equal(n_said, 1);
		assert_non_null(strstr(said,
				       "index.db: row 2 has labels that cannot be read; it is "
				       "left out, and so are others like it"));
		store_close(&s);
	}
	pairs_free(&chosen.labels);
}

/* What is before the place where it was cut off is read. */
TEST(test_cut_off)
{
	char *left_out, *cut;
	int lost;

	make_three();
	assert_int_equal(truncate(in_dir("y.gotrace"), size_of("y.gotrace") - 1), 0);
	assert_int_equal(merged_samples(&left_out, &cut, &lost), 3 * FIXTURE_SAMPLES);
	assert_null(left_out);
	assert_int_equal(lost, -1);
	assert_string_equal(cut, "samples are missing: 1 of 3 profiles was cut off");
	free(cut);
}

/* A damaged disk leads to some lines, not to one for each profile. */
TEST(test_many_damaged)
{
	char *left_out, *cut, name[16], file[32];
	int lost;

	for (unsigned i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "x%u", i);
		snprintf(file, sizeof(file), "x%u.gotrace", i);
		make_store(name);
		assert_int_equal(samples_fixture_file(in_dir(file), true), 0);
		if (i)
			put_at(file, 10, "damaged");
	}
	n_said = 0;
	assert_int_equal(merged_samples(&left_out, &cut, &lost), FIXTURE_SAMPLES);
	assert_int_equal(n_said, 10);
	assert_non_null(strstr(warned, "29 more profiles cannot be read or were cut off"));
	assert_non_null(strstr(left_out, "39 of 40 profiles"));
	free(left_out);
}

TEST(test_several_damaged)
{
	const struct store_query all = { 0 };
	char *left_out, *cut;
	int lost;
	struct store s;

	make_three();
	put_at("x.gotrace", size_of("x.gotrace") / 2, "damaged");
	take_away();
	assert_int_equal(merged_samples(&left_out, &cut, &lost), FIXTURE_SAMPLES);
	assert_int_equal(n_said, 2);
	assert_string_equal(left_out, "2 of 3 profiles cannot be read and are left out, "
				      "with the 6 samples that the index counts in them");
	assert_int_equal(lost, 2 + 6);
	free(left_out);
	put_at("z.gotrace", 10, "damaged");
	assert_int_equal(store_open_to_read(&s, dir), 0);
	n_said = 0;
	assert_null(merge_trace(&s, &all));
	assert_int_equal(errno, EBADMSG);
	assert_int_equal(n_said, 4);
	assert_non_null(strstr(said, "none of its 3 profiles can be read"));
	store_close(&s);
}

TESTS_EACH(make_dir, remove_dir, test_journal, test_schema, test_bounds, test_paths, test_files,
	   test_beside, test_log, test_changed, test_same_file, test_damaged, test_damaged_labels,
	   test_damaged_index, test_cut_off, test_several_damaged, test_many_damaged)
