// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/thread_ids.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"

struct thread_ids {
	int pid;
	bool same; /* the process is in gotrace's own namespace */
	struct pair {
		uint32_t own, seen;
	} * pairs;
	size_t n, cap;
};

static bool same_namespace(int pid)
{
	struct stat own, its;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
	/* Not to be read: gone, or not ours. Nothing to be translated by then. */
	return stat("/proc/self/ns/pid", &own) || stat(path, &its) ||
	       (own.st_dev == its.st_dev && own.st_ino == its.st_ino);
}

struct thread_ids *thread_ids_new(int pid)
{
	struct thread_ids *t = calloc(1, sizeof(*t));

	if (t) {
		t->pid = pid;
		t->same = same_namespace(pid);
	}
	return t;
}

void thread_ids_free(struct thread_ids *t)
{
	if (t)
		free(t->pairs);
	free(t);
}

static const struct pair *known(const struct thread_ids *t, uint32_t own)
{
	for (size_t i = t->n; i-- > 0;) /* the newest first: numbers are used again */
		if (t->pairs[i].own == own)
			return &t->pairs[i];
	return NULL;
}

/* The thread's number in its innermost namespace, the last one of NSpid. 0: not to be had. */
static uint32_t innermost(int pid, uint32_t tid)
{
	char path[64], line[512];
	uint32_t own = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%u/status", pid, tid);
	FILE *f = fopen(path, "re");

	while (f && fgets(line, sizeof(line), f)) {
		char *word = strncmp(line, "NSpid:", 6) ? NULL : strrchr(line, '\t');

		if (!word)
			continue;
		own = (uint32_t)strtoul(word, NULL, 10);
		break;
	}
	if (f)
		fclose(f);
	return own;
}

static void read_threads(struct thread_ids *t)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/task", t->pid);
	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		uint32_t own = tid ? innermost(t->pid, tid) : 0;
		const struct pair *old = own ? known(t, own) : NULL;

		if (!own || (old && old->seen == tid) || vec_reserve(&t->pairs, &t->cap, t->n + 1))
			continue;
		t->pairs[t->n++] = (struct pair){ own, tid };
	}
	if (dir)
		closedir(dir);
}

uint32_t thread_ids_find(void *ctx, uint32_t own)
{
	struct thread_ids *t = ctx;
	const struct pair *p;

	if (t->same)
		return own;
	p = known(t, own);
	if (!p) {
		read_threads(t);
		p = known(t, own);
	}
	if (p)
		return p->seen;
	/* Gone before it was looked for: once is enough. */
	if (!vec_reserve(&t->pairs, &t->cap, t->n + 1))
		t->pairs[t->n++] = (struct pair){ own, own };
	return own;
}
