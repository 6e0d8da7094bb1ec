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
	return f->number && f->ino == st->st_ino && f->dev == st->st_dev &&
	       f->bytes == st->st_size && f->changed.tv_sec == st->st_mtim.tv_sec &&
	       f->changed.tv_nsec == st->st_mtim.tv_nsec;
}

/* The place of a new one. Running processes keep theirs as long as there are others. */
static struct lang_file *place(struct langs *l)
{
	bool used[LANG_FILES] = { false };

	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < LANG_FILES; k++)
			used[k] |= l->files[k].number == l->processes[i].file;
	for (size_t k = 0; k < LANG_FILES && used[l->next_file % LANG_FILES]; k++)
		l->next_file++;
	return &l->files[l->next_file++ % LANG_FILES];
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
	struct lang_file *f = place(l);

	free(f->path);
	*f = (struct lang_file){ .dev = st.st_dev,
				 .ino = st.st_ino,
				 .bytes = st.st_size,
				 .changed = st.st_mtim,
				 .number = ++l->n_files,
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
	l->owners[p->python.serial % LANG_SERIALS] = (struct lang_owner){ p->python.serial,
									  p->file };
	const int err = sample_bpf_python(l->bpf, p->pid, &p->python);

	if (!err)
		return;
	l->refused++;
	log_debug("process %u: frames of %s are not read: %s", p->pid, lang_python.name,
		  strerror(-err));
}

static struct lang_process process_of(uint32_t pid, const struct sample_image *x,
				      const struct lang_file *f)
{
	const struct lang_layout *layout = &f->layout;
	/* What link-time addresses have to be moved by. */
	const uint64_t bias = x->start - (layout->vaddr + x->file_off - layout->file_off);
	struct lang_process p = {
		.pid = pid, .file = f->number, .start = x->start, .python = layout->python
	};

	p.python.interpreters += bias;
	p.python.code_type += bias;
	return p;
}

/* Another part of the same interpreter is no other one. */
static bool is_known(const struct lang_process *known, const struct lang_process *p)
{
	return known && known->file == p->file &&
	       known->python.interpreters == p->python.interpreters;
}

static bool add(struct langs *l, const struct lang_process *p)
{
	if (vec_reserve(&l->processes, &l->cap, l->n + 1)) {
		l->err = -ENOMEM;
		return false;
	}
	l->processes[l->n++] = *p;
	pass(l, &l->processes[l->n - 1]);
	return true;
}

bool langs_map(struct langs *l, uint32_t pid, const struct sample_image *images, size_t count)
{
	unsigned looks = 0;

	for (size_t i = 0; i < count && looks < LANG_LOOKS; i++) {
		const struct sample_image *x = &images[i];

		if (!may_have(x))
			continue;
		const struct lang_process *known = find_process(l, pid);

		if (known && x->start == known->start)
			return true;
		const struct lang_file *f = find(l, pid, x);

		looks++;
		if (!f)
			continue;
		const struct lang_process p = process_of(pid, x, f);

		if (is_known(known, &p))
			return true;
		langs_unmap(l, pid);
		return add(l, &p);
	}
	return false;
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
	struct sample_python_record *last = &l->last[r->h.tid % LANG_THREADS];

	memcpy(last, r, offsetof(struct sample_python_record, frames));
	if (last->n > SAMPLE_PYTHON_FRAMES)
		last->n = SAMPLE_PYTHON_FRAMES;
	memcpy(last->frames, r->frames, last->n * sizeof(*r->frames));
}

static void make_room(struct langs *l, struct trace_writer *w)
{
	const int err = lang_names_full(&l->names) ? langs_write(l, w) : 0;

	l->err = l->err ? l->err : err;
}

void langs_take_code(struct langs *l, struct trace_writer *w, const struct sample_code_record *r)
{
	make_room(l, w);
	const int err = lang_names_take(&l->names, r);

	l->err = l->err ? l->err : err;
}

/* The file's place may have another one since. */
static const char *path_of(const struct langs *l, uint32_t serial)
{
	const struct lang_owner *o = &l->owners[serial % LANG_SERIALS];

	for (size_t i = 0; i < LANG_FILES && o->serial == serial; i++)
		if (l->files[i].number == o->file && l->files[i].path)
			return l->files[i].path;
	return lang_python.name;
}

/* Functions without code belong to the interpreter's file. */
static int put_image(struct langs *l, struct trace_writer *w, uint32_t process, uint32_t serial)
{
	const struct sample_image i = { .process = process,
					.kind = IMAGE_FILE,
					.start = LANG_ADDRESS_FROM,
					.end = LANG_ADDRESS_TO,
					.path = path_of(l, serial) };
	uint32_t number;

	if (vec_reserve(&l->has_image, &l->cap_has_image, (size_t)process + 1))
		return -ENOMEM;
	if (l->has_image[process])
		return 0;
	l->has_image[process] = 1;
	return trace_writer_image(w, &i, &number);
}

uint32_t langs_stack(struct langs *l, struct trace_writer *w, const struct sample_record *r,
		     uint32_t process, const uint64_t *pcs, uint32_t n, uint64_t *to)
{
	const struct sample_python_record *last = &l->last[r->h.tid % LANG_THREADS];
	const bool has = r->flags & SAMPLE_PYTHON && last->h.tid == r->h.tid &&
			 last->h.ts_ns == r->h.ts_ns;

	l->lost += r->flags & SAMPLE_PYTHON && !has;
	if (!has) {
		memcpy(to, pcs, n * sizeof(*to));
		return n;
	}
	make_room(l, w);
	const int err = put_image(l, w, process, last->serial);

	l->err = l->err ? l->err : err;
	return lang_stack(&l->names, last, process, pcs, n, to, STACK_MAX_FRAMES);
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
	l->lost = l->refused = 0;
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
