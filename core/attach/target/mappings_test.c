// SPDX-License-Identifier: BSD-2-Clause
/* What this process has mapped, under names that /proc/PID/maps does not write as they are. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "attach/target/mappings.h"

static char folder[] = "/tmp/gotrace-maps.XXXXXX";

FIXTURE(set_up)
{
	return !mkdtemp(folder) || chdir(folder) ? -1 : 0;
}

FIXTURE(tear_down)
{
	return rmdir(folder);
}

/* A mapping at `at` is told of with this path. */
static void assert_told(const void *at, const char *path)
{
	struct mappings m;
	struct mapping one;
	bool found = false;

	assert_int_equal(mappings_open(&m, getpid()), 0);
	while (mappings_next(&m, &one)) {
		if (one.start != (uintptr_t)at)
			continue;
		found = true;
		assert_string_equal(one.path, path);
		assert_int_equal(one.end - one.start, 4096);
		assert_int_equal(one.file_off, 4096);
		assert_true(one.executable);
		assert_false(one.writable);
	}
	mappings_close(&m);
	assert_true(found);
}

TEST(test_paths)
{
	static const char *const names[] = { "plain", "a\nb", "a\\012b", "a\n\\012 b (deleted)",
					     "\xff\t\\134 \n\n" };
	char path[PATH_MAX], deleted[PATH_MAX + 16];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		snprintf(deleted, sizeof(deleted), "%s (deleted)", path);
		int fd = open(names[i], O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

		assert_true(fd >= 0 && ftruncate(fd, 8192) == 0);
		void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 4096);

		assert_ptr_not_equal(at, MAP_FAILED);
		assert_told(at, path);
		assert_int_equal(unlink(names[i]), 0);
		assert_told(at, deleted);
		munmap(at, 4096);
		close(fd);
	}
}

/* A path as long as paths can be, of line ends. */
TEST(test_long)
{
	char name[201], path[PATH_MAX];
	int depth = 0;

	memset(name, '\n', 200);
	name[200] = '\0';
	while (depth < 18 && mkdir(name, 0700) == 0 && chdir(name) == 0)
		depth++;
	assert_int_equal(depth, 18);
	int fd = open("f", O_RDWR | O_CREAT | O_CLOEXEC, 0700);

	assert_true(fd >= 0 && ftruncate(fd, 8192) == 0);
	assert_non_null(getcwd(path, sizeof(path) - 2));
	strcat(path, "/f");
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 4096);

	assert_ptr_not_equal(at, MAP_FAILED);
	assert_told(at, path);
	munmap(at, 4096);
	close(fd);
	unlink("f");
	for (; depth; depth--)
		assert_true(chdir("..") == 0 && rmdir(name) == 0);
}

TEST(test_none)
{
	struct mappings m;

	assert_int_not_equal(mappings_open(&m, INT_MAX), 0);
	mappings_close(&m);
}

TESTS_BETWEEN(set_up, tear_down, test_paths, test_long, test_none)
