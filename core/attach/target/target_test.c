// SPDX-License-Identifier: BSD-2-Clause
/* Where a command is looked for. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "attach/target/target.h"

static char folder[] = "/tmp/gotrace-path.XXXXXX";

/* A folder with the executable `here` and the folder `sub` with the executable `there`. */
FIXTURE(set_up)
{
	static const char *const files[] = { "here", "sub/there" };

	if (!mkdtemp(folder) || chdir(folder) || mkdir("sub", 0755))
		return -1;
	for (int i = 0; i < 2; i++) {
		FILE *f = fopen(files[i], "w");

		if (!f || fclose(f) || chmod(files[i], 0755))
			return -1;
	}
	return 0;
}

FIXTURE(tear_down)
{
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
TEST(empty_elements)
{
	expect(":/nonexistent", "here", 0, "./here");
	expect("/nonexistent:", "here", 0, "./here");
	expect("/nonexistent::/bin", "here", 0, "./here");
	expect("::", "here", 0, "./here");
	expect("", "here", 0, "./here");
	expect("/nonexistent", "here", -ENOENT, NULL);
	expect(":sub", "there", 0, "sub/there");
}

TEST(in_order)
{
	expect("/nonexistent:sub:", "there", 0, "sub/there");
	expect("", "sub/there", 0, "sub/there");
	expect("", "", -ENOENT, NULL);
	expect("", "./sub", -EISDIR, NULL);
	assert_int_equal(chmod("here", 0644), 0);
	expect("", "here", -EACCES, NULL);
}

/* An image that is loaded here: of the program itself, or a library. */
struct loaded {
	const char *path; /* part of it; "": the program */
	uint64_t bias, vaddr, file_off;
	char file[PATH_MAX];
};

static int take(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct loaded *of = ctx;

	(void)size;
	if (!*of->path ? *info->dlpi_name != 0 : !strstr(info->dlpi_name, of->path))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			of->vaddr = info->dlpi_phdr[i].p_vaddr;
			of->file_off = info->dlpi_phdr[i].p_offset;
		}
	of->bias = info->dlpi_addr;
	snprintf(of->file, sizeof(of->file), "%s",
		 *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
	return 1;
}

TEST(bias_of_loaded)
{
	static const char *const paths[] = { "", "libc.so" };

	for (size_t i = 0; i < 2; i++) {
		struct loaded of = { .path = paths[i] };
		uint64_t bias = 1;

		assert_int_equal(dl_iterate_phdr(take, &of), 1);
		int fd = open(of.file, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(target_executes(getpid(), fd), i == 0);
		assert_int_equal(target_text_bias(getpid(), fd, of.vaddr, of.file_off, &bias), 0);
		assert_int_equal(bias, of.bias);
		close(fd);
	}
}

TEST(bias_of_others)
{
	uint64_t bias;
	int fd = open("here", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(target_executes(getpid(), fd), 0);
	assert_int_equal(target_executes(getpid(), -1), -EBADF);
	assert_int_equal(target_text_bias(getpid(), fd, 0, 0, &bias), -ENOENT);
	close(fd);
}

TESTS_BETWEEN(set_up, tear_down, empty_elements, in_order, bias_of_loaded, bias_of_others)
