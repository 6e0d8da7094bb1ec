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

		if (read_number(root, group, "memory.max", &max) &&
		    read_number(root, group, "memory.current", &used)) {
			uint64_t half = max > used ? (max - used) / 2 : 0;

			least = half < least ? half : least;
		}
		if (!slash)
			return least;
		*slash = '\0';
	}
}

/* The line "0::/path" names the group in the one hierarchy of version 2 (cgroups(7)). */
static uint64_t cap_of_own_cgroup(void)
{
	char line[PATH_MAX + 8];
	uint64_t cap = UINT64_MAX;
	FILE *f = fopen("/proc/self/cgroup", "re");

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "0::/", 4))
			continue;
		line[strcspn(line, "\n")] = '\0';
		cap = memory_cap_of_cgroup("/sys/fs/cgroup", line[4] ? line + 3 : "");
	}
	if (f)
		fclose(f);
	return cap;
}

uint64_t memory_cap_bytes(void)
{
	uint64_t eighth = (uint64_t)sysconf(_SC_PHYS_PAGES) / 8 * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t cap = eighth < CAP_BYTES ? eighth : CAP_BYTES, cgroup = cap_of_own_cgroup();

	return cgroup < cap ? cgroup : cap;
}
