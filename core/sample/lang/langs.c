// SPDX-License-Identifier: BSD-2-Clause
#include "sample/lang/langs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample/lang/lang_stack.h"
#include "sample/maps.h"
#include "base/log.h"
#include "base/vec.h"

/* ---- files */

static bool is_file(const struct lang_file *f, const struct stat *st)
{
	return f->used && f->ino == st->st_ino && f->dev == st->st_dev && f->bytes == st->st_size &&
	       f->changed.tv_sec == st->st_mtim.tv_sec && f->changed.tv_nsec == st->st_mtim.tv_nsec;
}

/* NULL: it is no file. */
static const struct lang_file *find_open(struct langs *l, int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	for (size_t i = 0; i < LANG_FILES; i++)
		if (is_file(&l->files[i], &st))
			return &l->files[i];
	struct lang_file *f = &l->files[l->next_file++ % LANG_FILES];

	free(f->path);
	*f = (struct lang_file){ .dev = st.st_dev,
				 .ino = st.st_ino,
				 .bytes = st.st_size,
				 .changed = st.st_mtim,
				 .used = true,
				 .path = strdup(path) };
	const int err = f->path ? lang_python.recognize(fd, &f->layout) : -ENOMEM;

	f->has = !err;
	if (err)
		log_debug("%s: no frames of %s: %s", path, lang_python.name, strerror(-err));
	return f;
}

static bool may_have(const struct sample_image *x)
{
	size_t len;
	const char *name = sample_image_file(x, &len);

	if (len > 3 && !strncmp(name, "lib", 3))
		name += 3;
	return x->kind == IMAGE_FILE &&
	       !strncmp(name, lang_python.file_word, strlen(lang_python.file_word));
}

static const struct lang_file *find(struct langs *l, uint32_t pid, const struct sample_image *x)
{
	if (!may_have(x))
		return NULL;
	const int fd = maps_open_seen(pid, x);
	const struct lang_file *f = fd < 0 ? NULL : find_open(l, fd, x->path);

	if (fd >= 0)
		close(fd);
	return f && f->has ? f : NULL;
}

/* ---- processes */

static struct lang_process *find_process(const struct langs *l, uint32_t pid)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->processes[i].pid == pid)
			return &l->processes[i];
	return NULL;
}

static void pass(struct langs *l, struct lang_process *p)
{
	p->python.serial = ++l->last_serial;
	l->file_of[p->python.serial % LANG_SERIALS] = (uint8_t)p->file;
	const int err = sample_bpf_python(l->bpf, p->pid, &p->python);

	if (err)
		log_debug("process %u: frames of %s are not read: %s", p->pid, lang_python.name,
			  strerror(-err));
}

static void add(struct langs *l, uint32_t pid, const struct sample_image *x,
		const struct lang_file *f)
{
	const struct lang_layout *layout = &f->layout;
	/* What link-time addresses have to be moved by. */
	const uint64_t bias = x->start - (layout->vaddr + x->file_off - layout->file_off);
	struct lang_process p = { .pid = pid,
				  .file = (uint32_t)(f - l->files),
				  .start = x->start,
				  .python = layout->python };

	if (vec_reserve(&l->processes, &l->cap, l->n + 1)) {
		l->err = -ENOMEM;
		return;
	}
	p.python.interpreters += bias;
	p.python.code_type += bias;
	l->processes[l->n++] = p;
	pass(l, &l->processes[l->n - 1]);
}

void langs_map(struct langs *l, uint32_t pid, const struct sample_image *images, size_t count)
{
	const struct lang_process *known = find_process(l, pid);

	for (size_t i = 0; i < count; i++) {
		const struct sample_image *x = &images[i];

		if (known && x->start == known->start)
			return;
		const struct lang_file *f = find(l, pid, x);

		if (!f)
			continue;
		langs_unmap(l, pid);
		add(l, pid, x, f);
		return;
	}
}

void langs_unmap(struct langs *l, uint32_t pid)
{
	struct lang_process *p = find_process(l, pid);

	if (!p)
		return;
	sample_bpf_python(l->bpf, pid, NULL);
	*p = l->processes[--l->n];
}

/* ---- samples */

void langs_take_frames(struct langs *l, const struct sample_python_record *r)
{
	memcpy(&l->last, r, offsetof(struct sample_python_record, frames));
	if (l->last.n > SAMPLE_PYTHON_FRAMES)
		l->last.n = SAMPLE_PYTHON_FRAMES;
	memcpy(l->last.frames, r->frames, l->last.n * sizeof(*r->frames));
}

void langs_take_code(struct langs *l, const struct sample_code_record *r)
{
	const int err = lang_names_take(&l->names, r);

	l->err = l->err ? l->err : err;
}

/* Functions without code belong to the interpreter's file. */
static int put_image(struct langs *l, struct trace_writer *w, uint32_t process)
{
	const struct lang_file *f = &l->files[l->file_of[l->last.serial % LANG_SERIALS]];
	const struct sample_image i = { .process = process,
					.kind = IMAGE_FILE,
					.start = LANG_ADDRESS_FROM,
					.end = LANG_ADDRESS_TO,
					.path = f->path };
	uint32_t number;

	if (vec_reserve(&l->has_image, &l->cap_has_image, (size_t)process + 1))
		return -ENOMEM;
	if (l->has_image[process] || !f->path)
		return 0;
	l->has_image[process] = 1;
	return trace_writer_image(w, &i, &number);
}

uint32_t langs_stack(struct langs *l, struct trace_writer *w, const struct sample_record *r,
		     uint32_t process, const uint64_t *pcs, uint32_t n, uint64_t *to)
{
	const bool has = r->flags & SAMPLE_PYTHON && l->last.h.tid == r->h.tid &&
			 l->last.h.ts_ns == r->h.ts_ns;

	l->lost += r->flags & SAMPLE_PYTHON && !has;
	if (!has) {
		memcpy(to, pcs, n * sizeof(*to));
		return n;
	}
	const int err = put_image(l, w, process);

	l->err = l->err ? l->err : err;
	return lang_stack(&l->names, &l->last, process, pcs, n, to, STACK_MAX_FRAMES);
}

int langs_write(struct langs *l, struct trace_writer *w)
{
	int err = lang_names_write(&l->names, w);

	/* Names are sent again to whoever has another number. */
	for (size_t i = 0; i < l->n && l->n_dropped != l->names.n_dropped; i++)
		pass(l, &l->processes[i]);
	l->n_dropped = l->names.n_dropped;
	return err;
}

void langs_again(struct langs *l)
{
	lang_names_again(&l->names);
	if (l->cap_has_image)
		memset(l->has_image, 0, l->cap_has_image);
	l->lost = 0;
}

void langs_free(struct langs *l)
{
	for (size_t i = 0; i < LANG_FILES; i++)
		free(l->files[i].path);
	free(l->processes);
	free(l->has_image);
	lang_names_free(&l->names);
	*l = (struct langs){ 0 };
}
