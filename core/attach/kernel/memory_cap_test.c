// SPDX-License-Identifier: BSD-2-Clause
#include "attach/kernel/memory_cap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

static void put(const char *root, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* A limit holds for all groups below it; the least counts. */
static void test_groups(void **state)
{
	char root[] = "/tmp/cgroup.XXXXXX", path[256], command[64];

	(void)state;
	assert_non_null(mkdtemp(root));
	for (int depth = 1; depth <= 2; depth++) {
		snprintf(path, sizeof(path), "%s/a%s", root, depth == 2 ? "/b" : "");
		assert_int_equal(mkdir(path, 0700), 0);
	}
	assert_true(memory_cap_of_cgroup(root, "/a/b") == UINT64_MAX);
	put(root, "/a/b/memory.max", "max\n");
	put(root, "/a/b/memory.current", "100\n");
	assert_true(memory_cap_of_cgroup(root, "/a/b") == UINT64_MAX);
	put(root, "/a/memory.max", "1000\n");
	put(root, "/a/memory.current", "200\n");
	assert_int_equal(memory_cap_of_cgroup(root, "/a/b"), 400);
	assert_int_equal(memory_cap_of_cgroup(root, "/a"), 400);
	assert_true(memory_cap_of_cgroup(root, "") == UINT64_MAX);
	put(root, "/a/b/memory.max", "300\n");
	assert_int_equal(memory_cap_of_cgroup(root, "/a/b"), 100);
	put(root, "/a/b/memory.current", "301\n"); /* over its limit */
	assert_int_equal(memory_cap_of_cgroup(root, "/a/b"), 0);
	put(root, "/a/b/memory.max", "nonsense");
	assert_int_equal(memory_cap_of_cgroup(root, "/a/b"), 400);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void test_own(void **state)
{
	(void)state;
	assert_in_range(memory_cap_bytes(), 1, 512ull << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
