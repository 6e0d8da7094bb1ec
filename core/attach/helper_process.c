// SPDX-License-Identifier: BSD-2-Clause
#include "attach/helper_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Without close_range. The folder's own descriptor is closed last, by closedir. */
static void close_listed(unsigned first, unsigned last)
{
	DIR *d = opendir("/proc/self/fd");

	for (struct dirent *e; d && (e = readdir(d));) {
		unsigned fd = strtoul(e->d_name, NULL, 10);

		if (e->d_name[0] != '.' && fd >= first && fd <= last && fd != (unsigned)dirfd(d))
			close(fd);
	}
	if (d)
		closedir(d);
}

/* Both ends are closed, too. close_range: 278a5fbaed89, Linux 5.9. */
static void close_between(unsigned first, unsigned last)
{
	if (first <= last && syscall(SYS_close_range, first, last, 0))
		close_listed(first, last);
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
