// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "attach/kernel/memory_cap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

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
TEST(test_groups)
{
	char root[] = "/tmp/cgroup.XXXXXX", path[256], command[64];

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

/* What /proc/self/cgroup says, in either version, or both at once (cgroups(7)). */
TEST(test_versions)
{
	char root[] = "/tmp/cgroup.XXXXXX", path[256], command[64];
	static const char *const folders[] = { "/memory", "/memory/a", "/unified", "/a" };

	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	put(root, "/memory/memory.limit_in_bytes", "9223372036854771712\n"); /* none */
	put(root, "/memory/memory.usage_in_bytes", "5000\n");
	put(root, "/memory/a/memory.limit_in_bytes", "3000\n");
	put(root, "/memory/a/memory.usage_in_bytes", "1000\n");
	snprintf(path, sizeof(path), "%s/self", root);
	put(root, "/self", "12:pids:/a\n7:cpu,memory:/a/b\n1:name=systemd:/a\n0::/a\n");
	assert_int_equal(memory_cap_of_process(path, root), 1000);
	/* In a container the path is the host's, and its group is the mount's root. */
	put(root, "/self", "4:memory:/docker/0123\n");
	assert_true(memory_cap_of_process(path, root) > 1ull << 60);
	put(root, "/memory/memory.limit_in_bytes", "6000\n");
	assert_int_equal(memory_cap_of_process(path, root), 500);
	/* version 2, version 1 without the memory controller */
	put(root, "/a/memory.max", "900\n");
	put(root, "/a/memory.current", "100\n");
	put(root, "/self", "4:memoryless:/a\n0::/a\n");
	assert_int_equal(memory_cap_of_process(path, root), 400);
	put(root, "/self", "nonsense\n");
	assert_true(memory_cap_of_process(path, root) == UINT64_MAX);
	assert_true(memory_cap_of_process("/nowhere", root) == UINT64_MAX);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

TEST(test_own)
{
	assert_in_range(memory_cap_bytes(), 1, 512ull << 20);
}

TESTS(test_groups, test_versions, test_own)
