// SPDX-License-Identifier: BSD-2-Clause
/* A store that is opened twice: by one process, and while the agent ends, begins and tidies. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "agent/store.h"
#include "base/log.h"

#define SECOND 1000000000ull
#define START  (1764000000ull * SECOND)
#define ROUNDS 300

static char dir[64];
static char said[512];
static unsigned lines;

static void keep(void *ctx, enum log_level level, const char *line)
{
	(void)ctx, (void)level;
	lines++;
	snprintf(said, sizeof(said), "%s", line);
}

/* 0 or -errno. */
static int add(struct store *s, unsigned i)
{
	struct profile p = { .service = "a",
			     .labels = "{}",
			     .from_ns = START + i * SECOND,
			     .to_ns = START + (i + 1) * SECOND,
			     .samples = 10,
			     .event = "cpu-clock",
			     .build_ids = "[]",
			     .bytes = 100 };

	p.path = store_new_path(s, "a", p.from_ns, i);
	int err = p.path ? store_add(s, &p, 1, false) : -ENOMEM;

	free(p.path);
	return err;
}

static int count(void *ctx, const struct profile *p)
{
	(void)p;
	++*(unsigned *)ctx;
	return 0;
}

/* Rows, or -errno. */
static int rows(struct store *s)
{
	const struct store_query all = { 0 };
	unsigned n = 0;
	int err = store_find(s, &all, count, &n);

	return err ? err : (int)n;
}

/* As `gotrace report` reads it: opened anew while it changes, here as often as a busy machine
 * needs. */
static int read_once(void)
{
	int got = -EAGAIN;

	for (int tries = 0; tries < 100 * STORE_TRIES && got == -EAGAIN; tries++) {
		struct store s;

		got = store_open_to_read(&s, dir);
		if (!got) {
			got = rows(&s);
			store_close(&s);
		}
	}
	return got;
}

/* Until it is killed. */
static void write_on(int ready)
{
	struct store_trimmed gone = { 0 };

	for (unsigned i = 10;; i++) {
		struct store s;

		if (store_open(&s, dir) || add(&s, i) ||
		    store_trim(&s, START + i * SECOND, 10 * SECOND, 0, 0, &gone))
			_exit(1);
		store_close(&s);
		if (i == 11 && write(ready, "x", 1) != 1)
			_exit(1);
	}
}

TEST(test_reader_and_agent)
{
	struct store s;
	int ready[2], status, n = 0;
	char x;

	assert_int_equal(store_open(&s, dir), 0);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(add(&s, i), 0);
	store_close(&s);
	assert_int_equal(pipe(ready), 0);
	pid_t writer = fork();

	if (!writer)
		write_on(ready[1]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &x, 1), 1);
	for (unsigned i = 0; i < ROUNDS; i++) {
		n = read_once();
		if (n < 9 || n > 13)
			break;
	}
	assert_int_equal(waitpid(writer, &status, WNOHANG), 0);
	kill(writer, SIGKILL);
	waitpid(writer, &status, 0);
	if (n < 9 || n > 13)
		fail_msg("%d: %s", n, said);
	assert_int_equal(lines, 0);
	close(ready[0]);
	assert_int_equal(store_open(&s, dir), 0);
	assert_int_equal(add(&s, 1000000), 0);
	store_close(&s);
}

/* The agent's threads and its server have connections of their own. */
TEST(test_one_process)
{
	struct store writer, second, reader, other;

	/* two readers, one after the other ended */
	assert_int_equal(store_open(&writer, dir), 0);
	assert_int_equal(add(&writer, 0), 0);
	assert_int_equal(store_open_to_read(&reader, dir), 0);
	assert_int_equal(store_open_to_read(&other, dir), 0);
	assert_int_equal(rows(&reader), 1);
	store_close(&other);
	assert_int_equal(add(&writer, 1), 0);
	assert_int_equal(rows(&reader), 2);
	/* a second writer, as the pusher is */
	assert_int_equal(store_open(&second, dir), 0);
	assert_int_equal(add(&second, 2), 0);
	assert_int_equal(add(&writer, 3), 0);
	store_close(&second);
	assert_int_equal(add(&writer, 4), 0);
	/* the writer ends before the reader */
	store_close(&writer);
	assert_int_equal(rows(&reader), 5);
	/* a writer begins while a reader is there */
	assert_int_equal(store_open(&writer, dir), 0);
	assert_int_equal(add(&writer, 5), 0);
	assert_int_equal(rows(&reader), 6);
	store_close(&reader);
	assert_int_equal(add(&writer, 6), 0);
	assert_int_equal(rows(&writer), 7);
	store_close(&writer);
	/* a reader of what nobody writes, and then somebody does */
	assert_int_equal(store_open_to_read(&reader, dir), 0);
	assert_int_equal(rows(&reader), 7);
	assert_int_equal(store_open(&writer, dir), 0);
	assert_int_equal(add(&writer, 7), 0);
	int n = rows(&reader);

	assert_true(n == 7 || n == 8 || n == -EAGAIN);
	store_close(&reader);
	assert_int_equal(add(&writer, 8), 0);
	assert_int_equal(rows(&writer), 9);
	store_close(&writer);
}

FIXTURE(make_dir)
{
	log_set_sink(keep, NULL);
	snprintf(dir, sizeof(dir), "/tmp/store_together_test.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}
FIXTURE(remove_dir)
{
	char command[128];

	log_set_sink(NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

TESTS_EACH(make_dir, remove_dir, test_reader_and_agent, test_one_process)
