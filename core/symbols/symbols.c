// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/foreign_file.h"
#include "base/hash_index.h"
#include "base/log.h"
#include "base/vec.h"
#include "binary/goname.h"
#include "symbols/demangle.h"
#include "symbols/symbol_files.h"
#include "trace/image_index.h"

struct address {
	uint64_t pc;
	uint32_t process; /* TRACE_NONE: the kernel */
};

struct resolving {
	const struct sample_tables *t;
	struct sample_tables *out;
	const struct symbols_options *opt;
	struct symbols_counts counts;
	struct address *addresses;
	size_t n, cap;
	struct symbol_files files;
	struct image_index images;
	struct hash_index by_name; /* of out's symbols */
};

static int by_place(const void *x, const void *y)
{
	const struct address *a = x, *b = y;
	int c = compare_u64(a->process, b->process);

	return c ? c : compare_u64(a->pc, b->pc);
}

/* Adds it, if it is not there yet. 0 or -ENOMEM */
static int add_address(struct resolving *r, struct hash_index *seen, struct address a)
{
	const uint32_t hash = hash_u64_pair(a.pc, a.process);
	size_t at;
	int err;

	for (uint32_t i = hash_index_first(seen, hash, &at); i != HASH_NONE;
	     i = hash_index_next(seen, hash, &at))
		if (!by_place(&r->addresses[i], &a))
			return 0;
	err = vec_reserve(&r->addresses, &r->cap, r->n + 1);
	if (!err)
		err = hash_index_put(seen, hash, (uint32_t)r->n);
	if (!err)
		r->addresses[r->n++] = a;
	return err;
}

static int collect_stack(struct resolving *r, struct hash_index *seen, const struct sample_stack *s)
{
	int err = 0;

	for (uint32_t k = 0; !err && k < s->n; k++) {
		const struct address a = { s->pcs[k],
					   sample_in_kernel(s->pcs[k]) ? TRACE_NONE : s->process };

		if (!sample_tables_find(r->t, s->process, s->pcs[k]))
			err = add_address(r, seen, a);
	}
	return err;
}

/* Those that t does not tell of, each once, in order. Stacks have most of theirs in common: memory
 * is taken for those that differ. */
static int collect(struct resolving *r)
{
	const struct sample_tables *t = r->t;
	struct hash_index seen = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < t->n_stacks; i++) {
		const struct sample_stack *s = &t->stacks[i];

		if (!r->opt->only || (s->process < r->opt->n_only && r->opt->only[s->process]))
			err = collect_stack(r, &seen, s);
	}
	if (r->n)
		qsort(r->addresses, r->n, sizeof(*r->addresses), by_place);
	hash_index_free(&seen);
	return err;
}

/* ---- symbols, each once */

static uint32_t hash_symbol(const struct goframe *f, uint8_t kind)
{
	return hash_u64_pair((uint64_t)kind << 32 | hash_bytes(f->func, strlen(f->func)),
			     f->start_line);
}

static bool same_symbol(const struct sample_symbol *s, const struct goframe *f, uint8_t kind)
{
	return s->kind == kind && s->start_line == f->start_line && !s->file == !f->file &&
	       (!s->file || !strcmp(s->file, f->file)) &&
	       !strcmp(s->linker ? s->linker : s->name, f->func);
}

#define SYMBOL_MOST 16384 /* bytes of a name: whoever makes a file may choose one of megabytes */

/* Cuts a longer name, and ends it by three points. */
static char *cut(char *name)
{
	if (name && strlen(name) > SYMBOL_MOST)
		strcpy(name + SYMBOL_MOST - 3, "...");
	return name;
}

static char *display_of(const struct goframe *f, uint8_t kind)
{
	const bool go = kind == SYMBOL_GO || kind == SYMBOL_GO_WRAPPER;
	char *name = go ? goname_display(f->func) : demangle(f->func);

	return cut(name ? name : strdup(f->func));
}

/* Its names are short enough. */
static int symbol_once(struct resolving *r, const struct goframe *f, uint8_t kind, uint32_t *symbol)
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

static int symbol_of(struct resolving *r, const struct goframe *f, uint8_t kind, uint32_t *symbol)
{
	struct goframe x = *f;
	char *func = NULL, *file = NULL;
	int err = -ENOMEM;

	if (strlen(f->func) > SYMBOL_MOST)
		x.func = func = cut(strndup(f->func, SYMBOL_MOST + 1));
	if (f->file && strlen(f->file) > SYMBOL_MOST)
		x.file = file = cut(strndup(f->file, SYMBOL_MOST + 1));
	if (x.func && (x.file || !f->file))
		err = symbol_once(r, &x, kind, symbol);
	free(func);
	free(file);
	return err;
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

#define NAME_MOST 400 /* bytes of a file's name */

/* Code without a symbol has the name of its file, and of where its function begins. */
static int put_start(struct resolving *r, const struct address *a, const struct image_file *file,
		     const struct sample_image *i)
{
	size_t len;
	const char *name = sample_image_file(i, &len);
	char text[NAME_MOST + 32];
	uint64_t off;

	r->counts.no_symbol++;
	if (i->kind != IMAGE_FILE || !image_file_start(file, i, a->pc, &off))
		return 0;
	snprintf(text, sizeof(text), "[%.*s+0x%" PRIx64 "]",
		 (int)(len < NAME_MOST ? len : NAME_MOST), name, off);
	r->counts.found--; /* put_location takes it for a name */
	return put_location(r, a, &(struct goframe){ .func = text }, 1, SYMBOL_UNKNOWN);
}

static int resolve(struct resolving *r, const struct address *a)
{
	struct goframe frames[LOCATION_MAX_FRAMES];
	uint32_t image = image_index_find(&r->images, a->process, a->pc);
	uint8_t kind;

	r->counts.addresses++;
	if (image == TRACE_NONE) {
		r->counts.no_image++;
		return 0;
	}
	const struct symbols_file *o = symbol_files_get(&r->files, image);

	if (!o)
		return -ENOMEM;
	if (!o->file) {
		if (o->err == ENOMEM)
			return -ENOMEM;
		*(o->err == EPERM       ? &r->counts.no_kernel
		  : o->err == ECANCELED ? &r->counts.refused
		  : o->err == ETIMEDOUT ? &r->counts.unread
					: &r->counts.no_file) += 1;
		return 0;
	}
	if (foreign_file_may_go_on_since(r->files.begin_ns, r->files.deadline_ns))
		r->files.inlines.ns = 0;
	size_t n = image_file_frames(o->file, &r->t->images[image], a->pc, frames,
				     LOCATION_MAX_FRAMES, &kind, &r->files.inlines);
	if (n)
		return put_location(r, a, frames, n, kind);
	return put_start(r, a, o->file, &r->t->images[image]);
}

/* Locations name processes. */
static int copy_processes(struct resolving *r)
{
	int err = 0;

	for (size_t i = 0; i < r->t->n_processes && !err; i++)
		err = sample_tables_process(r->out, &r->t->processes[i]);
	return err;
}

/* Where the budget did not do for all files. */
static void say_unread(const struct resolving *r)
{
	const struct symbol_files *f = &r->files;

	if (f->unread_again)
		log_warn("%s%s: names are missing, as it could not be read again. It was closed to "
			 "stay within the memory limit",
			 f->unread_path ? f->unread_path : "a file",
			 f->unread_again > 1 ? " and others" : "");

	if (!f->inlines.ns)
		log_warn(
			"functions that are inlined in C, C++ and Rust are missing. Reading their DWARF took too long, or was interrupted");
	if (f->too_long || f->too_much)
		log_warn("%" PRIu64 " addresses have no name: reading symbols %s", r->counts.unread,
			 f->too_long ? "took too long and was ended"
				     : "took more memory than it may, and was ended");
}

int symbols_resolve(const struct sample_tables *t, const struct symbols_options *opt,
		    struct sample_tables *out, struct symbols_counts *counts)
{
	struct resolving r = { .t = t, .out = out, .opt = opt };

	*out = (struct sample_tables){ 0 };
	int err = symbol_files_begin(&r.files, t, opt);

	if (!err)
		err = copy_processes(&r);
	if (!err)
		err = image_index_build(&r.images, t->images, t->n_images);
	if (!err)
		err = collect(&r);
	for (size_t i = 0; i < r.n && !err; i++) {
		err = resolve(&r, &r.addresses[i]);
		err = err == -E2BIG ? 0 : err; /* it stays without a name */
	}
	if (err)
		log_no_memory("no memory for the symbols of the samples");
	else
		say_unread(&r);
	symbol_files_end(&r.files);
	image_index_free(&r.images);
	hash_index_free(&r.by_name);
	free(r.addresses);
	if (counts)
		*counts = r.counts;
	return err;
}
