// SPDX-License-Identifier: BSD-2-Clause
#include "cli/agent_slow.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/store.h"
#include "base/log.h"

#define KEEP  "10s" /* of events before and while the call is too slow */
#define TIMES "10"  /* traces of one process */

static bool has(const struct slow_tracers *s, uint32_t target, const char *condition)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].target == target && !strcmp(s->at[i].condition, condition))
			return true;
	return false;
}

/* DIR/slow/SERVICE-PID-N; to be freed. */
static char *new_path(struct slow_tracers *s, const char *service, uint32_t pid)
{
	char name[STORE_WORD_BYTES], *path = NULL;

	store_file_word(service, name);
	return asprintf(&path, "%s/slow/%s-%u-%u", s->directory, name, pid, ++s->n_begun) < 0
		       ? NULL
		       : path;
}

/* "main.handle" of "main.handle > 500ms". */
static char *function_of(const char *condition)
{
	size_t n = (size_t)(strrchr(condition, '>') - condition);

	while (n && condition[n - 1] == ' ')
		n--;
	return strndup(condition, n);
}

/* In the child: never returns. */
static void become_recorder(const char *path, uint32_t target, const char *function,
			    const char *condition)
{
	char trace[4096], log[4096], pid[16];
	sigset_t none;

	snprintf(trace, sizeof(trace), "%s.gotrace", path);
	snprintf(log, sizeof(log), "%s.log", path);
	snprintf(pid, sizeof(pid), "%u", target);
	int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640),
	    null = open("/dev/null", O_RDWR | O_CLOEXEC);

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (fd < 0 || null < 0 || dup2(null, 0) < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
		_exit(1);
	execl("/proc/self/exe", "gotrace", "record", "--pid", pid, "--probe=emulated", "-f",
	      function, "--keep-last", KEEP, "--when", condition, "--times", TIMES, "-o", trace,
	      (char *)NULL);
	_exit(1);
}

void slow_begin(void *ctx, uint32_t pid, const char *service, const char *condition)
{
	struct slow_tracers *s = ctx;
	char *folder = NULL;

	slow_reap(s);
	if (has(s, pid, condition))
		return;
	if (s->n == SLOW_TRACERS_MAX) {
		log_warn("process %u of %s: slow calls are not recorded, %d recorders are running",
			 pid, service, SLOW_TRACERS_MAX);
		return;
	}
	char *path = new_path(s, service, pid), *function = function_of(condition),
	     *copy = strdup(condition);

	if (asprintf(&folder, "%s/slow", s->directory) >= 0 && mkdir(folder, 0750) &&
	    errno != EEXIST)
		log_warn("%s: cannot be made: %s", folder, strerror(errno));
	pid_t child = path && function && copy ? fork() : -1;

	if (!child)
		become_recorder(path, pid, function, condition);
	if (child > 0)
		s->at[s->n++] = (struct slow_tracer){ child, pid, copy };
	else
		free(copy);
	if (child < 0)
		log_warn("process %u of %s: memory is too short to record slow calls", pid,
			 service);
	else
		log_info("calls of process %u (%s) with %s go to %s.gotrace", pid, service,
			 condition, path);
	free(folder);
	free(path);
	free(function);
}

void slow_reap(struct slow_tracers *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (waitpid(s->at[i].pid, NULL, WNOHANG) == 0)
			s->at[n++] = s->at[i];
		else
			free(s->at[i].condition);
	s->n = n;
}

void slow_end(struct slow_tracers *s)
{
	for (size_t i = 0; i < s->n; i++)
		kill(s->at[i].pid, SIGINT);
	for (size_t i = 0; i < s->n; i++) {
		waitpid(s->at[i].pid, NULL, 0);
		free(s->at[i].condition);
	}
	s->n = 0;
}
