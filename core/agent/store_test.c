// SPDX-License-Identifier: BSD-2-Clause
/* Profiles that come, are found, are pushed and go. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "agent/store.h"
#include "base/log.h"

#define SECOND 1000000000ull
#define START  (1764000000ull * SECOND)

static char dir[64];

static void touch(const struct store *s, const char *path, const char *end)
{
	char file[256];

	snprintf(file, sizeof(file), "%s/%s%s", s->directory, path, end);
	int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static bool exists(const struct store *s, const char *path, const char *end)
{
	char file[256];

	snprintf(file, sizeof(file), "%s/%s%s", s->directory, path, end);
	return !access(file, F_OK);
}

/* The i-th of 15 seconds each: 10 samples, 100 bytes. */
static char *add(struct store *s, unsigned i, const char *service, const char *labels, bool push)
{
	struct profile p = {
		.service = (char *)(uintptr_t)service,
		.labels = (char *)(uintptr_t)labels,
		.from_ns = START + 15 * i * SECOND,
		.to_ns = START + 15 * (i + 1) * SECOND,
		.samples = 10,
		.weight_ns = 10 * SECOND / 19,
		.event = "cpu-clock",
		.build_ids = (char *)(uintptr_t) "[]",
		.bytes = 100,
	};

	p.path = store_new_path(s, service, p.from_ns, i);
	assert_non_null(p.path);
	touch(s, p.path, ".gotrace");
	touch(s, p.path, ".pb.gz");
	assert_int_equal(store_add(s, &p, 1, push), 0);
	return p.path;
}

struct found {
	unsigned n;
	uint64_t samples;
	char services[256];
};

static int take(void *ctx, const struct profile *p)
{
	struct found *f = ctx;

	f->n++;
	f->samples += p->samples;
	strncat(f->services, p->service, sizeof(f->services) - strlen(f->services) - 1);
	return 0;
}

static struct found find(struct store *s, const struct store_query *q)
{
	struct found f = { 0 };

	assert_int_equal(store_find(s, q, take, &f), 0);
	return f;
}

TEST(test_find)
{
	struct store_query q = { 0 };
	struct store s;

	assert_int_equal(store_open(&s, dir), 0);
	free(add(&s, 0, "a", "{\"x\":\"1\"}", false));
	free(add(&s, 0, "b", "{\"x\":\"2\"}", false));
	free(add(&s, 1, "a", "{\"x\":\"2\"}", false));
	assert_int_equal(find(&s, &q).n, 3);
	assert_string_equal(find(&s, &q).services, "aba");
	q.service = "a";
	assert_int_equal(find(&s, &q).n, 2);
	assert_int_equal(pairs_add(&q.labels, "x", "2"), 0);
	assert_int_equal(find(&s, &q).n, 1);
	q.service = NULL;
	assert_int_equal(find(&s, &q).n, 2);
	pairs_free(&q.labels);
	/* what ends where the question begins is not in it */
	q.from_ns = START + 15 * SECOND;
	assert_int_equal(find(&s, &q).n, 1);
	q.from_ns--;
	assert_int_equal(find(&s, &q).n, 3);
	q.from_ns = 0;
	q.to_ns = START;
	assert_int_equal(find(&s, &q).n, 0);
	q.to_ns = 0;
	q.first_id = 2;
	q.end_id = store_next_id(&s);
	assert_int_equal(q.end_id, 4);
	assert_string_equal(find(&s, &q).services, "ba");
	q.end_id = 3;
	assert_string_equal(find(&s, &q).services, "b");
	q.end_id = q.first_id;
	assert_int_equal(find(&s, &q).n, 0);
	q.end_id = 0;
	assert_int_equal(store_total(&s, "samples_written"), 30);
	store_close(&s);
	/* it is there the next time, also for who only reads */
	assert_true(store_is_one(dir));
	assert_int_equal(store_open_to_read(&s, dir), 0);
	q.to_ns = 0;
	assert_int_equal(find(&s, &q).n, 3);
	store_close(&s);
}

/* Each leaves the outbox once: pushed, given up, or taken away with its files. */
TEST(test_outbox)
{
	struct profile p, again;
	struct store s;
	char *paths[5];
	struct store_trimmed gone = { 0 };

	assert_int_equal(store_open(&s, dir), 0);
	for (unsigned i = 0; i < 5; i++)
		paths[i] = add(&s, i, "a", "{}", i != 2);
	assert_int_equal(store_next_out(&s, &p, 1), 1);
	assert_string_equal(p.path, paths[0]);
	assert_int_equal(store_next_out(&s, &again, 1), 1);
	assert_int_equal(again.id, p.id);
	assert_int_equal(store_out_done(&s, &p, true), 0);
	assert_int_equal(store_out_done(&s, &again, true), 0); /* twice is once */
	assert_int_equal(store_total(&s, "samples_pushed"), 10);
	profile_free(&p);
	profile_free(&again);
	/* 300 bytes wait, 250 may: the oldest is given up, its files stay */
	assert_int_equal(store_trim(&s, START, 0, 0, 250, &gone), 0);
	assert_int_equal(store_total(&s, "samples_given_up"), 10);
	assert_int_equal(gone.given_up, 1);
	assert_int_equal(gone.old + gone.too_many, 0);
	assert_true(exists(&s, paths[1], ".pb.gz"));
	assert_int_equal(store_next_out(&s, &p, 1), 1);
	assert_string_equal(p.path, paths[3]);
	/* it is taken away while it is being pushed */
	assert_int_equal(store_trim(&s, START, 0, 100, 0, &gone), 0);
	assert_false(exists(&s, paths[3], ".pb.gz"));
	assert_int_equal(store_total(&s, "samples_given_up"), 20);
	assert_int_equal(gone.too_many, 4);
	assert_int_equal(gone.bytes, 400);
	assert_int_equal(store_out_done(&s, &p, true), 0);
	assert_int_equal(store_total(&s, "samples_pushed"), 10);
	profile_free(&p);
	assert_int_equal(store_next_out(&s, &p, 1), 1);
	assert_int_equal(store_out_done(&s, &p, true), 0);
	profile_free(&p);
	assert_int_equal(store_next_out(&s, &p, 1), 0);
	/* written = pushed + given up + never to be pushed */
	assert_int_equal(store_total(&s, "samples_written"), 50);
	assert_int_equal(store_total(&s, "samples_pushed") + store_total(&s, "samples_given_up"),
			 40);
	for (unsigned i = 0; i < 5; i++)
		free(paths[i]);
	store_close(&s);
}

TEST(test_age)
{
	const struct store_query all = { 0 };
	struct store s;
	char *first, *last;

	assert_int_equal(store_open(&s, dir), 0);
	first = add(&s, 0, "a/../b c", "{}", false);
	assert_null(strchr(strchr(first, '/') + 1, '/')); /* a name cannot lead elsewhere */
	last = add(&s, 10, "a", "{}", false);
	struct store_trimmed gone = { 0 };

	assert_int_equal(store_trim(&s, START + 160 * SECOND, 60 * SECOND, 0, 0, &gone), 0);
	assert_int_equal(gone.old, 1);
	assert_int_equal(gone.too_many + gone.given_up, 0);
	assert_int_equal(gone.samples, 10);
	assert_int_equal(gone.bytes, 100);
	assert_int_equal(find(&s, &all).n, 1);
	assert_false(exists(&s, first, ".gotrace"));
	assert_false(exists(&s, first, ".pb.gz"));
	assert_true(exists(&s, last, ".gotrace"));
	free(first);
	free(last);
	store_close(&s);
}

static char said[256];

static void keep(void *ctx, enum log_level level, const char *line)
{
	(void)ctx, (void)level;
	snprintf(said, sizeof(said), "%s", line);
}

/* One at a time; a reader needs no lock. */
TEST(test_lock)
{
	char wanted[256], file[128];
	struct store s;

	log_set_sink(keep, NULL);
	const int fd = store_lock(dir);

	assert_true(fd >= 0);
	assert_int_equal(store_lock(dir), -EBUSY);
	snprintf(wanted, sizeof(wanted), "%s: another agent writes this store, process %d", dir,
		 (int)getpid());
	assert_string_equal(said, wanted);
	snprintf(file, sizeof(file), "%s/lock", dir);
	assert_int_equal(truncate(file, 0), 0);
	assert_int_equal(store_lock(dir), -EBUSY);
	snprintf(wanted, sizeof(wanted), "%s: another agent writes this store", dir);
	assert_string_equal(said, wanted);
	assert_int_equal(store_open(&s, dir), 0);
	store_close(&s);
	assert_int_equal(store_open_to_read(&s, dir), 0);
	store_close(&s);
	close(fd);
	const int again = store_lock(dir);

	assert_true(again >= 0);
	close(again);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(symlink("/etc/passwd", file), 0);
	assert_int_equal(store_lock(dir), -ELOOP);
	if (!getuid()) {
		assert_int_equal(chown(dir, 4242, 4242), 0);
		assert_int_equal(store_lock(dir), -EPERM);
		assert_non_null(strstr(said, "it belongs to user 4242"));
	}
	log_set_sink(NULL, NULL);
}

/* Who may make files in it could put links there that the agent follows, and journals that SQLite
 * obeys. Users of the agent's own group, and root's, are no strangers. */
TEST(test_open_directory)
{
	static const struct {
		mode_t mode;
		gid_t gid;
		bool refused;
	} tries[] = { { 01777, 0, true },    { 0703, 0, true },  { 0770, 4242, true },
		      { 01770, 4242, true }, { 0770, 0, false }, { 0755, 4242, false },
		      { 0700, 4242, false }, { 0751, 0, false } };
	char wanted[256], file[128];

	log_set_sink(keep, NULL);
	snprintf(file, sizeof(file), "%s/lock", dir);
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		if (tries[i].gid && getuid())
			continue; /* only root gives it away */
		assert_int_equal(chown(dir, (uid_t)-1, tries[i].gid ? tries[i].gid : getegid()), 0);
		assert_int_equal(chmod(dir, tries[i].mode), 0);
		const int fd = store_lock(dir);

		assert_int_equal(fd < 0, tries[i].refused);
		if (fd >= 0) {
			close(fd);
			assert_int_equal(unlink(file), 0);
			continue;
		}
		assert_int_equal(fd, -EPERM);
		snprintf(
			wanted, sizeof(wanted),
			"%s: others may write it (mode %04o), and the agent follows what lies there; "
			"chmod go-w keeps them out",
			dir, (unsigned)tries[i].mode);
		assert_string_equal(said, wanted);
		assert_int_equal(access(file, F_OK), -1);
	}
	log_set_sink(NULL, NULL);
}

/* Others who may open it could hold it for ever. */
TEST(test_foreign_lock)
{
	char file[128], wanted[256];

	log_set_sink(keep, NULL);
	snprintf(file, sizeof(file), "%s/lock", dir);
	for (mode_t mode = 0604; mode <= 0640; mode += 0640 - 0604) {
		int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		assert_true(fd >= 0);
		assert_int_equal(fchmod(fd, mode), 0);
		close(fd);
		assert_int_equal(store_lock(dir), -EPERM);
		snprintf(
			wanted, sizeof(wanted),
			"%s/lock: others may open it (mode %03o), and could keep every agent out; remove it",
			dir, (unsigned)mode);
		assert_string_equal(said, wanted);
		assert_int_equal(unlink(file), 0);
	}
	if (!getuid()) {
		int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		assert_true(fd >= 0);
		assert_int_equal(fchown(fd, 4242, 4242), 0);
		close(fd);
		assert_int_equal(store_lock(dir), -EPERM);
		snprintf(
			wanted, sizeof(wanted),
			"%s/lock: it belongs to user 4242, who could keep every agent out; remove it",
			dir);
		assert_string_equal(said, wanted);
		assert_int_equal(unlink(file), 0);
	}
	assert_int_equal(mkfifo(file, 0600), 0);
	assert_int_equal(store_lock(dir), -EINVAL);
	assert_int_equal(unlink(file), 0);
	const int fd = store_lock(dir);

	assert_true(fd >= 0);
	close(fd);
	log_set_sink(NULL, NULL);
}

FIXTURE(make_dir)
{
	snprintf(dir, sizeof(dir), "/tmp/store_test.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}
FIXTURE(remove_dir)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

TESTS_EACH(make_dir, remove_dir, test_find, test_outbox, test_age, test_lock, test_foreign_lock,
	   test_open_directory)
