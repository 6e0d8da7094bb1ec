// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/process_names.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DELETED     " (deleted)"
#define IS_DIGIT(c) ((c) >= '0' && (c) <= '9')

size_t process_names_read(pid_t pid, const char *file, char *to, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(to, 1, size - 1, f) : 0;

	to[n] = '\0';
	if (f)
		fclose(f);
	return n;
}

static bool has_comm(pid_t pid, const char *name)
{
	char comm[64];
	size_t n = process_names_read(pid, "comm", comm, sizeof(comm));

	if (n && comm[n - 1] == '\n')
		comm[n - 1] = '\0';
	return n && !strcmp(comm, name);
}

/* Threads of the kernel, and processes that have ended, execute nothing. */
static bool is_called(pid_t pid, const char *name)
{
	char path[32], exe[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	ssize_t n = readlink(path, exe, sizeof(exe) - 1);

	if (n < 0)
		return errno == EACCES && has_comm(pid, name);
	exe[n] = '\0';
	size_t tail = strlen(DELETED);
	if ((size_t)n > tail && !strcmp(exe + n - tail, DELETED))
		exe[(size_t)n - tail] = '\0';
	const char *base = strrchr(exe, '/');

	return !strcmp(base ? base + 1 : exe, name) || has_comm(pid, name);
}

static int by_number(const void *a, const void *b)
{
	const pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

size_t process_names_find(const char *name, pid_t *found, size_t most)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	size_t n = 0;

	while (proc && (e = readdir(proc))) {
		const pid_t pid = IS_DIGIT(*e->d_name) ? atoi(e->d_name) : 0;

		if (pid <= 0 || pid == getpid() || !is_called(pid, name))
			continue;
		if (n < most)
			found[n] = pid;
		n++;
	}
	if (proc)
		closedir(proc);
	qsort(found, n < most ? n : most, sizeof(*found), by_number);
	return n;
}
