// SPDX-License-Identifier: BSD-2-Clause
/* Which descriptors the helper has, with close_range and, as before Linux 5.9, without. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "attach/helper_process.h"

#define NO_SECCOMP 77

static int refuse_close_range(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/* The helper writes a byte for each descriptor that it has, besides the one to read them. */
static void list_descriptors(int to)
{
	DIR *d = opendir("/proc/self/fd");

	for (struct dirent *e; d && (e = readdir(d));) {
		unsigned char fd = atoi(e->d_name);

		if (e->d_name[0] != '.' && fd != dirfd(d) && write(to, &fd, 1) != 1)
			_exit(1);
	}
	_exit(d ? 0 : 1);
}

/* In a process of its own, for the filter and the many descriptors. */
static void in_child(bool with_close_range)
{
	int pipe_fds[2], keep[2], opened = -1;
	unsigned char fds[256];
	ssize_t n = 0, got;

	while (opened < 40)
		if ((opened = open("/dev/null", O_RDONLY)) < 0)
			_exit(2);
	if (pipe(pipe_fds) || dup2(pipe_fds[1], 60) < 0 || dup2(pipe_fds[1], 30) < 0)
		_exit(3);
	if (!with_close_range && refuse_close_range())
		_exit(NO_SECCOMP);
	keep[0] = 60;
	keep[1] = 30;
	pid_t helper = helper_process_fork(keep, 2);
	if (!helper)
		list_descriptors(60);
	close(pipe_fds[1]);
	close(30);
	close(60);
	while ((got = read(pipe_fds[0], fds + n, sizeof(fds) - n)) > 0)
		n += got;
	/* 0, 1, 2 and the two that were to be kept */
	bool right = n == 5;
	for (ssize_t i = 0; i < n; i++)
		right &= fds[i] < 3 || fds[i] == 30 || fds[i] == 60;
	_exit(right && helper > 0 && waitpid(helper, NULL, 0) == helper ? 0 : 5);
}

static void expect_kept(bool with_close_range, rlim_t limit)
{
	int status;
	pid_t child = fork();

	if (!child) {
		struct rlimit lim;

		getrlimit(RLIMIT_NOFILE, &lim);
		lim.rlim_cur = limit < lim.rlim_max ? limit : lim.rlim_max;
		setrlimit(RLIMIT_NOFILE, &lim);
		alarm(20);
		in_child(with_close_range);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_SECCOMP)
		skip();
	assert_int_equal(status, 0);
}

TEST(with_close_range)
{
	expect_kept(true, 1024);
}

TEST(without_close_range)
{
	expect_kept(false, 1024);
	expect_kept(false, 61);
	expect_kept(false, RLIM_INFINITY);
}

TESTS(with_close_range, without_close_range)
