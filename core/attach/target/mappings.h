/* SPDX-License-Identifier: BSD-2-Clause */
/* The mappings of a process, read from /proc/PID/maps. */
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
	/* The path of the file, with " (deleted)" behind it if it is deleted, or the kernel's name;
	 * "" without any. It is valid until the next call of mappings_next. Maps has \012 both for
	 * a line end in a path and for these four characters. gotrace reads the exact path from
	 * /proc/PID/map_files, and returns the path of maps if that fails. */
	const char *path;
};

struct mappings {
	FILE *maps;
	pid_t pid;
	char *line;
	size_t cap;
	char exact[PATH_MAX];
};

/* Returns 0 or -errno. */
int mappings_open(struct mappings *m, pid_t pid);
/* Gets the next mapping, in ascending order of addresses. Returns false if there are no more. */
bool mappings_next(struct mappings *m, struct mapping *out);
/* After mappings_next returned false, returns 0 at the end of the map, or -EIO after a read error.
 */
int mappings_error(const struct mappings *m);
void mappings_close(struct mappings *m);

#endif
