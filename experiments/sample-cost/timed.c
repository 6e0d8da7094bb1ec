/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timed FILE COMMAND [ARG...]: runs a command and writes to FILE, in nanoseconds: its wall time
 * from fork to end and the processor time of it and of all that it waited for, "WALL USER SYSTEM".
 * The exit status is the command's, 125 when it cannot be run, 128 + N when it died of signal N.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STATUS_FAILED 125

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t in_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static int failed(const char *what)
{
	fprintf(stderr, "timed: %s: %s\n", what, strerror(errno));
	return STATUS_FAILED;
}

int main(int argc, char **argv)
{
	struct rusage used;
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: timed FILE COMMAND [ARG...]\n");
		return 2;
	}
	uint64_t start_ns = now_ns();
	pid_t pid = fork();
	if (pid < 0)
		return failed("fork");
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(failed(argv[2]));
	}
	while (wait4(pid, &status, 0, &used) < 0)
		if (errno != EINTR)
			return failed("wait4");
	uint64_t wall_ns = now_ns() - start_ns;
	FILE *out = fopen(argv[1], "we");
	if (!out)
		return failed(argv[1]);
	fprintf(out, "%llu %llu %llu\n", (unsigned long long)wall_ns,
		(unsigned long long)in_ns(used.ru_utime), (unsigned long long)in_ns(used.ru_stime));
	if (fclose(out))
		return failed(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
