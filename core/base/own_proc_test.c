// SPDX-License-Identifier: BSD-2-Clause
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/own_proc.h"

static char dir[] = "/tmp/gotrace-own-proc.XXXXXX", self[64], status[80];

static bool with(const char *text)
{
	FILE *f = fopen(status, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return own_proc(dir);
}

TEST(test_namespaces)
{
	assert_true(with("Name:\tgotrace\nNSpid:\t11\nNSpgid:\t9\t3\n"));
	assert_false(with("Name:\tgotrace\nNSpid:\t28424\t11\nNSpgid:\t9\n"));
	assert_false(with("Name:\tgotrace\nNSpid:\t28424\t11\t1\n"));
	assert_false(with("NSpid:\n"));        /* none that this namespace could show */
	assert_true(with("Name:\tgotrace\n")); /* a kernel without PID namespaces */
	assert_true(own_proc("/proc"));
}

/* In a /proc of a namespace below, gotrace is nobody; so where none is mounted. */
TEST(test_nobody)
{
	unlink(status);
	assert_false(own_proc(dir));
	rmdir(self);
	assert_false(own_proc(dir));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_namespaces),
		cmocka_unit_test(test_nobody),
	};

	assert_non_null(mkdtemp(dir));
	snprintf(self, sizeof(self), "%s/self", dir);
	snprintf(status, sizeof(status), "%s/status", self);
	mkdir(self, 0700);
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	unlink(status);
	rmdir(self);
	rmdir(dir);
	return failed;
}
