// SPDX-License-Identifier: BSD-2-Clause
#include "attach/exec_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "attach/helper_process.h"

/* The program that stops it may run for a while after the process that loaded it has died. */
#define LOOKS   200
#define LOOK_NS (10 * 1000 * 1000)

/* In the helper, which calls nothing but system calls: others' locks may be held for ever. */
static void guard(int alive_fd, int pidfd, const struct children_state *state)
{
	char byte;
	ssize_t n;

	do
		n = read(alive_fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 0) /* it has ended as it should */
		_exit(0);
	for (int i = 0; i < LOOKS; i++) {
		if (__atomic_load_n(&state->stopped, __ATOMIC_ACQUIRE) !=
		    __atomic_load_n(&state->continued, __ATOMIC_ACQUIRE))
			syscall(SYS_pidfd_send_signal, pidfd, SIGCONT, NULL, 0);
		nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
	}
	_exit(0);
}

int exec_guard_begin(struct exec_guard *g, const struct children *c, int pidfd)
{
	int fds[2];

	if (!children_counted(c))
		return -ENOTSUP;
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	pid_t pid = helper_process_fork((int[]){ fds[0], pidfd }, 2);
	if (!pid)
		guard(fds[0], pidfd, c->state);
	int err = pid < 0 ? -errno : 0;

	close(fds[0]);
	if (err)
		close(fds[1]);
	else
		g->alive_fd = fds[1];
	return err;
}

void exec_guard_end(struct exec_guard *g, bool certain)
{
	if (g->alive_fd <= 0)
		return;
	/* A helper that is gone already is no matter; SIGPIPE is ignored. */
	if (certain && write(g->alive_fd, "", 1) < 0)
		errno = 0;
	close(g->alive_fd);
	g->alive_fd = 0;
}
