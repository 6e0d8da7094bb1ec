/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wall FILE COMMAND [ARG...]: runs a command and writes its own wall time, from
 * the moment it may execute to its end, and its processor time, both in
 * nanoseconds, to FILE. This is what gotrace stores as end.target_wall_ns and
 * end.target_cpu_ns of a traced command, so that both are measured between the
 * same two moments. The exit status is the command's, 125 when it cannot be
 * run, 128 + N when it died of signal N.
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
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static uint64_t ns_of(struct timeval tv)
{
	return tv.tv_sec * 1000000000ull + tv.tv_usec * 1000ull;
}

static int failed(const char *what)
{
	fprintf(stderr, "wall: %s: %s\n", what, strerror(errno));
	return STATUS_FAILED;
}

int main(int argc, char **argv)
{
	struct rusage used;
	int hold[2], status;
	char go;

	if (argc < 3) {
		fprintf(stderr, "usage: wall FILE COMMAND [ARG...]\n");
		return 2;
	}
	if (pipe(hold))
		return failed("pipe");
	pid_t pid = fork();
	if (pid < 0)
		return failed("fork");
	if (!pid) { /* like gotrace's child: it exists already when the clock starts */
		close(hold[1]);
		if (read(hold[0], &go, 1) != 1)
			_exit(STATUS_FAILED);
		close(hold[0]);
		execvp(argv[2], argv + 2);
		_exit(failed(argv[2]));
	}
	close(hold[0]);
	if (write(hold[1], "g", 1) != 1)
		return failed("write");
	uint64_t start_ns = now_ns();
	while (wait4(pid, &status, 0, &used) < 0)
		if (errno != EINTR)
			return failed("wait4");
	uint64_t wall_ns = now_ns() - start_ns;

	FILE *out = fopen(argv[1], "we");
	if (!out)
		return failed(argv[1]);
	fprintf(out, "%llu %llu\n", (unsigned long long)wall_ns,
		(unsigned long long)(ns_of(used.ru_utime) + ns_of(used.ru_stime)));
	if (fclose(out))
		return failed(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
