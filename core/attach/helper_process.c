// SPDX-License-Identifier: BSD-2-Clause
#include "attach/helper_process.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* close_range: 278a5fbaed89, Linux 5.9. */
static void close_between(unsigned first, unsigned last)
{
	struct rlimit lim;

	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
	if (last == UINT_MAX && getrlimit(RLIMIT_NOFILE, &lim) == 0)
		last = lim.rlim_cur;
	for (unsigned fd = first; fd < last; fd++)
		close(fd);
}

pid_t helper_process_fork(int *keep, size_t n)
{
	unsigned next = 3;
	pid_t pid;

	qsort(keep, n, sizeof(*keep), by_number);
	pid = fork();
	if (pid != 0)
		return pid;
	setsid();
	int null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	for (size_t i = 0; i < n; i++) {
		if (keep[i] > (int)next)
			close_between(next, keep[i] - 1);
		if (keep[i] >= (int)next)
			next = keep[i] + 1;
	}
	close_between(next, UINT_MAX);
	return 0;
}
