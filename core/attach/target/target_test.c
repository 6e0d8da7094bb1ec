// SPDX-License-Identifier: BSD-2-Clause
/* Where a command is looked for. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "attach/target/target.h"

static char folder[] = "/tmp/gotrace-path.XXXXXX";

/* A folder with the executable `here` and the folder `sub` with the executable `there`. */
static int set_up(void **state)
{
	static const char *const files[] = { "here", "sub/there" };

	(void)state;
	if (!mkdtemp(folder) || chdir(folder) || mkdir("sub", 0755))
		return -1;
	for (int i = 0; i < 2; i++) {
		FILE *f = fopen(files[i], "w");

		if (!f || fclose(f) || chmod(files[i], 0755))
			return -1;
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return unlink("here") || unlink("sub/there") || rmdir("sub") || rmdir(folder) ? -1 : 0;
}

static void expect(const char *path, const char *command, int err, const char *found)
{
	const struct user self = { .change = false };
	char at[PATH_MAX];

	assert_int_equal(setenv("PATH", path, 1), 0);
	if (target_resolve(command, &self, at) != err)
		fail_msg("%s with PATH=%s: not %d", command, path, err);
	if (!err)
		assert_string_equal(at, found);
}

/* As execvp: an empty element is the current folder, wherever it stands. */
static void empty_elements(void **state)
{
	(void)state;
	expect(":/nonexistent", "here", 0, "./here");
	expect("/nonexistent:", "here", 0, "./here");
	expect("/nonexistent::/bin", "here", 0, "./here");
	expect("::", "here", 0, "./here");
	expect("", "here", 0, "./here");
	expect("/nonexistent", "here", -ENOENT, NULL);
	expect(":sub", "there", 0, "sub/there");
}

static void in_order(void **state)
{
	(void)state;
	expect("/nonexistent:sub:", "there", 0, "sub/there");
	expect("", "sub/there", 0, "sub/there");
	expect("", "", -ENOENT, NULL);
	expect("", "./sub", -EISDIR, NULL);
	assert_int_equal(chmod("here", 0644), 0);
	expect("", "here", -EACCES, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_elements),
		cmocka_unit_test(in_order),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
