// SPDX-License-Identifier: BSD-2-Clause
#include "attach/sample/processes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/sample/maps.h"
#include "base/foreign_file.h"
#include "base/vec.h"
#include "binary/foreign_elf.h"

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

static void write_image(struct processes *p, const struct process *one,
			const struct sample_image *i)
{
	struct sample_image x = *i;
	uint32_t number;

	x.process = one->number;
	fail(p, trace_writer_image(p->writer, &x, &number));
}

/* What the process executes: `path`, else as /proc says: what has forked and executed since has
 * another. */
static void find_exe(struct process *one, const char *path)
{
	char link[32], exe[PATH_MAX];
	ssize_t n;

	if (path && *path == '/') {
		one->exe = strdup(path);
		return;
	}
	snprintf(link, sizeof(link), "/proc/%u/exe", one->pid);
	n = readlink(link, exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	if (*exe)
		one->exe = strdup(exe);
}

/* Tells the trace of it, and of all that it has mapped so far, once. */
static void name_it(struct processes *p, struct process *one, const char *path)
{
	if (one->number != TRACE_NONE)
		return;
	if (!one->exe)
		find_exe(one, path);
	const struct sample_process s = {
		.pid = one->pid,
		.comm = one->comm,
		.exe = one->exe,
		.start_ns = one->start_ns,
	};

	fail(p, trace_writer_process(p->writer, &s, &one->number));
	for (size_t i = 0; i < one->n_images; i++)
		write_image(p, one, &one->images[i]);
}

/* ---- images */

static void free_images(struct process *one)
{
	for (size_t k = 0; k < one->n_images; k++)
		free((char *)one->images[k].path);
	free(one->images);
	one->images = NULL;
	one->n_images = one->cap_images = 0;
}

static void keep_image(struct processes *p, struct process *one, const struct sample_image *given)
{
	struct sample_image i = *given;

	if (one->number != TRACE_NONE)
		write_image(p, one, &i);
	if (i.kind == IMAGE_PERF_MAP && !one->has_owner)
		one->has_owner = !foreign_file_owner(one->pid, &one->owner);
	if (vec_reserve(&one->images, &one->cap_images, one->n_images + 1)) {
		fail(p, -ENOMEM);
		return;
	}
	i.path = strdup(given->path);
	if (i.path)
		one->images[one->n_images++] = i;
	else
		fail(p, -ENOMEM);
}

static void tell_natives(struct processes *p, const struct process *one)
{
	if (p->natives)
		natives_map(p->natives, one->pid, one->images, one->n_images);
}

static void put_image(struct processes *p, struct process *one, const struct sample_image *given)
{
	keep_image(p, one, given);
	tell_natives(p, one);
}

/* Its file stays open, and tells its build id: of some files that have one, such as Go's with -B,
 * the kernel has none to give. */
static void take_file(struct processes *p, struct process *one, struct sample_image *i)
{
	const bool exe = one->exe && !strcmp(one->exe, i->path);

	if (i->kind != IMAGE_FILE)
		return;
	if ((!p->kept || !kept_files_take(p->kept, &one->files, one->pid, exe, i)) &&
	    !i->build_id_len)
		maps_read_build_id(i, one->pid, i->path);
}

/* A process that has ended before /proc was asked: the file that it executed is mostly there. */
static void learn_file(struct processes *p, struct process *one, const struct sample_image *i)
{
	struct sample_image now = { 0 };

	one->learned = true; /* or never will be */
	maps_read_build_id(&now, (uint32_t)getpid(), i->path);
	if (i->build_id_len && now.build_id_len == i->build_id_len &&
	    !memcmp(now.build_id, i->build_id, i->build_id_len))
		binaries_learn(p->binaries, i->path, i->path);
}

static void on_map(void *ctx, const struct side_band_map *m, uint64_t ts_ns)
{
	struct processes *p = ctx;
	struct process *one = find(p, m->pid, ts_ns);

	p->changed_ns = ts_ns;
	char perf_map[MAPS_PERF_BYTES];
	struct sample_image i = {
		.start = m->start,
		.end = m->start + m->bytes,
		.file_off = m->file_off,
		.build_id_len = m->build_id_len,
		.from_ns = ts_ns,
	};

	if (!one)
		return; /* before the command's exec */
	maps_classify(&i, m->pid, m->path, perf_map);
	memcpy(i.build_id, m->build_id, m->build_id_len);
	/* The first that an exec maps is what it executes. */
	name_it(p, one, i.kind == IMAGE_FILE ? m->path : NULL);
	take_file(p, one, &i);
	if (!one->learned && i.kind == IMAGE_FILE)
		learn_file(p, one, &i);
	put_image(p, one, &i);
}

struct mapped {
	struct processes *p;
	struct process *one;
};

static void take_mapped(void *ctx, struct sample_image *i)
{
	const struct mapped *m = ctx;

	i->from_ns = m->one->start_ns;
	take_file(m->p, m->one, i);
	keep_image(m->p, m->one, i);
}

static void read_maps(struct processes *p, struct process *one)
{
	struct mapped m = { p, one };

	maps_read(one->pid, take_mapped, &m);
	tell_natives(p, one);
}

/* ---- processes */

static void learn(struct processes *p, struct process *one)
{
	char link[32], name[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/%u/exe", one->pid);
	ssize_t n = readlink(link, name, sizeof(name) - 1);

	if (n <= 0)
		return; /* it has ended */
	name[n] = '\0';
	binaries_learn(p->binaries, link, name);
	one->learned = true;
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
	learn(p, one);
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
		keep_image(p, one, &copy);
	}
	if (p->kept)
		kept_files_copy(p->kept, &one->files, &old->files);
	tell_natives(p, one);
}

static void end(struct process *one, uint64_t ts_ns)
{
	one->ended = true;
	one->end_ns = ts_ns;
}

static void on_exec(void *ctx, uint32_t pid, const char *comm, uint64_t ts_ns)
{
	struct processes *p = ctx;
	struct process *old = find(p, pid, ts_ns);

	if (old && old->start_ns <= ts_ns)
		end(old, ts_ns);
	struct process *one = add(p, pid, ts_ns);

	if (!one)
		return;
	snprintf(one->comm, sizeof(one->comm), "%s", comm);
	learn(p, one); /* what it maps first names it */
}

/* What it had mapped is in the trace, but may be asked for. */
static void on_end(void *ctx, uint32_t pid, uint64_t ts_ns)
{
	struct processes *p = ctx;
	struct process *one = find(p, pid, ts_ns);

	if (!one)
		return;
	end(one, ts_ns);
	if (!p->keep_images)
		free_images(one);
}

static void free_process(struct processes *p, struct process *one)
{
	if (p->kept)
		kept_files_drop(p->kept, &one->files);
	free_images(one);
	free(one->exe);
}

void processes_again(struct processes *p, struct trace_writer *writer)
{
	size_t n = 0;

	p->writer = writer;
	memset(p->bucket, 0, sizeof(p->bucket));
	for (size_t i = 0; i < p->n; i++) {
		struct process x = p->all[i];

		if (x.was_ended) {
			free_process(p, &x);
			continue;
		}
		x.was_ended = x.ended;
		x.number = TRACE_NONE;
		x.asked = false;
		x.before = p->bucket[x.pid % PROCESS_BUCKETS];
		p->all[n++] = x;
		p->bucket[x.pid % PROCESS_BUCKETS] = n;
	}
	p->n = n;
}

struct side_band_reader processes_reader(struct processes *p)
{
	return (struct side_band_reader){
		.map = on_map, .fork = on_fork, .exec = on_exec, .end = on_end, .ctx = p
	};
}

uint32_t processes_known(struct processes *p, uint32_t pid, uint64_t ts_ns)
{
	struct process *one = find(p, pid, ts_ns);

	if (one) {
		name_it(p, one, NULL);
		one->asked = true;
	}
	return one ? one->number : TRACE_NONE;
}

size_t processes_images(const struct processes *p, uint32_t pid, uint64_t ts_ns)
{
	const struct process *one = find(p, pid, ts_ns);

	return one ? one->n_images : 0;
}

void process_find_exe(struct process *one)
{
	if (!one->exe)
		find_exe(one, NULL);
}

uint32_t processes_find(struct processes *p, uint32_t pid, uint64_t ts_ns)
{
	if (!find(p, pid, ts_ns)) /* what told of it was lost */
		processes_add_running(p, pid, ts_ns);
	return processes_known(p, pid, ts_ns);
}

#define USER_BITS 47 /* addresses above are the kernel's, or say what is missing */

static const struct sample_image *image_at(const struct processes *p, uint32_t pid, uint64_t ts_ns,
					   uint64_t pc)
{
	const struct process *one = find(p, pid, ts_ns);

	for (size_t i = one ? one->n_images : 0; i-- > 0;)
		if (pc >= one->images[i].start && pc < one->images[i].end)
			return &one->images[i];
	return NULL;
}

bool processes_have_tables(struct processes *p, uint32_t pid, uint64_t ts_ns, uint64_t pc)
{
	const struct sample_image *i = image_at(p, pid, ts_ns, pc);

	return i && natives_know(p->natives, pid, i);
}

bool processes_made_at_run_time(const struct processes *p, uint32_t pid, uint64_t ts_ns,
				uint64_t pc)
{
	const struct sample_image *i = image_at(p, pid, ts_ns, pc);

	/* The kernel tells of such a mapping a moment later than of a file's. */
	return i ? i->kind == IMAGE_PERF_MAP
		 : !(pc >> USER_BITS) && processes_images(p, pid, ts_ns) > 0;
}

void processes_free(struct processes *p)
{
	for (size_t i = 0; i < p->n; i++)
		free_process(p, &p->all[i]);
	free(p->all);
	*p = (struct processes){ 0 };
}
