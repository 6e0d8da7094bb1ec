// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/process_stat.h"

#include <stdio.h>
#include <string.h>

const char *process_stat(pid_t pid, char line[PROCESS_STAT_BYTES])
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(line, 1, PROCESS_STAT_BYTES - 1, f) : 0;

	if (f)
		fclose(f);
	line[n] = '\0';
	const char *name_end = strrchr(line, ')');

	return name_end ? name_end + 1 : NULL;
}
