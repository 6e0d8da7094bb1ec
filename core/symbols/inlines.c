// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/inlines.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/foreign_file.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "binary/foreign_elf.h"
#include "symbols/dwarf_lines.h"
#include "symbols/dwarf_scopes.h"

#define MOST_FRAMES      128
#define MOST_KNOWN       (1u << 17) /* frames that are kept */
#define MOST_NAMES_BYTES (64u << 20)
#define MOST_RANGES      (1u << 22)
#define MOST_STEPS       16 /* from an entry to its origin; compilers have three */
#define HEADERS          8

/* A function that has an entry. */
struct func {
	uint64_t off;
	bool other;
	const char *name, *file;
	uint32_t line;
};

/* The names of the files of a unit. */
struct header {
	struct dwarf_lines lines;
	uint64_t off, used;
	bool other, known;
};

struct inlines {
	struct dwarf_bounds bounds;
	struct dwarf_file file, other; /* other: see dwarf_string */
	bool has_other;
	struct unit_range {
		uint64_t low, high;
		uint32_t unit;
	} * ranges; /* by low */
	size_t n_ranges, cap_ranges;
	size_t n_others;  /* units of `other` whose first entries were read */
	size_t n_indexed; /* units whose ranges were read */
	bool sorted;
	struct dwarf_ranges some;
	uint32_t unit; /* whose scopes and lines these are, UINT32_MAX: none */
	struct dwarf_scopes scopes;
	struct dwarf_lines lines;
	struct header headers[HEADERS];
	uint64_t used;
	char **names;
	size_t n_names, cap_names, name_bytes;
	struct func *funcs;
	size_t n_funcs, cap_funcs;
	struct known {
		uint64_t vaddr;
		uint32_t first, n;
	} * known;
	size_t n_known, cap_known;
	struct inline_frame *frames; /* of known */
	size_t n_frames, cap_frames;
	struct hash_index by_name, by_off, by_vaddr;
};

/* ---- opening */

static int try_other(struct inlines *x, const char *path, const uint8_t *id, size_t n_id)
{
	const struct foreign_rule rule = { .most_bytes = FOREIGN_DEBUG_BYTES };
	const int fd = foreign_file_open(path, &rule);
	Elf *elf = fd < 0 ? NULL : foreign_elf_open(fd);
	uint8_t found[FILE_ID_BYTES];
	const size_t n = elf ? foreign_elf_file_id(elf, found) : 0;
	int err = -ENOENT;

	elf_end(elf);
	if (n && n == n_id && !memcmp(found, id, n))
		err = dwarf_file_open(&x->other, fd, &x->bounds);
	if (fd >= 0)
		close(fd);
	return err;
}

static void path_by_id(char *path, size_t size, const char *root, const uint8_t *id, size_t n)
{
	int at = snprintf(path, size, "%s/usr/lib/debug/.build-id/%02x/", root, id[0]);

	for (size_t i = 1; i < n && at > 0 && (size_t)at < size; i++)
		at += snprintf(path + at, size - (size_t)at, "%02x", id[i]);
	if (at > 0 && (size_t)at < size)
		snprintf(path + at, size - (size_t)at, ".debug");
}

/* The file that dwz moved into what several files have in common (gdb's manual, "dwz"). */
static void open_other(struct inlines *x, const struct inlines_place *at)
{
	struct dwarf_section *s = &x->file.sections.s[DWARF_ALTLINK];
	const char *slash = strrchr(at->path, '/');
	char link[PATH_MAX], path[3 * PATH_MAX];
	const char *name = dwarf_section_string(s, 0);
	uint8_t id[64];

	if (!name || strlen(name) >= sizeof(link))
		return;
	strcpy(link, name);
	const size_t n_link = strlen(link) + 1;
	const size_t n_id = s->size - n_link;
	const uint8_t *bytes = n_id && n_id <= sizeof(id) ? dwarf_section_get(s, n_link, n_id)
							  : NULL;

	if (!bytes)
		return;
	memcpy(id, bytes, n_id);
	const int n_folder = *link == '/' || !slash ? 0 : (int)(slash - at->path) + 1;

	snprintf(path, sizeof(path), "%s%.*s%s", at->root, n_folder, at->path, link);
	int err = try_other(x, path, id, n_id);

	if (err) {
		path_by_id(path, sizeof(path), at->root, id, n_id);
		err = try_other(x, path, id, n_id);
	}
	x->has_other = !err;
}

/* From now on reading may take so long. Returns the time of the clock. */
static uint64_t begin(struct inlines *x, uint64_t left_ns)
{
	const uint64_t now_ns = clock_own_cpu_ns();

	x->bounds.deadline_ns = now_ns + left_ns;
	x->bounds.over = false;
	return now_ns;
}

static void charge(const struct inlines *x, uint64_t begin_ns, uint64_t *left_ns)
{
	const uint64_t took_ns = clock_own_cpu_ns() - begin_ns;

	*left_ns -= took_ns < *left_ns && !x->bounds.over ? took_ns : *left_ns;
}

struct inlines *inlines_open(int fd, const struct inlines_place *at, uint64_t *left_ns)
{
	struct inlines *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->unit = UINT32_MAX;
	x->bounds.most_bytes = at->most_bytes;
	const uint64_t begin_ns = begin(x, *left_ns);
	const int err = dwarf_file_open(&x->file, fd, &x->bounds);

	if (!err)
		open_other(x, at);
	charge(x, begin_ns, left_ns);
	if (!err)
		return x;
	free(x);
	return NULL;
}

void inlines_close(struct inlines *x)
{
	if (!x)
		return;
	dwarf_file_close(&x->file);
	if (x->has_other)
		dwarf_file_close(&x->other);
	for (size_t i = 0; i < HEADERS; i++)
		dwarf_lines_free(&x->headers[i].lines);
	dwarf_lines_free(&x->lines);
	dwarf_scopes_free(&x->scopes);
	for (size_t i = 0; i < x->n_names; i++)
		free(x->names[i]);
	free(x->names);
	free(x->ranges);
	free(x->some.list);
	free(x->funcs);
	free(x->known);
	free(x->frames);
	hash_index_free(&x->by_name);
	hash_index_free(&x->by_off);
	hash_index_free(&x->by_vaddr);
	free(x);
}

size_t inlines_bytes(const struct inlines *x)
{
	size_t n = dwarf_file_bytes(&x->file) + (x->has_other ? dwarf_file_bytes(&x->other) : 0) +
		   dwarf_lines_bytes(&x->lines) + dwarf_scopes_bytes(&x->scopes) + x->name_bytes;

	for (size_t i = 0; i < HEADERS; i++)
		n += dwarf_lines_bytes(&x->headers[i].lines);
	n += x->cap_ranges * sizeof(*x->ranges) + x->some.cap * sizeof(*x->some.list);
	n += x->cap_names * sizeof(*x->names) + x->cap_funcs * sizeof(*x->funcs);
	n += x->cap_known * sizeof(*x->known) + x->cap_frames * sizeof(*x->frames);
	return n + sizeof(struct hash_slot) *
			   (x->by_name.n_slots + x->by_off.n_slots + x->by_vaddr.n_slots);
}

/* ---- names */

/* The string, kept once. NULL: none, or no room for it. */
static const char *keep(struct inlines *x, const char *s)
{
	if (!s)
		return NULL;
	const size_t n = strlen(s);
	const uint32_t hash = hash_bytes(s, n);
	size_t at;

	for (uint32_t i = hash_index_first(&x->by_name, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&x->by_name, hash, &at))
		if (!strcmp(x->names[i], s))
			return x->names[i];
	char *copy = x->name_bytes + n < dwarf_bounds_room(&x->bounds, 1, 1, MOST_NAMES_BYTES)
			     ? strdup(s)
			     : NULL;

	if (!copy || vec_reserve(&x->names, &x->cap_names, x->n_names + 1) ||
	    hash_index_put(&x->by_name, hash, (uint32_t)x->n_names)) {
		free(copy);
		return NULL;
	}
	x->name_bytes += n + 1;
	return x->names[x->n_names++] = copy;
}

static struct dwarf_file *file_of(struct inlines *x, bool other)
{
	return other ? &x->other : &x->file;
}

/* What the file's strings may be in. */
static struct dwarf_file *other_of(struct inlines *x, bool other)
{
	return !other && x->has_other ? &x->other : NULL;
}

static const char *path_of(struct inlines *x, const struct dwarf_lines *l, uint64_t source)
{
	char path[PATH_MAX];

	return dwarf_lines_path(l, source, path, sizeof(path)) ? keep(x, path) : NULL;
}

static int read_lines(struct inlines *x, bool other, const struct dwarf_unit *u, bool with_rows,
		      struct dwarf_lines *l)
{
	struct dwarf_file *f = file_of(x, other);
	struct dwarf_unit copy = *u;
	struct dwarf_die die;
	const char *folder = NULL;

	if (dwarf_unit_begin(f, &copy, &die) && dwarf_has(&die, DIE_FOLDER))
		folder = dwarf_string(f, other_of(x, other), u, &die.v[DIE_FOLDER]);
	return dwarf_lines_read(l, f, other_of(x, other), u, folder, with_rows);
}

static const struct dwarf_lines *header_of(struct inlines *x, bool other,
					   const struct dwarf_unit *u)
{
	struct header *least = &x->headers[0];

	for (size_t i = 0; i < HEADERS; i++) {
		struct header *h = &x->headers[i];

		if (h->known && h->off == u->off && h->other == other) {
			h->used = ++x->used;
			return &h->lines;
		}
		if (h->used < least->used)
			least = h;
	}
	least->off = u->off;
	least->other = other;
	least->used = ++x->used;
	read_lines(x, other, u, false, &least->lines);
	least->known = !x->bounds.over;
	return &least->lines;
}

/* Takes what an entry tells that those before it did not. Returns true when it has all. */
static bool take(struct inlines *x, struct func *f, const struct dwarf_unit *u,
		 const struct dwarf_die *die, bool other, const char **plain)
{
	struct dwarf_file *file = file_of(x, other);

	if (!f->name && dwarf_has(die, DIE_LINKAGE_NAME))
		f->name = keep(x, dwarf_string(file, other_of(x, other), u,
					       &die->v[DIE_LINKAGE_NAME]));
	if (!*plain && dwarf_has(die, DIE_NAME))
		*plain = keep(x, dwarf_string(file, other_of(x, other), u, &die->v[DIE_NAME]));
	if (!f->file && dwarf_has(die, DIE_DECL_FILE))
		f->file = path_of(x, header_of(x, other, u), die->v[DIE_DECL_FILE].u);
	if (!f->line && dwarf_has(die, DIE_DECL_LINE) && die->v[DIE_DECL_LINE].u <= INT32_MAX)
		f->line = (uint32_t)die->v[DIE_DECL_LINE].u;
	return f->name && f->file && f->line;
}

static struct func find_func(struct inlines *x, uint64_t off)
{
	struct func f = { .off = off };
	const char *plain = NULL;
	bool other = false;
	struct dwarf_die die;

	for (int i = 0; i < MOST_STEPS; i++) {
		const struct dwarf_unit *u = dwarf_unit_at(file_of(x, other), off);
		bool in_other;

		if (!u || !dwarf_die_at(file_of(x, other), u, off, &die))
			break;
		const bool origin = dwarf_has(&die, DIE_ORIGIN);
		const struct dwarf_value next = die.v[origin ? DIE_ORIGIN : DIE_SPECIFICATION];

		if (take(x, &f, u, &die, other, &plain) ||
		    (!origin && !dwarf_has(&die, DIE_SPECIFICATION)) ||
		    !dwarf_reference(u, &next, &off, &in_other) ||
		    (in_other && (other || !x->has_other)))
			break;
		other = other || in_other;
	}
	f.name = f.name ? f.name : plain;
	return f;
}

/* The function of an entry of x's file. */
static struct func func_at(struct inlines *x, uint64_t off)
{
	const uint32_t hash = hash_u64(off);
	size_t at;

	for (uint32_t i = hash_index_first(&x->by_off, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&x->by_off, hash, &at))
		if (x->funcs[i].off == off)
			return x->funcs[i];
	const struct func f = find_func(x, off);

	if (!x->bounds.over && !vec_reserve(&x->funcs, &x->cap_funcs, x->n_funcs + 1) &&
	    !hash_index_put(&x->by_off, hash, (uint32_t)x->n_funcs))
		x->funcs[x->n_funcs++] = f;
	return f;
}

/* ---- units */

static int by_low(const void *a, const void *b)
{
	return compare_u64(((const struct unit_range *)a)->low,
			   ((const struct unit_range *)b)->low);
}

static int index_unit(struct inlines *x, uint32_t i)
{
	const size_t most = dwarf_bounds_room(&x->bounds, 2, sizeof(*x->ranges), MOST_RANGES);
	struct dwarf_unit *u = &x->file.units[i];
	struct dwarf_die die;

	x->some.n = 0;
	if (!dwarf_unit_begin(&x->file, u, &die) ||
	    !dwarf_ranges_add(&x->file, u, &die, &x->some, most))
		return x->bounds.over ? -ETIMEDOUT : 0;
	if (x->n_ranges + x->some.n > most)
		return 0;
	if (vec_reserve_most(&x->ranges, &x->cap_ranges, x->n_ranges + x->some.n, most))
		return -ENOMEM;
	for (size_t k = 0; k < x->some.n; k++)
		x->ranges[x->n_ranges++] = (struct unit_range){ x->some.list[k].low,
								x->some.list[k].high, i };
	return 0;
}

/* Goes on where it stopped, if it had no time. Entries of the other file are asked for in any
 * order, so its units come first. */
static bool index_units(struct inlines *x)
{
	struct dwarf_die die;

	for (; x->has_other && x->n_others < x->other.n_units; x->n_others++) {
		dwarf_unit_begin(&x->other, &x->other.units[x->n_others], &die);
		if (x->bounds.over)
			return false;
	}
	while (x->n_indexed < x->file.n_units) {
		if (index_unit(x, (uint32_t)x->n_indexed))
			return false;
		x->n_indexed++;
	}
	if (!x->sorted && x->n_ranges)
		qsort(x->ranges, x->n_ranges, sizeof(*x->ranges), by_low);
	x->sorted = true;
	return true;
}

#define MOST_OVERLAPS 16

static uint32_t unit_of(const struct inlines *x, uint64_t vaddr)
{
	size_t lo = 0, hi = x->n_ranges;

	while (lo < hi) { /* the first above vaddr */
		size_t mid = lo + (hi - lo) / 2;

		if (x->ranges[mid].low <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = 0; i < MOST_OVERLAPS && lo > i; i++)
		if (vaddr < x->ranges[lo - 1 - i].high)
			return x->ranges[lo - 1 - i].unit;
	return UINT32_MAX;
}

/* A unit that was given so much and took more is not tried again. */
#define ENOUGH_NS 1000000000ull

/* Reads the unit, if it is not the last one. A unit that cannot be read is not tried again. */
static bool read_unit(struct inlines *x, uint32_t i)
{
	struct dwarf_unit *u = &x->file.units[i];
	const bool enough = clock_own_cpu_ns() + ENOUGH_NS <= x->bounds.deadline_ns;

	if (u->failed)
		return false;
	if (x->unit == i)
		return true;
	x->unit = UINT32_MAX;
	int err = dwarf_scopes_read(&x->scopes, &x->file, u);

	if (!err && read_lines(x, false, u, true, &x->lines))
		x->lines.n_sequences = 0;
	err = x->bounds.over ? -ETIMEDOUT : err;
	u->failed = err && (err != -ETIMEDOUT || enough);
	if (err)
		return false;
	x->unit = i;
	return true;
}

/* ---- addresses */

static size_t make_frames(struct inlines *x, uint64_t vaddr, struct inline_frame *frames,
			  size_t max)
{
	const struct dwarf_scope *chain[MOST_FRAMES];
	const size_t n = dwarf_scopes_at(&x->scopes, vaddr, chain,
					 max < MOST_FRAMES ? max : MOST_FRAMES);
	uint32_t source = 0, line = 0;
	bool known = dwarf_lines_at(&x->lines, vaddr, &source, &line);

	for (size_t i = 0; i < n; i++) {
		const struct dwarf_scope *s = chain[n - 1 - i];
		const struct func f = func_at(x, s->die_off);

		frames[i] = (struct inline_frame){ .func = f.name,
						   .file = known ? path_of(x, &x->lines, source)
								 : NULL,
						   .line = known ? line : 0,
						   .decl_file = f.file,
						   .decl_line = f.line };
		known = s->inlined;
		source = s->call_file;
		line = s->call_line;
	}
	return n;
}

static void remember(struct inlines *x, uint64_t vaddr, const struct inline_frame *frames, size_t n)
{
	if (x->n_frames + n > MOST_KNOWN || x->n_known >= MOST_KNOWN) {
		hash_index_free(&x->by_vaddr);
		x->n_frames = x->n_known = 0;
	}
	if (vec_reserve(&x->frames, &x->cap_frames, x->n_frames + n) ||
	    vec_reserve(&x->known, &x->cap_known, x->n_known + 1) ||
	    hash_index_put(&x->by_vaddr, hash_u64(vaddr), (uint32_t)x->n_known))
		return;
	x->known[x->n_known++] = (struct known){ vaddr, (uint32_t)x->n_frames, (uint32_t)n };
	if (n)
		memcpy(x->frames + x->n_frames, frames, n * sizeof(*frames));
	x->n_frames += n;
}

static size_t look_up(struct inlines *x, uint64_t vaddr, struct inline_frame *frames, size_t max)
{
	if (!index_units(x))
		return 0;
	const uint32_t unit = unit_of(x, vaddr);
	const size_t n = unit != UINT32_MAX && read_unit(x, unit)
				 ? make_frames(x, vaddr, frames, max)
				 : 0;

	if (x->bounds.over)
		return 0;
	remember(x, vaddr, frames, n);
	return n;
}

size_t inlines_at(struct inlines *x, uint64_t vaddr, struct inline_frame *frames, size_t max,
		  uint64_t *left_ns)
{
	const uint32_t hash = hash_u64(vaddr);
	size_t at;

	for (uint32_t i = hash_index_first(&x->by_vaddr, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&x->by_vaddr, hash, &at)) {
		const struct known *k = &x->known[i];

		if (k->vaddr != vaddr || k->n > max)
			continue;
		if (k->n)
			memcpy(frames, x->frames + k->first, k->n * sizeof(*frames));
		return k->n;
	}
	if (!*left_ns)
		return 0;
	const uint64_t begin_ns = begin(x, *left_ns);
	const size_t n = look_up(x, vaddr, frames, max);

	charge(x, begin_ns, left_ns);
	return n;
}
