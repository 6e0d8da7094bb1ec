// SPDX-License-Identifier: BSD-2-Clause
#include "sample/processes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample/maps.h"
#include "sample/processes_room.h"
#include "base/foreign_file.h"
#include "base/vec.h"
#include "binary/foreign_elf.h"

static void fail(struct processes *p, int err)
{
	if (err && !p->err && err != -EINVAL && err != -E2BIG)
		p->err = err;
}

static bool has_room(struct processes *p)
{
	const bool has = processes_make_room(p);

	p->refused += !has;
	return has;
}

/* There is room. */
static struct process *put(struct processes *p, uint32_t pid, uint64_t start_ns)
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
		.pid = pid,
		.number = TRACE_NONE,
		.start_ns = start_ns,
		.used_ns = start_ns,
		.before = *bucket,
	};
	*bucket = ++p->n;
	process_charge(p, &p->all[p->n - 1]);
	return &p->all[p->n - 1];
}

/* NULL: there is no room, now. */
static struct process *add(struct processes *p, uint32_t pid, uint64_t start_ns)
{
	return has_room(p) ? put(p, pid, start_ns) : NULL;
}

struct process *process_find(const struct processes *p, uint32_t pid, uint64_t ts_ns)
{
	struct process *oldest = NULL;

	for (size_t i = p->bucket[pid % PROCESS_BUCKETS]; i; i = p->all[i - 1].before) {
		struct process *one = &p->all[i - 1];

		if (one->pid != pid)
			continue;
		if (one->start_ns <= ts_ns)
			return one->replaced_ns && one->replaced_ns <= ts_ns ? NULL : one;
		oldest = one;
	}
	return oldest;
}

static void end(struct processes *p, struct process *one, uint64_t ts_ns)
{
	one->ended = true;
	one->end_ns = ts_ns;
	process_untell(p, one, ts_ns);
}

/* The one that is known by this pid is another from then on: also if there is no room for what
 * comes now, or it is forgotten. */
static void replace(struct processes *p, uint32_t pid, uint64_t ts_ns)
{
	struct process *old = process_find(p, pid, ts_ns);

	if (!old || old->start_ns > ts_ns)
		return;
	if (!old->ended)
		end(p, old, ts_ns);
	old->replaced_ns = ts_ns;
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
 * another. The kernel says //toolong or //enomem where it has no room for a path. */
static void find_exe(struct process *one, const char *path)
{
	char link[32], exe[PATH_MAX];
	ssize_t n;

	if (path && path[0] == '/' && path[1] != '/') {
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
static void name_it(struct processes *p, struct process *one)
{
	if (one->number != TRACE_NONE)
		return;
	process_find_exe(one);
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

/* path: of what it executes, as far as it is known. */
static void introduce(struct processes *p, struct process *one, const char *path)
{
	if (!one->exe)
		find_exe(one, path);
	process_charge(p, one);
	if (!p->late)
		name_it(p, one);
}

/* ---- images */

static void keep_image(struct processes *p, struct process *one, const struct sample_image *given)
{
	struct sample_image i = *given;

	if (one->number != TRACE_NONE)
		write_image(p, one, &i);
	if (!one->code_start && i.kind == IMAGE_FILE && one->exe && !strcmp(one->exe, i.path))
		one->code_start = i.start;
	if (i.kind == IMAGE_PERF_MAP && !one->has_owner)
		one->has_owner = !foreign_file_owner(one->pid, &one->owner);
	if (vec_reserve(&one->images, &one->cap_images, one->n_images + 1)) {
		fail(p, -ENOMEM);
		return;
	}
	i.path = strdup(given->path);
	if (i.path) {
		one->images[one->n_images++] = i;
		one->path_bytes += strlen(i.path) + 1 + 16;
	} else {
		fail(p, -ENOMEM);
	}
	process_charge(p, one);
}

#define IMAGES_MANY 4096

static void read_maps(struct processes *p, struct process *one, uint64_t from_ns);

static void put_image(struct processes *p, struct process *one, const struct sample_image *given)
{
	/* Code that is made at run time is mapped again and again. */
	if (p->most_bytes && one->n_images >= IMAGES_MANY && one->n_images >= 2 * one->renewed) {
		process_free_images(one);
		if (p->kept)
			kept_files_drop(p->kept, &one->files);
		read_maps(p, one, given->from_ns);
		one->renewed = one->n_images;
		return;
	}
	keep_image(p, one, given);
	process_tell(p, one);
}

/* Its file stays open, and tells its build id: of some files that have one, such as Go's with -B,
 * the kernel has none to give. */
static void take_file(struct processes *p, struct process *one, struct sample_image *i)
{
	const bool exe = one->exe && !strcmp(one->exe, i->path);

	i->view = one->view;
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
		binaries_learn(p->binaries, i->path, i->path, &one->binary);
}

/* What `without` leaves of an image: one before it, and one behind. */
static void keep_rest(struct processes *p, struct process *one, const struct sample_image *i,
		      const struct sample_image *without)
{
	struct sample_image before = *i, behind = *i;

	if (i->end <= without->start || without->end <= i->start) {
		keep_image(p, one, i);
		return;
	}
	before.end = without->start;
	behind.start = without->end;
	behind.file_off += without->end - i->start;
	if (before.start < before.end)
		keep_image(p, one, &before);
	if (behind.start < behind.end)
		keep_image(p, one, &behind);
}

/* A copy of the process at `from`, without images at the addresses of `without` (NULL: with all).
 */
static void copy_process(struct processes *p, size_t from, struct process *one,
			 const struct sample_image *without)
{
	const struct process *old = &p->all[from];

	snprintf(one->comm, sizeof(one->comm), "%s", old->comm);
	one->learned = old->learned;
	one->binary = old->binary;
	one->view = old->view;
	introduce(p, one, old->exe ? old->exe : old->n_images ? old->images[0].path : NULL);
	for (size_t i = 0; i < old->n_images; i++) {
		struct sample_image copy = old->images[i];

		copy.from_ns = one->start_ns;
		if (without)
			keep_rest(p, one, &copy, without);
		else
			keep_image(p, one, &copy);
	}
	if (p->kept)
		kept_files_copy(p->kept, &one->files, &old->files);
	process_charge(p, one);
	process_tell(p, one);
}

/* Whether code of something else has addresses of i. */
static bool takes_place(const struct process *one, const struct sample_image *i)
{
	for (size_t at = 0; at < one->n_images; at++) {
		const struct sample_image *x = &one->images[at];

		if (x->start >= i->end || i->start >= x->end)
			continue;
		/* Code that is made at run time has the map of its process, or of the parent. */
		if (x->kind == IMAGE_PERF_MAP && i->kind == IMAGE_PERF_MAP)
			continue;
		if (x->kind != i->kind || strcmp(x->path, i->path) ||
		    (x->build_id_len && i->build_id_len &&
		     (x->build_id_len != i->build_id_len ||
		      memcmp(x->build_id, i->build_id, i->build_id_len))))
			return true;
	}
	return false;
}

#define DIVISIONS_MAX 1000

/* In a trace an address of a process has one meaning. If a library was unloaded and another one
 * has its addresses, the trace gets a new process with the same pid. Returns it; NULL: no room. */
static struct process *divide(struct processes *p, struct process *one,
			      const struct sample_image *i, uint64_t ts_ns)
{
	const uint32_t pid = one->pid;

	if (one->start_ns >= ts_ns || one->divisions >= DIVISIONS_MAX)
		return one;
	const bool has = has_room(p);

	one = process_find(p, pid, ts_ns); /* it may have moved, or given way */
	if (!one || !has)
		return one;
	const size_t at = (size_t)(one - p->all);

	replace(p, pid, ts_ns);
	one = put(p, pid, ts_ns);
	if (one) {
		one->divisions = p->all[at].divisions + 1;
		copy_process(p, at, one, i);
	}
	return one;
}

static void on_map(void *ctx, const struct side_band_map *m, uint64_t ts_ns)
{
	struct processes *p = ctx;
	struct process *one = m->pid == PROCESS_OUTSIDE ? NULL : process_find(p, m->pid, ts_ns);

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
	if (m->build_id_len)
		memcpy(i.build_id, m->build_id, m->build_id_len);
	/* The first that an exec maps is what it executes. */
	introduce(p, one, i.kind == IMAGE_FILE ? m->path : NULL);
	if (takes_place(one, &i))
		one = divide(p, one, &i, ts_ns);
	if (!one)
		return;
	take_file(p, one, &i);
	if (!one->learned && i.kind == IMAGE_FILE)
		learn_file(p, one, &i);
	put_image(p, one, &i);
}

struct mapped {
	struct processes *p;
	struct process *one;
	uint64_t from_ns;
};

static void take_mapped(void *ctx, struct sample_image *i)
{
	const struct mapped *m = ctx;

	i->from_ns = m->from_ns;
	take_file(m->p, m->one, i);
	keep_image(m->p, m->one, i);
}

static void read_maps(struct processes *p, struct process *one, uint64_t from_ns)
{
	struct mapped m = { p, one, from_ns };

	maps_read(one->pid, take_mapped, &m);
	process_tell(p, one);
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
	binaries_learn(p->binaries, link, name, &one->binary);
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

/* /proc has no process outside of gotrace's PID namespace. All of them become one process. */
static void add_outside(struct processes *p, uint64_t now_ns)
{
	struct process *one = add(p, PROCESS_OUTSIDE, now_ns);

	if (!one)
		return;
	snprintf(one->comm, sizeof(one->comm), "%s", PROCESS_OUTSIDE_NAME);
	one->exe = strdup("");
	one->learned = true;
	introduce(p, one, NULL);
}

void processes_add_running(struct processes *p, uint32_t pid, uint64_t now_ns)
{
	if (pid == PROCESS_OUTSIDE) {
		add_outside(p, now_ns);
		return;
	}
	replace(p, pid, now_ns);
	struct process *one = add(p, pid, now_ns);

	if (!one)
		return;
	read_comm(one);
	one->view = foreign_file_view(pid);
	introduce(p, one, NULL);
	read_maps(p, one, one->start_ns);
	learn(p, one);
}

static void on_fork(void *ctx, uint32_t parent, uint32_t child, uint64_t ts_ns)
{
	struct processes *p = ctx;

	if (child == PROCESS_OUTSIDE)
		return;
	replace(p, child, ts_ns);
	if (parent == PROCESS_OUTSIDE)
		return; /* the first sample finds the child in /proc */
	/* Before the parent is looked for, which may be forgotten for it. */
	if (!has_room(p))
		return;
	const struct process *old = process_find(p, parent, ts_ns);
	size_t at = old ? (size_t)(old - p->all) : 0;
	struct process *one = old ? put(p, child, ts_ns) : NULL;

	if (!one)
		return;
	copy_process(p, at, one, NULL);
}

static void on_exec(void *ctx, uint32_t pid, const char *comm, uint64_t ts_ns)
{
	struct processes *p = ctx;

	if (pid == PROCESS_OUTSIDE)
		return;
	const struct process *old = process_find(p, pid, ts_ns);
	const uint64_t now = foreign_file_view(pid), view = now || !old ? now : old->view;

	replace(p, pid, ts_ns);
	struct process *one = add(p, pid, ts_ns);

	if (!one)
		return;
	one->view = view;
	snprintf(one->comm, sizeof(one->comm), "%s", comm);
	learn(p, one); /* what it maps first names it */
}

void process_end(struct processes *p, struct process *one, uint64_t ts_ns)
{
	end(p, one, ts_ns);
	/* What it had mapped is in the trace, but may be asked for. */
	if (p->keep_images || (p->late && one->number == TRACE_NONE))
		return;
	process_free_images(one);
	process_charge(p, one);
}

/* Of the first thread, which is mostly the last. */
static void on_end(void *ctx, uint32_t pid, uint64_t ts_ns)
{
	struct processes *p = ctx;
	struct process *one = pid == PROCESS_OUTSIDE ? NULL : process_find(p, pid, ts_ns);

	if (!one)
		return;
	one->leaderless = process_has_threads(pid);
	if (!one->leaderless)
		process_end(p, one, ts_ns);
}

void processes_again(struct processes *p, struct trace_writer *writer)
{
	p->writer = writer;
	for (size_t i = 0; i < p->n; i++) {
		struct process *one = &p->all[i];

		one->gone = one->was_ended;
		one->was_ended = one->ended;
		one->number = TRACE_NONE;
		one->asked = false;
	}
	processes_compact(p);
	p->full = false;
}

struct side_band_reader processes_reader(struct processes *p)
{
	return (struct side_band_reader){
		.map = on_map, .fork = on_fork, .exec = on_exec, .end = on_end, .ctx = p
	};
}

uint32_t processes_known(struct processes *p, uint32_t pid, uint64_t ts_ns)
{
	struct process *one = process_find(p, pid, ts_ns);

	if (one) {
		name_it(p, one);
		one->asked = true;
		one->used_ns = ts_ns;
		if (!one->told && !one->ended)
			process_tell(p, one);
	}
	return one ? one->number : TRACE_NONE;
}

void process_find_exe(struct process *one)
{
	if (!one->exe)
		find_exe(one, NULL);
}

uint32_t processes_find(struct processes *p, uint32_t pid, uint64_t ts_ns)
{
	/* What told of it was lost, or there was no room. /proc tells of the newest alone. */
	if (!process_find(p, pid, ts_ns) && !process_find(p, pid, UINT64_MAX))
		processes_add_running(p, pid, ts_ns);
	return processes_known(p, pid, ts_ns);
}

void processes_free(struct processes *p)
{
	p->natives = NULL; /* it may be gone, like langs */
	p->langs = NULL;
	for (size_t i = 0; i < p->n; i++)
		process_free(p, &p->all[i]);
	free(p->all);
	*p = (struct processes){ 0 };
}
