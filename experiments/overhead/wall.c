/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wall FILE COMMAND [ARG...]: runs a command and writes its own wall time, from
 * the moment it may execute to its end, in nanoseconds to FILE. This is what
 * gotrace stores as end.target_wall_ns of a traced command, so that both are
 * measured between the same two moments. The exit status is the command's,
 * 125 when it cannot be run, 128 + N when it died of signal N.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
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

static int failed(const char *what)
{
	fprintf(stderr, "wall: %s: %s\n", what, strerror(errno));
	return STATUS_FAILED;
}

int main(int argc, char **argv)
{
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
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return failed("waitpid");
	uint64_t wall_ns = now_ns() - start_ns;

	FILE *out = fopen(argv[1], "we");
	if (!out)
		return failed(argv[1]);
	fprintf(out, "%llu\n", (unsigned long long)wall_ns);
	if (fclose(out))
		return failed(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
