// SPDX-License-Identifier: BSD-2-Clause
#include "attach/sample/processes.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(struct processes *p, int err)
{
	if (err && !p->err && err != -EINVAL && err != -E2BIG)
		p->err = err;
}

static struct process *add(struct processes *p, uint32_t pid, uint64_t start_ns)
{
	if (p->n == p->cap) {
		size_t cap = p->cap ? 2 * p->cap : 16;
		struct process *all = realloc(p->all, cap * sizeof(*all));

		if (!all) {
			fail(p, -ENOMEM);
			return NULL;
		}
		p->all = all;
		p->cap = cap;
	}
	size_t *bucket = &p->bucket[pid % PROCESS_BUCKETS];

	p->all[p->n] = (struct process){
		.pid = pid, .number = TRACE_NONE, .start_ns = start_ns, .before = *bucket
	};
	*bucket = ++p->n;
	return &p->all[p->n - 1];
}

/* The one that had this pid then, else the oldest of it; NULL: it is not known. */
static struct process *find(const struct processes *p, uint32_t pid, uint64_t ts_ns)
{
	struct process *oldest = NULL;

	for (size_t i = p->bucket[pid % PROCESS_BUCKETS]; i; i = p->all[i - 1].before) {
		struct process *one = &p->all[i - 1];

		if (one->pid != pid)
			continue;
		if (one->start_ns <= ts_ns)
			return one;
		oldest = one;
	}
	return oldest;
}

/* What the process executes: as /proc says, else `path`. Written once. */
static void name_it(struct processes *p, struct process *one, const char *path)
{
	char link[32], exe[PATH_MAX];
	ssize_t n;

	if (one->number != TRACE_NONE)
		return;
	snprintf(link, sizeof(link), "/proc/%u/exe", one->pid);
	n = readlink(link, exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	/* What has forked and executed since has another. */
	if (path && *path == '/')
		snprintf(exe, sizeof(exe), "%s", path);
	const struct sample_process s = {
		.pid = one->pid,
		.comm = one->comm,
		.exe = *exe ? exe : NULL,
		.start_ns = one->start_ns,
	};

	fail(p, trace_writer_process(p->writer, &s, &one->number));
}

/* ---- images */

static void put_image(struct processes *p, struct process *one, const struct sample_image *given)
{
	struct sample_image i = *given;
	uint32_t number;

	i.process = one->number;
	fail(p, trace_writer_image(p->writer, &i, &number));
	if (one->n_images == one->cap_images) {
		size_t cap = one->cap_images ? 2 * one->cap_images : 8;
		struct sample_image *images = realloc(one->images, cap * sizeof(*images));

		if (!images) {
			fail(p, -ENOMEM);
			return;
		}
		one->images = images;
		one->cap_images = cap;
	}
	i.path = strdup(given->path);
	if (i.path)
		one->images[one->n_images++] = i;
	else
		fail(p, -ENOMEM);
	if (p->natives)
		natives_map(p->natives, one->pid, one->images, one->n_images);
}

/* Kind and path of what is mapped as `path`. */
static void classify(struct sample_image *i, uint32_t pid, const char *path, char *perf_map,
		     size_t size)
{
	i->path = path;
	i->kind = IMAGE_FILE;
	if (!strcmp(path, "[vdso]")) {
		i->kind = IMAGE_VDSO;
	} else if (*path != '/' || !strncmp(path, "//anon", 6)) {
		snprintf(perf_map, size, "/tmp/perf-%u.map", pid);
		i->kind = IMAGE_PERF_MAP;
		i->path = perf_map;
	}
}

/* A file's GNU build id as the process sees the file. */
static void read_build_id(struct sample_image *i, uint32_t pid, const char *path)
{
	char seen[PATH_MAX + 32];
	const void *id;

	snprintf(seen, sizeof(seen), "/proc/%u/root%s", pid, path);
	int fd = open(seen, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	ssize_t n = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;

	if (n > 0 && n <= SAMPLE_BUILD_ID_BYTES) {
		memcpy(i->build_id, id, n);
		i->build_id_len = (uint8_t)n;
	}
	elf_end(elf);
	close(fd);
}

static void on_map(void *ctx, const struct side_band_map *m, uint64_t ts_ns)
{
	struct processes *p = ctx;
	struct process *one = find(p, m->pid, ts_ns);

	p->changed_ns = ts_ns;
	char perf_map[64];
	struct sample_image i = {
		.start = m->start,
		.end = m->start + m->bytes,
		.file_off = m->file_off,
		.build_id_len = m->build_id_len,
		.from_ns = ts_ns,
	};

	if (!one)
		return; /* before the command's exec */
	classify(&i, m->pid, m->path, perf_map, sizeof(perf_map));
	memcpy(i.build_id, m->build_id, m->build_id_len);
	/* The kernel has none to give of some files that have one, such as Go's with -B. */
	if (i.kind == IMAGE_FILE && !i.build_id_len)
		read_build_id(&i, m->pid, m->path);
	/* The first that an exec maps is what it executes. */
	name_it(p, one, i.kind == IMAGE_FILE ? m->path : NULL);
	put_image(p, one, &i);
}

static void read_maps(struct processes *p, struct process *one)
{
	char path[32], line[PATH_MAX + 256], perf_map[64];

	snprintf(path, sizeof(path), "/proc/%u/maps", one->pid);
	FILE *f = fopen(path, "re");

	while (f && fgets(line, sizeof(line), f)) {
		struct sample_image i = { .from_ns = one->start_ns };
		int name_at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &i.start,
			   &i.end, &i.file_off, &name_at) < 3 ||
		    !name_at || strstr(line, "[vsyscall]"))
			continue;
		if (line[strcspn(line, " ") + 3] != 'x') /* "r-xp" */
			continue;
		classify(&i, one->pid, line + name_at, perf_map, sizeof(perf_map));
		if (i.kind == IMAGE_FILE)
			read_build_id(&i, one->pid, i.path);
		put_image(p, one, &i);
	}
	if (f)
		fclose(f);
}

/* ---- processes */

static void learn(struct processes *p, uint32_t pid)
{
	char link[32], name[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	ssize_t n = readlink(link, name, sizeof(name) - 1);

	if (n <= 0)
		return; /* it has ended */
	name[n] = '\0';
	binaries_learn(p->binaries, link, name);
}

static void read_comm(struct process *one)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/comm", one->pid);
	FILE *f = fopen(path, "re");

	if (!f || !fgets(one->comm, sizeof(one->comm), f))
		*one->comm = '\0';
	one->comm[strcspn(one->comm, "\n")] = '\0';
	if (f)
		fclose(f);
}

void processes_add_running(struct processes *p, uint32_t pid, uint64_t now_ns)
{
	struct process *one = add(p, pid, now_ns);

	if (!one)
		return;
	read_comm(one);
	name_it(p, one, NULL);
	read_maps(p, one);
	learn(p, pid);
}

static void on_fork(void *ctx, uint32_t parent, uint32_t child, uint64_t ts_ns)
{
	struct processes *p = ctx;
	const struct process *old = find(p, parent, ts_ns);
	size_t at = old ? (size_t)(old - p->all) : 0;
	struct process *one = old ? add(p, child, ts_ns) : NULL;

	if (!one)
		return;
	old = &p->all[at]; /* it may have moved */
	snprintf(one->comm, sizeof(one->comm), "%s", old->comm);
	name_it(p, one, old->n_images ? old->images[0].path : NULL);
	for (size_t i = 0; i < old->n_images; i++) {
		struct sample_image copy = old->images[i];

		copy.from_ns = ts_ns;
		put_image(p, one, &copy);
	}
}

static void on_exec(void *ctx, uint32_t pid, const char *comm, uint64_t ts_ns)
{
	struct processes *p = ctx;
	struct process *one = add(p, pid, ts_ns);

	if (!one)
		return;
	snprintf(one->comm, sizeof(one->comm), "%s", comm);
	learn(p, pid); /* what it maps first names it */
}

struct side_band_reader processes_reader(struct processes *p)
{
	return (struct side_band_reader){
		.map = on_map, .fork = on_fork, .exec = on_exec, .ctx = p
	};
}

uint32_t processes_known(struct processes *p, uint32_t pid, uint64_t ts_ns)
{
	struct process *one = find(p, pid, ts_ns);

	if (one)
		name_it(p, one, NULL);
	return one ? one->number : TRACE_NONE;
}

uint32_t processes_find(struct processes *p, uint32_t pid, uint64_t ts_ns)
{
	if (!find(p, pid, ts_ns)) /* what told of it was lost */
		processes_add_running(p, pid, ts_ns);
	return processes_known(p, pid, ts_ns);
}

void processes_free(struct processes *p)
{
	for (size_t i = 0; i < p->n; i++) {
		for (size_t k = 0; k < p->all[i].n_images; k++)
			free((char *)p->all[i].images[k].path);
		free(p->all[i].images);
	}
	free(p->all);
	*p = (struct processes){ 0 };
}
