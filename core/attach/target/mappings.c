// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/mappings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int mappings_open(struct mappings *m, pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	*m = (struct mappings){ .maps = fopen(path, "re"), .pid = pid };
	return m->maps ? 0 : -errno;
}

/* The path of a mapping where maps may have changed it. */
static const char *exact_path(struct mappings *m, const struct mapping *at, const char *told)
{
	char link[96];

	if (*told != '/' || !strstr(told, "\\012"))
		return told;
	snprintf(link, sizeof(link), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, m->pid, at->start,
		 at->end);
	ssize_t n = readlink(link, m->exact, sizeof(m->exact) - 1);

	if (n < 0)
		return told;
	m->exact[n] = '\0';
	return m->exact;
}

bool mappings_next(struct mappings *m, struct mapping *out)
{
	while (getline(&m->line, &m->cap, m->maps) > 0) {
		char rights[5];
		int name_at = 0;

		*out = (struct mapping){ 0 };
		m->line[strcspn(m->line, "\n")] = '\0';
		if (sscanf(m->line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n",
			   &out->start, &out->end, rights, &out->file_off, &name_at) < 4 ||
		    !name_at)
			continue;
		out->writable = rights[1] == 'w';
		out->executable = rights[2] == 'x';
		out->path = exact_path(m, out, m->line + name_at);
		return true;
	}
	return false;
}

int mappings_error(const struct mappings *m)
{
	return ferror(m->maps) ? -EIO : 0;
}

void mappings_close(struct mappings *m)
{
	if (m->maps)
		fclose(m->maps);
	free(m->line);
	*m = (struct mappings){ 0 };
}
