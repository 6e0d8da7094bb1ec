// SPDX-License-Identifier: BSD-2-Clause
#include "base/own_proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define ADVICE "mount one (mount -t proc proc /proc, or unshare --mount-proc)"

/* How many namespaces there are from that of the mount down to gotrace's. Linux built without PID
 * namespaces has one. */
static int levels(FILE *status)
{
	char *line = NULL;
	size_t size = 0;
	int n = 1;

	while (getline(&line, &size, status) > 0)
		if (!strncmp(line, "NSpid:", 6)) {
			n = 0;
			for (const char *s = line; (s = strchr(s, '\t')); s++)
				n++;
			break;
		}
	free(line);
	return n;
}

bool own_proc(const char *proc)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/self/status", proc);
	FILE *f = fopen(path, "re");

	if (!f && errno != ENOENT) {
		log_error("%s: cannot be read: %s", path, strerror(errno));
		return false;
	}
	const int n = f ? levels(f) : 0;

	if (f)
		fclose(f);
	if (n != 1)
		log_error("%s does not show the processes of gotrace's PID namespace; " ADVICE,
			  proc);
	return n == 1;
}
