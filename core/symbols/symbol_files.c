// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/symbol_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/foreign_file.h"
#include "base/vec.h"
#include "symbols/debuginfod.h"

/* An image, and who has it mapped. */
struct asked {
	const struct sample_image *x;
	uint32_t pid;
};

/* Returns whether it is the same file. A file's number decides. Where there is none, processes that
 * see the same files have the same file at a path. A process has one file at one place until it
 * executes another program. A build ID proves nothing, because whoever makes a file chooses it. All
 * code that a process makes has one map. */
static bool same_file(const struct symbols_file *f, const struct asked *a)
{
	const struct sample_image *x = a->x, *y = &f->of;

	if (x->kind != y->kind || x->build_id_len != y->build_id_len ||
	    memcmp(x->build_id, y->build_id, x->build_id_len) != 0)
		return false;
	if (x->kind == IMAGE_FILE && (x->file || y->file))
		return x->file == y->file &&
		       (!f->of_view || (x->view == f->of_view && x->view != 0));
	if (strcmp(x->path, y->path) != 0)
		return false;
	if (x->build_id_len && x->view == y->view)
		return true;
	return x->process == y->process &&
	       (x->kind == IMAGE_PERF_MAP || x->start - x->file_off == y->start - y->file_off);
}

static uint32_t hash_path(const struct sample_image *x)
{
	return hash_bytes(x->path, strlen(x->path));
}

/* Of what same_file compares. */
static uint32_t hash_file(const struct sample_image *x)
{
	if (x->kind == IMAGE_FILE && x->file)
		return hash_u64_pair(x->file, x->kind);
	if (x->build_id_len)
		return hash_u64_pair(hash_bytes(x->build_id, x->build_id_len), hash_path(x));
	return hash_u64_pair(x->kind == IMAGE_PERF_MAP ? 0 : x->start - x->file_off,
			     hash_u64_pair(hash_path(x), x->process) ^ x->kind);
}

/* A file that could not be opened is tried again in another place. */
static uint32_t hash_place(const struct sample_image *x, uint32_t pid)
{
	return hash_u64_pair(hash_file(x), (uint64_t)hash_path(x) << 32 | pid);
}

static int put(struct symbol_files *f, uint32_t i)
{
	const struct symbols_file *x = &f->cache->files[i];

	return x->file && !x->alone ? hash_index_put(&f->opened, hash_file(&x->of), i)
				    : hash_index_put(&f->missed, hash_place(&x->of, x->pid), i);
}

/* For reading DWARF, of all files. */
#define INLINES_NS    (10 * 1000000000ull)
#define INLINES_BYTES (512u << 20)

int symbol_files_begin(struct symbol_files *f, const struct sample_tables *t,
		       const struct symbols_options *opt)
{
	*f = (struct symbol_files){ .t = t, .opt = opt };
	f->cache = opt->cache ? opt->cache : &f->own;
	f->begin_ns = f->cache->now_ns = clock_monotonic_ns();
	f->deadline_ns = f->begin_ns + (opt->most_ns ? opt->most_ns : SYMBOLS_MOST_NS);
	f->left_bytes = opt->most_bytes ? opt->most_bytes : SYMBOLS_MOST_BYTES;
	f->inlines = (struct inline_budget){ INLINES_NS, opt->hold_bytes ? opt->hold_bytes / 4
									 : INLINES_BYTES };
	if (opt->debuginfod)
		f->debuginfod = debuginfod_new(opt->debuginfod, DEBUGINFOD_MOST_NS);
	f->file_of = calloc(t->n_images + 1, sizeof(*f->file_of));

	int err = f->file_of ? 0 : -ENOMEM;

	for (size_t i = 0; i < f->cache->n && !err; i++)
		err = put(f, (uint32_t)i);
	return err;
}

/* False: not known. */
static bool owner_of(const struct symbol_files *f, const struct sample_image *x, uint32_t pid,
		     uid_t *owner)
{
	if (!f->opt->here || x->process == TRACE_NONE)
		return false;
	return f->opt->owner ? f->opt->owner(f->opt->ctx, x->process, owner)
			     : !foreign_file_owner(pid, owner);
}

/* See symbols_options.file. */
static int open_seen(const struct symbol_files *f, const struct sample_image *x)
{
	const bool has = f->opt->file && x->kind == IMAGE_FILE && x->process != TRACE_NONE;

	return has ? f->opt->file(f->opt->ctx, x) : -ENOENT;
}

static struct asked ask(const struct symbol_files *f, const struct sample_image *x)
{
	return (struct asked){ .x = x,
			       .pid = x->process == TRACE_NONE ? 0
							       : f->t->processes[x->process].pid };
}

static struct image_file *read_file(const struct symbol_files *f, const struct sample_image *x,
				    uint32_t pid)
{
	uid_t owner;
	const int fd = open_seen(f, x);
	const uint64_t alone_ns = foreign_file_deadline();
	const struct image_place at = { .debuginfod = f->debuginfod,
					.most_bytes = f->opt->hold_bytes / 2,
					.pid = pid,
					.fd = fd,
					.here = f->opt->here,
					.owner = owner_of(f, x, pid, &owner) ? &owner : NULL,
					.deadline_ns = alone_ns < f->deadline_ns ? alone_ns
										 : f->deadline_ns };
	struct image_file *file = image_file_open(x, &at);
	const int err = errno;

	if (fd >= 0)
		close(fd);
	errno = err;
	return file;
}

/* May another file be read? 0 or the error of one that is not. */
static int may_read(struct symbol_files *f)
{
	const int err = foreign_file_may_go_on_since(f->begin_ns, f->deadline_ns);

	f->too_long |= err == -ETIMEDOUT;
	f->too_much |= !f->left_bytes;
	return err == -EINTR ? ECANCELED : err || !f->left_bytes ? ETIMEDOUT : 0;
}

static uint64_t held_bytes(const struct symbols_cache *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->files[i].file ? image_file_bytes(c->files[i].file) : 0;
	return n;
}

/* For one more file: the kernel's names stay, which many ask for. */
static void make_room(struct symbol_files *f)
{
	struct symbols_cache *c = f->cache;
	uint64_t held = f->opt->hold_bytes ? held_bytes(c) : 0;

	while (held > f->opt->hold_bytes / 2) {
		struct symbols_file *least = NULL;

		for (size_t i = 0; i < c->n; i++)
			if (c->files[i].file && c->files[i].of.kind != IMAGE_KERNEL &&
			    (!least || c->files[i].asked < least->asked))
				least = &c->files[i];
		if (!least)
			return;
		held -= image_file_bytes(least->file);
		image_file_close(least->file);
		least->file = NULL;
		least->closed = true;
		c->closed++;
	}
}

#define NO_VIEW 2 /* no process has this one: they are odd */

static void read_into(struct symbol_files *f, struct symbols_file *to, const struct sample_image *x,
		      uint32_t pid)
{
	to->closed = false;
	to->of_view = 0;
	to->err = may_read(f);
	if (to->err)
		return;
	make_room(f);
	to->file = read_file(f, x, pid);
	to->err = to->file ? 0 : errno;
	to->had_debug = to->file && image_file_has_debug(to->file);
	if (to->file && x->kind == IMAGE_FILE && image_file_of_process(to->file))
		to->of_view = x->view && x->view == foreign_file_view(pid) ? x->view : NO_VIEW;

	const uint64_t bytes = to->file && !f->opt->hold_bytes ? image_file_bytes(to->file) : 0;

	f->left_bytes -= bytes < f->left_bytes ? bytes : f->left_bytes;
}

/* Takes over what was read. */
static int keep(struct symbol_files *f, const struct symbols_file *given)
{
	struct symbols_cache *c = f->cache;
	struct symbols_file new = *given;

	new.of.path = strdup(given->of.path);
	if (!new.of.path || vec_reserve(&c->files, &c->cap, c->n + 1)) {
		image_file_close(new.file);
		free((char *)new.of.path);
		return -ENOMEM;
	}
	c->files[c->n++] = new;
	return put(f, (uint32_t)c->n - 1);
}

static int add_file(struct symbol_files *f, const struct asked *a)
{
	struct symbols_file to = { .of = *a->x, .pid = a->pid };

	read_into(f, &to, a->x, a->pid);
	return keep(f, &to);
}

/*
 * One that was closed, as this process has it: what was read for another may be out of its reach,
 * or gone. Then it has what there is for itself, in *i, and others try where they have it.
 */
static int read_again(struct symbol_files *f, const struct asked *a, uint32_t *i)
{
	struct symbols_file *old = &f->cache->files[*i];
	struct symbols_file now = { .of = *a->x, .pid = a->pid };

	read_into(f, &now, a->x, a->pid);
	if (now.file && now.had_debug >= old->had_debug) {
		old->file = now.file;
		old->closed = false;
		return 0;
	}
	if (now.err != ETIMEDOUT && !f->unread_again++)
		f->unread_path = strdup(a->x->path);
	now.alone = true;
	*i = (uint32_t)f->cache->n;
	return keep(f, &now);
}

static uint32_t find_opened(const struct symbol_files *f, const struct asked *a)
{
	const uint32_t hash = hash_file(a->x);
	size_t at;
	uint32_t i = hash_index_first(&f->opened, hash, &at);

	while (i != HASH_NONE && !same_file(&f->cache->files[i], a))
		i = hash_index_next(&f->opened, hash, &at);
	return i;
}

static bool same_place(const struct symbols_file *f, const struct asked *a)
{
	return same_file(f, a) && a->pid == f->pid && !strcmp(a->x->path, f->of.path);
}

static uint32_t find_missed(const struct symbol_files *f, const struct asked *a)
{
	const uint32_t hash = hash_place(a->x, a->pid);
	size_t at;
	uint32_t i = hash_index_first(&f->missed, hash, &at);

	while (i != HASH_NONE && !same_place(&f->cache->files[i], a))
		i = hash_index_next(&f->missed, hash, &at);
	return i;
}

/* The number of a file of the cache; HASH_NONE: none is it. */
static uint32_t find(const struct symbol_files *f, const struct asked *a)
{
	const uint32_t opened = find_opened(f, a);

	if (opened != HASH_NONE && !f->cache->files[opened].closed)
		return opened;
	const uint32_t missed = find_missed(f, a);

	return missed == HASH_NONE ? opened : missed;
}

const struct symbols_file *symbol_files_get(struct symbol_files *f, uint32_t image)
{
	struct symbols_cache *c = f->cache;
	struct asked a = { 0 };

	if (!f->file_of[image] || c->files[f->file_of[image] - 1].closed)
		a = ask(f, &f->t->images[image]);
	if (!f->file_of[image]) {
		uint32_t i = find(f, &a);

		if (i == HASH_NONE) {
			i = (uint32_t)c->n;
			if (add_file(f, &a))
				return NULL;
		}
		f->file_of[image] = i + 1;
	}
	uint32_t at = f->file_of[image] - 1;

	if (c->files[at].closed && !c->files[at].alone && read_again(f, &a, &at))
		return NULL;
	f->file_of[image] = at + 1;
	struct symbols_file *found = &c->files[at];

	if (found->closed)
		read_into(f, found, a.x, a.pid);
	found->used_ns = c->now_ns;
	found->asked = ++c->asked;
	return found;
}

/* ---- what stays for the next call */

#define CACHE_NS    (600 * 1000000000ull) /* what nothing asks for is forgotten after so long */
#define CACHE_FILES 64                    /* so many stay at most */
#define CACHE_BYTES (256u << 20)          /* that they take together, where nobody says less */

static void close_file(struct symbols_file *f)
{
	image_file_close(f->file);
	free((char *)f->of.path);
}

static int used_last(const void *x, const void *y)
{
	const struct symbols_file *a = x, *b = y;

	return (a->used_ns < b->used_ns) - (a->used_ns > b->used_ns);
}

/* Closes files that may be another one the next time, that nobody has asked for, or that are too
 * many. */
static void tidy(struct symbols_cache *c, uint64_t most_bytes)
{
	size_t n = 0, bytes = 0;

	if (c->n)
		qsort(c->files, c->n, sizeof(*c->files), used_last);
	for (size_t i = 0; i < c->n; i++) {
		struct symbols_file *f = &c->files[i];
		bool stays = (f->of.kind == IMAGE_KERNEL || f->of.kind == IMAGE_VDSO ||
			      f->of.file) &&
			     !f->alone;

		bytes += f->file ? image_file_bytes(f->file) : 0;
		if (f->file && stays && n < CACHE_FILES && c->now_ns - f->used_ns < CACHE_NS &&
		    (bytes <= most_bytes || f->of.kind == IMAGE_KERNEL))
			c->files[n++] = *f;
		else
			close_file(f);
	}
	c->n = n;
}

void symbols_cache_free(struct symbols_cache *c)
{
	for (size_t i = 0; i < c->n; i++)
		close_file(&c->files[i]);
	free(c->files);
	*c = (struct symbols_cache){ 0 };
}

void symbol_files_end(struct symbol_files *f)
{
	debuginfod_free(f->debuginfod);
	symbols_cache_free(&f->own);
	if (f->opt->cache)
		tidy(f->opt->cache, f->opt->hold_bytes ? f->opt->hold_bytes / 2 : CACHE_BYTES);
	hash_index_free(&f->opened);
	hash_index_free(&f->missed);
	free(f->file_of);
	free(f->unread_path);
}
