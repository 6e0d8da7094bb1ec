// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/foreign_file.h"
#include "base/hash_index.h"
#include "base/log.h"
#include "base/vec.h"
#include "binary/goname.h"
#include "symbols/demangle.h"
#include "symbols/image_file.h"

struct address {
	uint64_t pc;
	uint32_t process; /* TRACE_NONE: the kernel */
};

struct symbols_file {
	struct image_file *file; /* NULL: it could not be opened */
	struct sample_image of;  /* the first of it; its path is owned */
	uint32_t pid;
	int err;
	uint64_t used_ns; /* CLOCK_MONOTONIC, by the last call */
};

struct resolving {
	const struct sample_tables *t;
	struct sample_tables *out;
	const struct symbols_options *opt;
	uint64_t deadline_ns; /* of reading what others name */
	struct symbols_counts counts;
	struct address *addresses;
	size_t n, cap;
	struct symbols_cache own, *cache; /* own: where the caller has none */
	/* of each image: its file, 0 not tried, else its index + 1 */
	uint32_t *file_of;
	uint32_t *by_process; /* images by process, those of one as the table has them */
	uint32_t *images;     /* in there: of the process at hand */
	size_t n_images;
	struct hash_index by_name; /* of out's symbols */
};

static int by_place(const void *x, const void *y)
{
	const struct address *a = x, *b = y;
	int c = compare_u64(a->process, b->process);

	return c ? c : compare_u64(a->pc, b->pc);
}

/* Those that t does not tell of, each once, in order. */
static int collect(struct resolving *r)
{
	const struct sample_tables *t = r->t;
	size_t kept = 0;

	for (size_t i = 0; i < t->n_stacks; i++) {
		const struct sample_stack *s = &t->stacks[i];

		if (r->opt->only && (s->process >= r->opt->n_only || !r->opt->only[s->process]))
			continue;
		if (vec_reserve(&r->addresses, &r->cap, r->n + s->n))
			return -ENOMEM;
		for (uint32_t k = 0; k < s->n; k++) {
			bool kernel = sample_in_kernel(s->pcs[k]);

			if (!sample_tables_find(t, s->process, s->pcs[k]))
				r->addresses[r->n++] = (struct address){ s->pcs[k],
									 kernel ? TRACE_NONE
										: s->process };
		}
	}
	if (r->n)
		qsort(r->addresses, r->n, sizeof(*r->addresses), by_place);
	for (size_t i = 0; i < r->n; i++)
		if (!i || by_place(&r->addresses[i], &r->addresses[i - 1]))
			r->addresses[kept++] = r->addresses[i];
	r->n = kept;
	return 0;
}

static int image_by_process(const void *x, const void *y, void *ctx)
{
	const struct sample_image *images = ctx;
	const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = compare_u64(images[a].process, images[b].process);

	return c ? c : compare_u64(a, b);
}

static int sort_images(struct resolving *r)
{
	r->by_process = calloc(r->t->n_images + 1, sizeof(*r->by_process));
	if (!r->by_process)
		return -ENOMEM;
	for (size_t i = 0; i < r->t->n_images; i++)
		r->by_process[i] = (uint32_t)i;
	if (r->t->n_images)
		qsort_r(r->by_process, r->t->n_images, sizeof(*r->by_process), image_by_process,
			r->t->images);
	return 0;
}

static void take_images(struct resolving *r, uint32_t process)
{
	size_t low = 0, high = r->t->n_images;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->t->images[r->by_process[middle]].process < process)
			low = middle + 1;
		else
			high = middle;
	}
	r->images = r->by_process + low;
	for (r->n_images = 0; low + r->n_images < r->t->n_images &&
			      r->t->images[r->images[r->n_images]].process == process;)
		r->n_images++;
}

/* The later one counts. TRACE_NONE: none. */
static uint32_t image_at(const struct resolving *r, uint64_t pc)
{
	for (size_t i = r->n_images; i-- > 0;) {
		const struct sample_image *x = &r->t->images[r->images[i]];

		if (pc >= x->start && pc < x->end)
			return r->images[i];
	}
	return TRACE_NONE;
}

/* Would they be the same file? A build id says so wherever the file is; without one only what one
 * process has loaded to one place, between its execs. */
static bool same_file(const struct sample_image *a, const struct sample_image *b)
{
	return a->kind == b->kind && a->build_id_len == b->build_id_len &&
	       !memcmp(a->build_id, b->build_id, a->build_id_len) &&
	       (a->build_id_len || (a->process == b->process && !strcmp(a->path, b->path) &&
				    a->start - a->file_off == b->start - b->file_off));
}

/* False: not known. */
static bool owner_of(const struct resolving *r, const struct sample_image *x, uint32_t pid,
		     uid_t *owner)
{
	if (!r->opt->here || x->process == TRACE_NONE)
		return false;
	return r->opt->owner ? r->opt->owner(r->opt->ctx, x->process, owner)
			     : !foreign_file_owner(pid, owner);
}

static struct symbols_file *open_file(struct resolving *r, const struct sample_image *x,
				      uint32_t pid)
{
	uid_t owner;
	const bool has = r->opt->file && x->kind == IMAGE_FILE && x->process != TRACE_NONE;
	const int fd = has ? r->opt->file(r->opt->ctx, x) : -ENOENT;
	const struct image_place at = { .pid = pid,
					.fd = fd,
					.here = r->opt->here,
					.owner = owner_of(r, x, pid, &owner) ? &owner : NULL,
					.deadline_ns = r->deadline_ns };
	struct symbols_cache *c = r->cache;
	struct symbols_file f = { .of = *x, .pid = pid };

	f.of.path = strdup(x->path);
	bool room = f.of.path && !vec_reserve(&c->files, &c->cap, c->n + 1);

	f.file = room ? image_file_open(x, &at) : NULL;
	f.err = f.file ? 0 : errno;
	if (fd >= 0)
		close(fd);
	if (!room) {
		free((char *)f.of.path);
		return NULL;
	}
	c->files[c->n++] = f;
	return &c->files[c->n - 1];
}

/* Of a file that could not be opened: would it be tried in the same place? */
static bool is_at(const struct sample_image *x, uint32_t pid, const struct symbols_file *f)
{
	return pid == f->pid && !strcmp(x->path, f->of.path);
}

static struct symbols_file *file_of(struct resolving *r, uint32_t image)
{
	const struct sample_image *x = &r->t->images[image];
	const uint32_t pid = x->process == TRACE_NONE ? 0 : r->t->processes[x->process].pid;
	struct symbols_cache *c = r->cache;

	for (size_t i = 0; !r->file_of[image] && i < c->n; i++)
		if (same_file(x, &c->files[i].of) &&
		    (c->files[i].file || is_at(x, pid, &c->files[i])))
			r->file_of[image] = (uint32_t)i + 1;
	if (!r->file_of[image]) {
		if (!open_file(r, x, pid))
			return NULL;
		r->file_of[image] = (uint32_t)c->n;
	}
	c->files[r->file_of[image] - 1].used_ns = c->now_ns;
	return &c->files[r->file_of[image] - 1];
}

#define CACHE_NS    (600 * 1000000000ull) /* what nothing asks for is forgotten after so long */
#define CACHE_FILES 64                    /* so many stay at most */
#define CACHE_BYTES (256u << 20)          /* that they take together */

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

/* Files that may be another one the next time, or that nobody has asked for. */
static void tidy(struct symbols_cache *c)
{
	size_t n = 0, bytes = 0;

	if (c->n)
		qsort(c->files, c->n, sizeof(*c->files), used_last);
	for (size_t i = 0; i < c->n; i++) {
		struct symbols_file *f = &c->files[i];
		bool stays = f->of.kind == IMAGE_KERNEL || f->of.kind == IMAGE_VDSO ||
			     f->of.build_id_len;

		bytes += f->file ? image_file_bytes(f->file) : 0;
		if (f->file && stays && n < CACHE_FILES && c->now_ns - f->used_ns < CACHE_NS &&
		    (bytes <= CACHE_BYTES || f->of.kind == IMAGE_KERNEL))
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

/* ---- symbols, each once */

static uint32_t hash_symbol(const struct goframe *f, uint8_t kind)
{
	uint32_t crc = (uint32_t)crc32_z(kind, (const uint8_t *)f->func, strlen(f->func));

	return hash_u64_pair(crc, f->start_line);
}

static bool same_symbol(const struct sample_symbol *s, const struct goframe *f, uint8_t kind)
{
	return s->kind == kind && s->start_line == f->start_line && !s->file == !f->file &&
	       (!s->file || !strcmp(s->file, f->file)) &&
	       !strcmp(s->linker ? s->linker : s->name, f->func);
}

static char *display_of(const struct goframe *f, uint8_t kind)
{
	const bool go = kind == SYMBOL_GO || kind == SYMBOL_GO_WRAPPER;
	char *name = go ? goname_display(f->func) : demangle(f->func);

	return name ? name : strdup(f->func);
}

static int symbol_of(struct resolving *r, const struct goframe *f, uint8_t kind, uint32_t *symbol)
{
	uint32_t hash = hash_symbol(f, kind);
	size_t at;

	for (uint32_t i = hash_index_first(&r->by_name, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&r->by_name, hash, &at))
		if (same_symbol(&r->out->symbols[i], f, kind)) {
			*symbol = i;
			return 0;
		}
	char *name = display_of(f, kind);
	const struct sample_symbol s = { .name = name,
					 .linker = name && strcmp(name, f->func) ? f->func : NULL,
					 .file = f->file,
					 .start_line = f->start_line,
					 .kind = kind };
	int err = name ? sample_tables_symbol(r->out, &s) : -ENOMEM;

	free(name);
	*symbol = (uint32_t)r->out->n_symbols - 1;
	return err ? err : hash_index_put(&r->by_name, hash, *symbol);
}

/* ---- addresses */

static int put_location(struct resolving *r, const struct address *a, const struct goframe *frames,
			size_t n, uint8_t kind)
{
	struct sample_frame of[LOCATION_MAX_FRAMES];
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		err = symbol_of(r, &frames[i], frames[i].wrapper ? SYMBOL_GO_WRAPPER : kind,
				&of[i].symbol);
		of[i].line = frames[i].line;
	}
	r->counts.found++;
	return err ? err
		   : sample_tables_location(r->out, &(struct sample_location){ a->pc, a->process,
									       (uint32_t)n, of });
}

static int resolve(struct resolving *r, const struct address *a)
{
	struct goframe frames[LOCATION_MAX_FRAMES];
	uint32_t image = image_at(r, a->pc);
	uint8_t kind;

	r->counts.addresses++;
	if (image == TRACE_NONE) {
		r->counts.no_image++;
		return 0;
	}
	const struct symbols_file *o = file_of(r, image);
	if (!o)
		return -ENOMEM;
	if (!o->file) {
		if (o->err == ENOMEM)
			return -ENOMEM;
		*(o->err == EPERM       ? &r->counts.no_kernel
		  : o->err == ECANCELED ? &r->counts.refused
					: &r->counts.no_file) += 1;
		return 0;
	}
	size_t n = image_file_frames(o->file, &r->t->images[image], a->pc, frames,
				     LOCATION_MAX_FRAMES, &kind);
	if (n)
		return put_location(r, a, frames, n, kind);
	r->counts.no_symbol++;
	return 0;
}

/* Locations name processes. */
static int copy_processes(struct resolving *r)
{
	int err = 0;

	for (size_t i = 0; i < r->t->n_processes && !err; i++)
		err = sample_tables_process(r->out, &r->t->processes[i]);
	return err;
}

int symbols_resolve(const struct sample_tables *t, const struct symbols_options *opt,
		    struct sample_tables *out, struct symbols_counts *counts)
{
	struct resolving r = { .t = t, .out = out, .opt = opt };
	int err;

	*out = (struct sample_tables){ 0 };
	r.cache = opt->cache ? opt->cache : &r.own;
	r.cache->now_ns = clock_monotonic_ns();
	r.deadline_ns = foreign_file_deadline();
	r.file_of = calloc(t->n_images + 1, sizeof(*r.file_of));
	err = r.file_of ? copy_processes(&r) : -ENOMEM;
	if (!err)
		err = sort_images(&r);
	if (!err)
		err = collect(&r);
	for (size_t i = 0; i < r.n && !err; i++) {
		if (!i || r.addresses[i].process != r.addresses[i - 1].process)
			take_images(&r, r.addresses[i].process);
		err = resolve(&r, &r.addresses[i]);
		err = err == -E2BIG ? 0 : err; /* it stays without a name */
	}
	if (err)
		log_no_memory("no memory for the symbols of the samples");
	symbols_cache_free(&r.own);
	if (opt->cache)
		tidy(opt->cache);
	hash_index_free(&r.by_name);
	free(r.file_of);
	free(r.by_process);
	free(r.addresses);
	if (counts)
		*counts = r.counts;
	return err;
}
