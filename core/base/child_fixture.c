// SPDX-License-Identifier: BSD-2-Clause
#include "base/child_fixture.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

int fixture_child(const int fds[2], void (*body)(void *ctx), void *ctx, char *said, size_t size)
{
	size_t n = 0;
	ssize_t got;
	int status;

	fflush(NULL);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		body(ctx);
		_exit(0);
	}
	close(fds[1]);
	/* A terminal reports EIO when the other ends are closed. */
	while (n < size - 1 && (got = read(fds[0], said + n, size - 1 - n)) > 0)
		n += (size_t)got;
	said[n] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

void fixture_output(unsigned columns, int fds[2])
{
	const struct winsize size = { .ws_col = (unsigned short)columns, .ws_row = 24 };

	if (!columns) {
		assert_int_equal(pipe(fds), 0);
		return;
	}
	fds[0] = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(fds[0] >= 0 && !grantpt(fds[0]) && !unlockpt(fds[0]));
	fds[1] = open(ptsname(fds[0]), O_RDWR | O_NOCTTY);
	assert_true(fds[1] >= 0);
	assert_int_equal(ioctl(fds[1], TIOCSWINSZ, &size), 0);
}
