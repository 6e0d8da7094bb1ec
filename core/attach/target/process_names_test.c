// SPDX-License-Identifier: BSD-2-Clause
/* Processes by name: copies of sleep(1), which no other process has the name of. */
#include "base/test_fixture.h"
#include "attach/target/process_names.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Longer than a comm is, so that only the file's name is it. */
#define LONG "gotrace-process-named-test"

static char folder[] = "/tmp/gotrace-process-names.XXXXXX";
static char name[64], path[160];

FIXTURE(set_up)
{
	char command[512];

	if (!mkdtemp(folder))
		return -1;
	snprintf(name, sizeof(name), LONG "-%d", getpid());
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(command, sizeof(command), "cp \"$(command -v sleep)\" %s", path);
	return system(command);
}

FIXTURE(tear_down)
{
	unlink(path);
	return rmdir(folder);
}

/* It executes the file once this returns. */
static pid_t start(const char *as)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		execl(path, as, "600", (char *)NULL);
		_exit(127);
	}
	char exe[256] = "", link[32];

	/* until then it executes this test */
	while (strcmp(exe, path)) {
		snprintf(link, sizeof(link), "/proc/%d/exe", pid);
		ssize_t n = readlink(link, exe, sizeof(exe) - 1);

		assert_true(n >= 0);
		exe[n] = '\0';
	}
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(by_the_name_of_the_file)
{
	pid_t found[4] = { 0 };

	assert_int_equal(process_names_find(name, found, 4), 0);
	pid_t one = start("another-name");

	assert_int_equal(process_names_find(name, found, 4), 1);
	assert_int_equal(found[0], one);
	stop(one);
	assert_int_equal(process_names_find(name, found, 4), 0);
}

TEST(all_that_there_are)
{
	pid_t found[2] = { 0 }, one = start(name), two = start(name);

	assert_int_equal(process_names_find(name, found, 2), 2);
	assert_int_equal(found[0], one < two ? one : two);
	assert_int_equal(found[1], one < two ? two : one);
	assert_int_equal(process_names_find(name, found, 1), 2);
	stop(one);
	stop(two);
}

/* comm is what the kernel calls it: 15 bytes of the name. */
TEST(by_comm)
{
	char comm[16] = { 0 };
	pid_t found[4], one = start("another-name");
	bool seen = false;

	memcpy(comm, LONG, 15);
	size_t n = process_names_find(comm, found, 4);

	for (size_t i = 0; i < n && i < 4; i++)
		seen |= found[i] == one;
	assert_true(seen);
	stop(one);
}

TESTS_BETWEEN(set_up, tear_down, by_the_name_of_the_file, all_that_there_are, by_comm)
