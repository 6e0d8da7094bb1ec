/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process has mapped, as /proc/PID/maps tells. */
#ifndef GOTRACE_TARGET_MAPPINGS_H
#define GOTRACE_TARGET_MAPPINGS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct mapping {
	uint64_t start, end, file_off;
	bool executable, writable;
	/* The file's, with " (deleted)" behind it, or what the kernel calls it; "": nothing. Until
	 * the next. A line end in it is one: the kernel writes \012 there, as it does for these
	 * four characters, and where its other list of them cannot be read, so do we. */
	const char *path;
};

struct mappings {
	FILE *maps;
	pid_t pid;
	char *line;
	size_t cap;
	char exact[PATH_MAX];
};

/* 0 or -errno. */
int mappings_open(struct mappings *m, pid_t pid);
/* In order of addresses; false: no more. */
bool mappings_next(struct mappings *m, struct mapping *out);
/* After mappings_next was false: 0 at the end of the map, or -EIO where it cannot be read further.
 */
int mappings_error(const struct mappings *m);
void mappings_close(struct mappings *m);

#endif
