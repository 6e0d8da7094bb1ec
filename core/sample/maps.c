// SPDX-License-Identifier: BSD-2-Clause
#include "sample/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach/target/mappings.h"
#include "base/foreign_file.h"
#include "binary/foreign_elf.h"

#define DELETED " (deleted)"

void maps_classify(struct sample_image *i, uint32_t pid, const char *path,
		   char perf_map[MAPS_PERF_BYTES])
{
	i->path = path;
	i->kind = IMAGE_FILE;
	if (!strcmp(path, "[vdso]")) {
		i->kind = IMAGE_VDSO;
	} else if (*path != '/' || !strncmp(path, "//anon", 6)) {
		snprintf(perf_map, MAPS_PERF_BYTES, "/tmp/perf-%u.map", pid);
		i->kind = IMAGE_PERF_MAP;
		i->path = perf_map;
	}
}

void maps_read(uint32_t pid, void (*fn)(void *ctx, struct sample_image *i), void *ctx)
{
	char perf_map[MAPS_PERF_BYTES];
	struct mappings maps;
	struct mapping m;

	if (mappings_open(&maps, (pid_t)pid))
		return;
	while (mappings_next(&maps, &m)) {
		struct sample_image i = { .start = m.start, .end = m.end, .file_off = m.file_off };

		if (!m.executable || !strcmp(m.path, "[vsyscall]"))
			continue;
		maps_classify(&i, pid, m.path, perf_map);
		fn(ctx, &i);
	}
	mappings_close(&maps);
}

bool maps_has_build_id(int fd, struct sample_image *i)
{
	uint8_t id[SAMPLE_BUILD_ID_BYTES];
	Elf *elf = foreign_elf_open(fd);
	size_t n = elf ? foreign_elf_file_id(elf, id) : 0;

	elf_end(elf);
	if (!i->build_id_len) {
		memcpy(i->build_id, id, n);
		i->build_id_len = (uint8_t)n;
	}
	return n == i->build_id_len && !memcmp(id, i->build_id, n);
}

/* A descriptor, or -errno. */
static int try_path(const char *path, struct sample_image *i)
{
	const struct foreign_rule rule = { .most_bytes = FOREIGN_BINARY_BYTES };
	int fd = foreign_file_open(path, &rule);

	if (fd < 0 || maps_has_build_id(fd, i))
		return fd;
	close(fd);
	return -ENOENT;
}

#define PLACES    3 /* where the file of an image may be found */
#define PLACE_MAX (PATH_MAX + 32)

/* False: it cannot be there. */
static bool place(char path[PLACE_MAX], unsigned which, uint32_t pid, bool exe,
		  const struct sample_image *i)
{
	if (which == 0)
		snprintf(path, PLACE_MAX, "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid, i->start,
			 i->end);
	else if (which == 1)
		snprintf(path, PLACE_MAX, "/proc/%u/exe", pid);
	else
		snprintf(path, PLACE_MAX, "/proc/%u/root%s", pid, i->path);
	return which != 1 || exe;
}

int maps_open(uint32_t pid, bool exe, struct sample_image *i)
{
	char path[PLACE_MAX];
	int fd = -ENOENT;

	for (unsigned k = 0; k < PLACES && fd < 0 && fd != -EMFILE; k++)
		if (place(path, k, pid, exe, i))
			fd = try_path(path, i);
	return fd;
}

bool maps_stat(uint32_t pid, bool exe, const struct sample_image *i, struct stat *st)
{
	char path[PLACE_MAX];

	for (unsigned k = 0; k < PLACES; k++)
		if (place(path, k, pid, exe, i) && foreign_file_stat(path, st))
			return S_ISREG(st->st_mode);
	return false;
}

int maps_open_here(struct sample_image *i)
{
	return *i->path == '/' ? try_path(i->path, i) : -ENOENT;
}

/* Also when the file has lost its name. */
static bool is_executed(uint32_t pid, const struct sample_image *i)
{
	char link[32], path[PATH_MAX];
	const size_t len = sample_image_path_len(i);

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	ssize_t n = readlink(link, path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	return n > 0 && !strncmp(path, i->path, len) &&
	       (!path[len] || !strcmp(path + len, DELETED));
}

int maps_open_seen(uint32_t pid, const struct sample_image *i)
{
	struct sample_image x = *i;
	int fd = maps_open(pid, is_executed(pid, i), &x);

	/* It has ended: what it had is mostly there, too. */
	return fd >= 0 || *i->path != '/' ? fd : maps_open_here(&x);
}

void maps_read_build_id(struct sample_image *i, uint32_t pid, const char *path)
{
	const struct foreign_rule rule = { .most_bytes = FOREIGN_BINARY_BYTES };
	char seen[PATH_MAX + 32];

	snprintf(seen, sizeof(seen), "/proc/%u/root%s", pid, path);
	int fd = foreign_file_open(seen, &rule);

	if (fd < 0)
		return;
	Elf *elf = foreign_elf_open(fd);

	if (elf)
		i->build_id_len = (uint8_t)foreign_elf_file_id(elf, i->build_id);
	elf_end(elf);
	close(fd);
}
