// SPDX-License-Identifier: BSD-2-Clause
#include "sample/kept_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample/maps.h"
#include "base/foreign_file.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "trace/keys.h"

static bool same_contents(const struct kept_file *f, const struct stat *st)
{
	return f->bytes == st->st_size && f->changed.tv_sec == st->st_mtim.tv_sec &&
	       f->changed.tv_nsec == st->st_mtim.tv_nsec;
}

static bool put(struct kept_files *k, struct kept_list *l, const struct sample_image *i,
		uint32_t file)
{
	if (vec_reserve(&l->at, &l->cap, l->n + 1))
		return false;
	l->at[l->n++] = (struct kept_image){ i->start, file };
	k->files[file].users++;
	return true;
}

static bool same_id(const struct kept_file *f, const struct sample_image *i)
{
	return f->build_id_len == i->build_id_len &&
	       !memcmp(f->build_id, i->build_id, i->build_id_len);
}

/* The path of an image, as those see it who see the same files. 0: not known. */
static uint64_t where(uint64_t view, const struct sample_image *i)
{
	return view ? hash_mix(view ^ hash_bytes(i->path, sample_image_path_len(i))) | 1 : 0;
}

/* Of a file that is elsewhere the build ID proves nothing. */
static struct kept_file *find_by_id(const struct kept_files *k, const struct sample_image *i)
{
	const uint64_t at = where(i->view, i);

	for (size_t f = 0; i->build_id_len && at && f < k->n; f++)
		if (k->files[f].fd >= 0 && k->files[f].where == at && same_id(&k->files[f], i))
			return &k->files[f];
	return NULL;
}

static struct kept_file *find_by_place(const struct kept_files *k, const struct stat *st)
{
	for (size_t f = 0; f < k->n; f++)
		if (k->files[f].fd >= 0 && k->files[f].dev == st->st_dev &&
		    k->files[f].ino == st->st_ino && same_contents(&k->files[f], st))
			return &k->files[f];
	return NULL;
}

/* The number of the contents that a file has now. */
static uint64_t number_of(const struct stat *st)
{
	uint64_t h = hash_mix(st->st_dev ^ hash_mix(st->st_ino));

	h = hash_mix(h ^ (uint64_t)st->st_size);
	h = hash_mix(h ^ (uint64_t)st->st_mtim.tv_sec);
	return hash_mix(h ^ (uint64_t)st->st_mtim.tv_nsec) | 1;
}

/* Events of threads need descriptors, too. */
static size_t most_open(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur / 4 > KEPT_FILES_MAX)
		return KEPT_FILES_MAX;
	return files.rlim_cur / 4;
}

/* One for the file on fd, which is taken over; NULL: no room, it is closed. */
static struct kept_file *keep(struct kept_files *k, int fd, const struct stat *st,
			      const struct sample_image *i, uint64_t view)
{
	size_t at = 0;

	while (at < k->n && k->files[at].fd >= 0)
		at++;
	if (k->n_open >= most_open() || (at == k->n && vec_reserve(&k->files, &k->cap, k->n + 1))) {
		k->no_room++;
		close(fd);
		return NULL;
	}
	k->n += at == k->n;
	k->n_open++;
	k->files[at] = (struct kept_file){ .fd = fd,
					   .dev = st->st_dev,
					   .ino = st->st_ino,
					   .bytes = st->st_size,
					   .changed = st->st_mtim,
					   .build_id_len = i->build_id_len,
					   .number = number_of(st),
					   .where = where(view, i) };
	memcpy(k->files[at].build_id, i->build_id, i->build_id_len);
	return &k->files[at];
}

/* One that is known, without opening anything: its place tells, or, if the process has ended, its
 * path. */
static struct kept_file *find_known(const struct kept_files *k, uint32_t pid, bool exe,
				    struct sample_image *i)
{
	struct stat st;
	struct kept_file *f = maps_stat(pid, exe, i, &st) ? find_by_place(k, &st)
							  : find_by_id(k, i);

	if (f && i->build_id_len && !same_id(f, i))
		return NULL;
	if (f && !i->build_id_len) {
		memcpy(i->build_id, f->build_id, f->build_id_len);
		i->build_id_len = f->build_id_len;
	}
	return f;
}

/* A descriptor or -errno. *view is that of its process. */
static int open_image(struct kept_files *k, uint32_t pid, bool exe, struct sample_image *i,
		      uint64_t *view)
{
	int fd = maps_open(pid, exe, i);

	*view = fd < 0 ? i->view : foreign_file_view(pid);
	if (fd < 0 && fd != -EMFILE && k->executed)
		fd = executed_files_find(k->executed, pid, i);
	if (fd < 0 && fd != -EMFILE && i->build_id_len) {
		fd = maps_open_here(i);
		*view = 0;
	}
	return fd;
}

static struct kept_file *find_or_keep(struct kept_files *k, uint32_t pid, bool exe,
				      struct sample_image *i)
{
	struct stat st;
	uint64_t view;
	int fd = open_image(k, pid, exe, i, &view);

	if (fd < 0) {
		k->no_room += fd == -EMFILE || fd == -ENFILE;
		return NULL;
	}
	if (fstat(fd, &st)) {
		close(fd);
		return NULL;
	}
	i->file = number_of(&st); /* also when there is no room for it */
	struct kept_file *f = find_by_place(k, &st);

	if (!f)
		return keep(k, fd, &st, i, view);
	close(fd);
	return f;
}

bool kept_files_take(struct kept_files *k, struct kept_list *l, uint32_t pid, bool exe,
		     struct sample_image *i)
{
	struct kept_file *f = find_known(k, pid, exe, i);

	f = f ? f : find_or_keep(k, pid, exe, i);
	if (f)
		i->file = f->number;
	return f && put(k, l, i, (uint32_t)(f - k->files));
}

void kept_files_copy(struct kept_files *k, struct kept_list *to, const struct kept_list *from)
{
	if (vec_reserve(&to->at, &to->cap, from->n + 1))
		return;
	for (size_t i = 0; i < from->n; i++) {
		to->at[to->n++] = from->at[i];
		k->files[from->at[i].file].users++;
	}
}

int kept_files_open(const struct kept_files *k, const struct kept_list *l,
		    const struct sample_image *i)
{
	struct stat st;

	for (size_t at = l->n; at-- > 0;) { /* the later one counts */
		if (l->at[at].start != i->start)
			continue;
		const struct kept_file *f = &k->files[l->at[at].file];

		if (fstat(f->fd, &st) || !same_contents(f, &st))
			return -ESTALE;
		int fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);

		return fd < 0 ? -errno : fd;
	}
	return -ENOENT;
}

void kept_files_drop(struct kept_files *k, struct kept_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct kept_file *f = &k->files[l->at[i].file];

		if (--f->users)
			continue;
		close(f->fd);
		f->fd = -1;
		k->n_open--;
	}
	free(l->at);
	*l = (struct kept_list){ 0 };
}

int kept_files_describe(const struct kept_files *k, struct trace_info *end)
{
	if (!k->no_room)
		return 0;
	return trace_info_setf(end, KEY_WARN_FILES,
			       "there was no room to keep the files of %" PRIu64
			       " images open: names may be missing where such a file was gone when "
			       "they were looked up",
			       k->no_room);
}

void kept_files_free(struct kept_files *k)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->files[i].fd >= 0)
			close(k->files[i].fd);
	free(k->files);
	*k = (struct kept_files){ 0 };
}
