// SPDX-License-Identifier: BSD-2-Clause
#include "sample/natives.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample/maps.h"
#include "sample/natives_room.h"
#include "sample/shared_libraries.h"
#include "base/clock.h"
#include "base/foreign_file.h"
#include "base/log.h"
#include "base/vdso.h"
#include "base/vec.h"
#include "binary/ehframe.h"
#include "binary/foreign_elf.h"
#include "trace/keys.h"

_Static_assert(sizeof(struct ehframe_row) == sizeof(struct sample_row) &&
		       EHFRAME_SP == NATIVE_RSP && EHFRAME_FP == NATIVE_RBP &&
		       EHFRAME_END == NATIVE_END && EHFRAME_PLT == NATIVE_PLT &&
		       EHFRAME_SIGNAL == NATIVE_SIGNAL,
	       "handed over as they are");

/* Where the executable segment is linked. */
static int find_segment(struct native_file *to, int fd)
{
	GElf_Phdr ph;
	size_t n = 0;
	int err = -ENOEXEC;

	Elf *elf = foreign_elf_open(fd);

	if (elf && elf_getphdrnum(elf, &n))
		n = 0;
	for (size_t i = 0; i < n && err; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && ph.p_flags & PF_X) {
			to->vaddr = ph.p_vaddr;
			to->file_off = ph.p_offset;
			err = 0;
		}
	elf_end(elf);
	return err;
}

/* A file with the same rows, such as that of another container. */
static const struct native_file *find_twin(const struct natives *n, const struct native_file *of,
					   size_t n_rows)
{
	for (size_t i = 0; i < n->n; i++)
		if (n->files[i].used && n->files[i].n_rows == n_rows &&
		    n->files[i].digest == of->digest)
			return &n->files[i];
	return NULL;
}

static int add_rows(struct natives *n, struct native_file *to, int fd, const struct ehframe *e)
{
	to->digest = foreign_elf_digest(fd, e->rows, e->n * sizeof(*e->rows));
	const struct native_file *twin = find_twin(n, to, e->n);
	int err = twin || natives_make_room(n, e->n) ? 0 : -ENOSPC;

	if (twin)
		to->slot = twin->slot;
	else if (!err)
		err = sample_bpf_add_native(n->bpf, (const struct sample_row *)e->rows, e->n,
					    &to->slot);
	to->wants = err == -ENOSPC ? e->n : 0;
	if (err)
		return err;
	to->n_rows = (uint32_t)e->n;
	n->n_rows += twin ? 0 : e->n;
	n->n_slots += !twin;
	n->users[to->slot - SAMPLE_BINARIES]++;
	return 0;
}

/* Its rows, if it has any. again: it had none for want of room. */
static void compile(struct natives *n, struct native_file *to, int fd, const char *path, bool again)
{
	struct ehframe e = { 0 };
	int err = find_segment(to, fd);

	if (!err)
		err = ehframe_read(&e, fd, natives_most_rows(n));
	if (!err && !e.n)
		err = -ENOENT; /* a library of data has none */
	if (!err)
		err = add_rows(n, to, fd, &e);
	if (err) {
		n->no_room += !again && (err == -ENOSPC || err == -E2BIG || err == -ENOMEM);
		log_debug("%s: walked by frame pointers: %s", path, strerror(-err));
	}
	ehframe_free(&e);
}

static bool is_file(const struct native_file *f, const struct stat *st)
{
	return f->used && f->ino == st->st_ino && f->dev == st->st_dev && f->bytes == st->st_size &&
	       f->changed.tv_sec == st->st_mtim.tv_sec && f->changed.tv_nsec == st->st_mtim.tv_nsec;
}

/* Has it another build id than that, of which `bytes` may be 0: not known? */
static bool is_other(const struct native_file *f, const uint8_t *id, uint8_t bytes)
{
	return bytes && f->build_id_len &&
	       (f->build_id_len != bytes || memcmp(f->build_id, id, bytes) != 0);
}

/* Reads the identity of the file on fd. NULL: it is no file, or there is no memory. */
static const struct native_file *find_open(struct natives *n, int fd, const char *path,
					   const struct sample_image *x)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	struct native_file *f = NULL;

	for (size_t i = 0; i < n->n && !f; i++)
		if (is_file(&n->files[i], &st) &&
		    !is_other(&n->files[i], x ? x->build_id : NULL, x ? x->build_id_len : 0))
			f = &n->files[i];
	if (f && !natives_may_try(n, f)) {
		f->used = ++n->uses;
		return f;
	}
	const bool again = f;

	f = f ? f : natives_new_file(n);
	if (!f)
		return NULL;
	*f = (struct native_file){ .dev = st.st_dev,
				   .ino = st.st_ino,
				   .bytes = st.st_size,
				   .changed = st.st_mtim,
				   .used = ++n->uses };
	compile(n, f, fd, path, again);
	return f;
}

/* The file on fd, which is closed. x: what was found by it, or NULL. NULL: it is none (fd may be
 * -1), or no memory. */
static const struct native_file *find(struct natives *n, int fd, const char *path,
				      const struct sample_image *x)
{
	const struct native_file *f = find_open(n, fd, path, x);

	if (fd >= 0)
		close(fd);
	return f;
}

/* It is in no file: here it becomes one. */
static const struct native_file *find_vdso(struct natives *n)
{
	if (!n->vdso) {
		size_t size = 0;
		const char *bytes = vdso_bytes(&size);
		int fd = bytes ? memfd_create("vdso", MFD_CLOEXEC) : -1;

		if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) {
			if (fd >= 0)
				close(fd);
			return NULL;
		}
		const struct native_file *f = find(n, fd, "[vdso]", NULL);

		if (!f)
			return NULL;
		n->vdso = (size_t)(f - n->files) + 1;
	}
	n->files[n->vdso - 1].used = ++n->uses;
	return &n->files[n->vdso - 1];
}

/* Most files need not be opened to be known. */
static const struct native_file *find_by_number(struct natives *n, const struct sample_image *x)
{
	for (size_t i = 0; x->file && i < n->n; i++) {
		struct native_file *f = &n->files[i];

		if (!f->used || f->number != x->file)
			continue;
		if (natives_may_try(n, f))
			return NULL; /* it is to be opened */
		f->used = ++n->uses;
		return f;
	}
	return NULL;
}

static const struct native_file *find_image(struct natives *n, uint32_t pid,
					    const struct sample_image *x)
{
	if (x->kind == IMAGE_VDSO)
		return find_vdso(n);
	if (x->kind != IMAGE_FILE)
		return NULL;
	const struct native_file *f = find_by_number(n, x);

	if (f)
		return f;
	f = find(n, maps_open_seen(pid, x), x->path, x);
	if (f && (!f->build_id_len || !f->number)) {
		struct native_file *known = &n->files[f - n->files];

		memcpy(known->build_id, x->build_id, x->build_id_len);
		known->build_id_len = x->build_id_len;
		known->number = x->file;
	}
	return f;
}

bool natives_know(struct natives *n, uint32_t pid, const struct sample_image *x)
{
	n->call = n->uses;
	const struct native_file *f = find_image(n, pid, x);

	return f && f->n_rows;
}

static int map(struct natives *n, uint32_t pid, const struct sample_image *images, size_t count)
{
	struct sample_images to = { 0 };

	n->call = n->uses;
	/* Of those that overlap the later one counts. */
	for (size_t i = count; i-- > 0;) {
		const struct sample_image *x = &images[i];
		const struct native_file *f = find_image(n, pid, x);

		if (!f || !f->n_rows)
			continue;
		if (to.n == SAMPLE_IMAGES) {
			n->crowded = true;
			break;
		}
		to.at[to.n++] = (struct sample_native){
			.start = x->start,
			.end = x->end,
			.link = (uint32_t)(f->vaddr + x->file_off - f->file_off),
			.slot = f->slot,
			.n_rows = f->n_rows,
		};
	}
	/* Also when there are none: the process may have executed another program. */
	int err = sample_bpf_images(n->bpf, pid, &to);

	return err ? err : (int)to.n;
}

/* It was held still, and what it had mapped by then is known. */
static bool was_held(const struct natives *n, uint32_t pid, uint64_t ts_ns)
{
	return pid == n->held_pid && ts_ns <= n->held_ns;
}

int natives_map(struct natives *n, uint32_t pid, const struct sample_image *images, size_t count)
{
	/* One after the other, they would be fewer meanwhile. */
	if (count && was_held(n, pid, images[count - 1].from_ns))
		return (int)n->held_images;
	return map(n, pid, images, count);
}

void natives_unmap(struct natives *n, uint32_t pid, uint64_t ts_ns)
{
	const struct sample_images none = { 0 };

	if (!was_held(n, pid, ts_ns))
		sample_bpf_images(n->bpf, pid, &none);
}

void natives_hold(struct natives *n, uint32_t pid, const struct sample_image *images, size_t count)
{
	const int had = map(n, pid, images, count);

	n->held_images = had > 0 ? (uint32_t)had : 0;
	n->held_pid = pid;
	n->held_ns = clock_monotonic_ns();
}

struct preparing {
	struct natives *natives;
	const struct user *user;
};

/* The path comes from what the user executes: it is opened with the user's rights. */
static void prepare(void *ctx, const char *path)
{
	const struct preparing *p = ctx;

	if (user_enter(p->user))
		return;
	int fd = foreign_file_open(path,
				   &(struct foreign_rule){ .most_bytes = FOREIGN_BINARY_BYTES });

	user_leave(p->user);
	find(p->natives, fd, path, NULL);
}

void natives_prepare(struct natives *n, const char *path, const struct user *u)
{
	struct preparing p = { n, u };

	prepare(&p, path);
	shared_libraries_of(path, u, prepare, &p);
}

int natives_describe(const struct natives *n, struct trace_info *end)
{
	if (!n->no_room && !n->crowded)
		return 0;
	return trace_info_setf(end, KEY_WARN_NATIVES,
			       "there was no room for the unwinding tables of %" PRIu64 " %s%s: "
			       "such code is walked by frame pointers",
			       n->no_room, n->no_room == 1 ? "file" : "files",
			       n->crowded ? ", nor for all files of a process that has many" : "");
}

void natives_free(struct natives *n)
{
	free(n->files);
	*n = (struct natives){ 0 };
}
