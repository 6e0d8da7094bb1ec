// SPDX-License-Identifier: BSD-2-Clause
/* What is kept of a machine holds while everything is as it was, and comes from nobody else. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "attach/kernel/measurement_cache.h"

struct place {
	char top[32], dir[48], file[64];
};

static int make_place(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	strcpy(p->top, "/tmp/gotrace-kept-XXXXXX");
	assert_non_null(mkdtemp(p->top));
	snprintf(p->dir, sizeof(p->dir), "%s/dir", p->top);
	snprintf(p->file, sizeof(p->file), "%s/x", p->dir);
	*state = p;
	return 0;
}

static int remove_place(void **state)
{
	struct place *p = *state;

	unlink(p->file);
	rmdir(p->dir);
	rmdir(p->top);
	free(p);
	return 0;
}

static bool holds(const struct place *p)
{
	uint64_t got = 0;

	return measurement_cache_get(p->dir, "x", &got, sizeof(got)) && got == 4711;
}

static void put(const struct place *p)
{
	measurement_cache_put(p->dir, "x", &(uint64_t){ 4711 }, sizeof(uint64_t));
}

static void test_kept(void **state)
{
	const struct place *p = *state;
	uint32_t other;

	if (geteuid())
		skip();
	assert_false(holds(p));
	put(p);
	assert_true(holds(p));
	put(p); /* again, in its place */
	assert_true(holds(p));
	assert_false(measurement_cache_get(p->dir, "y", &other, sizeof(other)));
	assert_false(measurement_cache_get(p->dir, "x", &other, sizeof(other)));
}

static void test_any_size(void **state)
{
	const struct place *p = *state;
	char *all = malloc(KEPT_MAX_BYTES + 1);
	void *got;
	size_t n;

	assert_non_null(all);
	memset(all, 'a', KEPT_MAX_BYTES + 1);
	if (geteuid()) {
		free(all);
		skip();
	}
	measurement_cache_put(p->dir, "x", all, KEPT_MAX_BYTES + 1);
	assert_false(measurement_cache_get_any(p->dir, "x", &got, &n));
	measurement_cache_put(p->dir, "x", all, KEPT_MAX_BYTES);
	assert_true(measurement_cache_get_any(p->dir, "x", &got, &n));
	assert_int_equal(n, KEPT_MAX_BYTES);
	assert_memory_equal(got, all, n);
	free(got);
	free(all);
}

static void test_others_may_write_there(void **state)
{
	const struct place *p = *state;

	if (geteuid())
		skip();
	put(p);
	assert_int_equal(chmod(p->dir, 0770), 0);
	assert_false(holds(p));
	assert_int_equal(chmod(p->dir, 0700), 0);
	assert_true(holds(p));
	assert_int_equal(chown(p->dir, 1, 0), 0);
	assert_false(holds(p));
	put(p); /* not there */
	assert_int_equal(chown(p->dir, 0, 0), 0);
}

/* Each byte of what it was measured with: the machine's start, gotrace's file, capabilities ... */
static void test_something_is_different(void **state)
{
	const struct place *p = *state;
	struct stat st;
	uint8_t byte;

	if (geteuid())
		skip();
	put(p);
	assert_int_equal(stat(p->file, &st), 0);
	int fd = open(p->file, O_RDWR);

	assert_true(fd >= 0);
	for (off_t at = 0; at < st.st_size - 16; at++) {
		assert_int_equal(pread(fd, &byte, 1, at), 1);
		byte ^= 0x80;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		assert_false(holds(p));
		byte ^= 0x80;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	assert_true(holds(p));
	assert_int_equal(ftruncate(fd, st.st_size - 1), 0);
	assert_false(holds(p));
	close(fd);
}

/* The time stands right before the data. */
static void test_an_hour(void **state)
{
	const struct place *p = *state;
	struct stat st;
	uint64_t at_ns;

	if (geteuid())
		skip();
	put(p);
	assert_int_equal(stat(p->file, &st), 0);
	int fd = open(p->file, O_RDWR);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &at_ns, 8, st.st_size - 16), 8);
	at_ns -= 3600ull * 1000000000;
	assert_int_equal(pwrite(fd, &at_ns, 8, st.st_size - 16), 8);
	assert_false(holds(p));
	at_ns += 7200ull * 1000000000; /* a clock that was ahead */
	assert_int_equal(pwrite(fd, &at_ns, 8, st.st_size - 16), 8);
	assert_false(holds(p));
	close(fd);
}

TESTS_EACH(make_place, remove_place, test_kept, test_any_size, test_others_may_write_there,
	   test_something_is_different, test_an_hour)
