// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sends signals to gotrace or to what it starts at a moment that is hard to hit:
 *
 *   strike WHEN WHOM SIGNAL[,SIGNAL...] COMMAND ARG...
 *
 * COMMAND is `gotrace record ... -- PROGRAM ...`, run in its own process group.
 * WHEN: held (PROGRAM's process is traced and has yet to exec), exec (it is held at its exec), runs
 * (it has been let go), or a number: so many microseconds after the start. WHOM: tracer, target,
 * group (both). SIGNAL: a number. Prints, to descriptor 2, "strike: " and hit or missed. Exits as
 * COMMAND does (128 + n when a signal ended it); 99 when it has not ended after 30 s, and kills the
 * group.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_NS (30ull * 1000 * 1000 * 1000)

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static size_t read_file(const char *path, char *to, size_t room)
{
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(to, 1, room - 1, f) : 0;

	if (f)
		fclose(f);
	to[n] = '\0';
	return n;
}

static pid_t tracer_of(pid_t pid)
{
	char path[64], text[4096];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	read_file(path, text, sizeof(text));
	const char *line = strstr(text, "TracerPid:");
	return line ? atoi(line + 10) : 0;
}

/* Whether both live and execute different files. */
static bool other_exe(pid_t a, pid_t b)
{
	char path[64], one[PATH_MAX], other[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/exe", a);
	ssize_t n = readlink(path, one, sizeof(one));
	snprintf(path, sizeof(path), "/proc/%d/exe", b);
	ssize_t m = readlink(path, other, sizeof(other));
	return n > 0 && m > 0 && (n != m || memcmp(one, other, n));
}

/* The child of gotrace that is in the state that `when` names; 0: none is yet. gotrace has
 * other children while it finds out what the kernel can: those keep its executable and are not
 * traced. */
static pid_t child_that(const char *when, pid_t gotrace)
{
	char path[64], text[4096], *at = text;
	pid_t child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", gotrace, gotrace);
	read_file(path, text, sizeof(text));
	while ((child = strtol(at, &at, 10)) > 0) {
		bool traced = tracer_of(child) == gotrace, executed = other_exe(child, gotrace);

		if (strcmp(when, "held") == 0   ? traced && !executed
		    : strcmp(when, "exec") == 0 ? traced && executed
						: !traced && executed)
			return child;
	}
	return 0;
}

static bool wait_for(const char *when, pid_t gotrace, unsigned long long start, pid_t *child,
		     int *status)
{
	const unsigned long long after_ns = strtoull(when, NULL, 10) * 1000;

	*child = 0;
	while (waitpid(gotrace, status, WNOHANG) == 0 && now_ns() - start < LIMIT_NS) {
		if (*when >= '0' && *when <= '9') {
			if (now_ns() - start >= after_ns)
				return true;
		} else if ((*child = child_that(when, gotrace))) {
			return true;
		}
	}
	return false;
}

static void strike(const char *whom, const char *signals, pid_t gotrace, pid_t child)
{
	pid_t to = strcmp(whom, "group") == 0    ? -gotrace
		   : strcmp(whom, "target") == 0 ? child
						 : gotrace;

	for (const char *s = signals; s && *s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
		kill(to, atoi(s));
}

/* Its status, or -1: it has not ended. */
static int end_of(pid_t gotrace, unsigned long long start)
{
	const struct timespec pause = { 0, 2000000 };
	int status;

	while (waitpid(gotrace, &status, WNOHANG) == 0) {
		if (now_ns() - start > LIMIT_NS) {
			kill(-gotrace, SIGKILL);
			waitpid(gotrace, &status, 0);
			return -1;
		}
		nanosleep(&pause, NULL);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		fputs("usage: strike WHEN WHOM SIGNAL[,SIGNAL...] COMMAND ARG...\n", stderr);
		return 2;
	}
	unsigned long long start = now_ns();
	pid_t child, gotrace = fork();
	int status = 0;

	if (gotrace == 0) {
		setpgid(0, 0);
		execvp(argv[4], argv + 4);
		_exit(127);
	}
	if (gotrace < 0)
		return 2;
	setpgid(gotrace, gotrace);
	bool hit = wait_for(argv[1], gotrace, start, &child, &status);
	if (!hit && (WIFEXITED(status) || WIFSIGNALED(status)) && now_ns() - start < LIMIT_NS) {
		fputs("strike: missed\n", stderr);
		return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
	if (hit)
		strike(argv[2], argv[3], gotrace, child);
	fprintf(stderr, "strike: %s %d\n", hit ? "hit" : "missed", child);
	status = end_of(gotrace, start);
	if (status < 0)
		fputs("strike: hangs\n", stderr);
	return status < 0 ? 99 : status;
}
