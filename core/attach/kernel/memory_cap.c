// SPDX-License-Identifier: BSD-2-Clause
#include "attach/kernel/memory_cap.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CAP_BYTES (512ull << 20)

/* A number in a file of a cgroup. false: there is none, as with "max". */
static bool read_number(const char *root, const char *group, const char *name, uint64_t *n)
{
	char path[PATH_MAX];
	FILE *f;
	bool ok;

	if (snprintf(path, sizeof(path), "%s%s/%s", root, group, name) >= (int)sizeof(path))
		return false;
	f = fopen(path, "re");
	if (!f)
		return false;
	ok = fscanf(f, "%" SCNu64, n) == 1;
	fclose(f);
	return ok;
}

uint64_t memory_cap_of_cgroup(const char *root, const char *path)
{
	uint64_t least = UINT64_MAX;
	char group[PATH_MAX];

	snprintf(group, sizeof(group), "%s", path);
	for (;;) {
		char *slash = strrchr(group, '/');
		uint64_t max, used;

		/* version 2, version 1 */
		if ((read_number(root, group, "memory.max", &max) &&
		     read_number(root, group, "memory.current", &used)) ||
		    (read_number(root, group, "memory.limit_in_bytes", &max) &&
		     read_number(root, group, "memory.usage_in_bytes", &used))) {
			uint64_t half = max > used ? (max - used) / 2 : 0;

			least = half < least ? half : least;
		}
		if (!slash)
			return least;
		*slash = '\0';
	}
}

/* Has a list of controllers, comma between, that of memory? */
static bool has_memory(const char *list)
{
	for (size_t n; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n == strlen("memory") && !strncmp(list, "memory", n))
			return true;
	}
	return false;
}

/*
 * Lines are ID:CONTROLLERS:PATH (cgroups(7)); version 2 has none and is mounted at the root, a
 * controller of version 1 below it. Where both are, only one has the memory controller's files.
 */
uint64_t memory_cap_of_process(const char *proc, const char *root)
{
	char line[PATH_MAX + 256], mount[PATH_MAX];
	uint64_t cap = UINT64_MAX;
	FILE *f = fopen(proc, "re");

	while (f && fgets(line, sizeof(line), f)) {
		char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;

		if (!path || path[1] != '/')
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		bool memory = has_memory(++list);

		if (*list && !memory)
			continue;
		snprintf(mount, sizeof(mount), "%s%s", root, memory ? "/memory" : "");
		uint64_t of = memory_cap_of_cgroup(mount, path[1] ? path : "");

		cap = of < cap ? of : cap;
	}
	if (f)
		fclose(f);
	return cap;
}

uint64_t memory_cap_bytes(void)
{
	uint64_t eighth = (uint64_t)sysconf(_SC_PHYS_PAGES) / 8 * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t cap = eighth < CAP_BYTES ? eighth : CAP_BYTES,
		 cgroup = memory_cap_of_process("/proc/self/cgroup", "/sys/fs/cgroup");

	return cgroup < cap ? cgroup : cap;
}
