/* SPDX-License-Identifier: BSD-2-Clause */
#include "binary/gobin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "binary/gobin_impl.h"

static int find_pclntab(struct gobin *b, bool has_buildinfo)
{
	int err = pclntab_find(&b->elf, &b->pcln);

	switch (err) {
	case 0:
		return 0;
	case -ENOENT:
		if (!has_buildinfo)
			return gokind_refuse(b);
		log_error("%s: built by %s, but its function table (pclntab) is missing; "
			  "build it again without a packer",
			  b->path, b->version);
		return -EBADMSG;
	case -ENOTSUP:
		log_error("%s: built by Go 1.15 or older; build it with Go 1.19 or newer", b->path);
		return -ENOTSUP;
	case -EPROTO:
		log_error(
			"%s: its Go function table (pclntab) has an unknown format. An obfuscator such as garble changed its names and tables, or its Go is "
			"newer than this gotrace. Build it without the obfuscator, or use "
			"`gotrace sample`, which needs no table",
			b->path);
		return -ENOTSUP;
	default:
		log_error("%s: truncated or corrupt. Its Go function table (pclntab) makes no "
			  "sense; build or copy it again",
			  b->path);
		return -EBADMSG;
	}
}

static int read_all(struct gobin *b)
{
	int err = buildinfo_read(b);

	if (err == -ENOMEM)
		return err;
	gosyms_special(b);
	err = find_pclntab(b, err == 0);
	if (err)
		return err;
	if (moduledata_read(b) < 0) {
		log_error(
			"%s: corrupt. It has no runtime.moduledata, which holds the start of its text; build or copy it again",
			b->path);
		return -EBADMSG;
	}
	err = buildid_read(b);
	return err ? err : gofuncs_read(b);
}

static struct gobin *open_part(int fd, const char *path, const struct elffile_part *part)
{
	struct gobin *b = calloc(1, sizeof(*b));
	int err = b && (b->path = strdup(path)) ? elffile_open(&b->elf, fd, path, part) : -ENOMEM;

	if (!err) {
		err = read_all(b);
		if (err == -ENOMEM)
			log_no_memory("%s: out of memory while reading its functions", path);
	} else if (err == -ENOMEM && !(b && b->path)) {
		log_no_memory("%s: out of memory", path);
	}
	if (!err)
		return b;
	gobin_close(b);
	errno = -err;
	return NULL;
}

struct gobin *gobin_open(int fd, const char *path)
{
	return open_part(fd, path, NULL);
}

struct gobin *gobin_open_bounded(int fd, const char *path, uint64_t most_bytes)
{
	return open_part(fd, path, &(struct elffile_part){ .most_bytes = most_bytes });
}

struct gobin *gobin_open_names(int fd, const char *path, uint64_t most_bytes)
{
	return open_part(fd, path,
			 &(struct elffile_part){ .most_bytes = most_bytes, .names = true });
}

void gobin_close(struct gobin *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n_names; i++)
		free(b->names[i]);
	free(b->names);
	free(b->funcs);
	hash_index_free(&b->by_name);
	free(b->version);
	free(b->modinfo);
	free(b->build_id);
	elffile_close(&b->elf);
	free(b->path);
	free(b);
}

size_t gobin_bytes_held(const struct gobin *b)
{
	return b->elf.size - b->elf.left_out + b->pcln.n_funcs * sizeof(*b->funcs);
}

const char *gobin_go_version(const struct gobin *b)
{
	return b->version;
}

int gobin_go_minor(const struct gobin *b)
{
	return b->minor;
}

const char *gobin_build_id(const struct gobin *b)
{
	return b->build_id;
}

bool gobin_is_pie(const struct gobin *b)
{
	return b->elf.pie;
}

bool gobin_has_dwarf(const struct gobin *b)
{
	/* .zdebug_: the older way of compressing, Go up to 1.18 */
	return elffile_section(&b->elf, ".debug_info") || elffile_section(&b->elf, ".zdebug_info");
}

const struct gomodule *gobin_main_module(const struct gobin *b)
{
	return &b->main_module;
}

void gobin_image(const struct gobin *b, uint64_t *lo, uint64_t *hi)
{
	const struct elffile *e = &b->elf;

	*lo = *hi = 0;
	for (size_t i = 0; i < e->n_segments; i++) {
		if (i == 0)
			*lo = e->segments[i].vaddr;
		if (e->segments[i].vaddr + e->segments[i].memsz > *hi)
			*hi = e->segments[i].vaddr + e->segments[i].memsz;
	}
}

const uint8_t *gobin_bytes(const struct gobin *b, uint64_t vaddr, size_t len)
{
	return elffile_bytes(&b->elf, vaddr, len);
}

/* One word and its address; consecutive entries of a jump table differ by 8 there. */
struct text_word {
	uint64_t at, vaddr;
	const struct gofunc *f;
	bool passed;
};

/*
 * Passes on words that have a neighbour into the same function: the compiler makes no table of
 * fewer than 8 cases (cmd/compile walk/switch.go, ssagen), while a number that is in the text's
 * range by chance has no such neighbour.
 */
static void take_word(const struct gobin *b, struct text_word *prev, uint64_t at, uint64_t vaddr,
		      void (*fn)(void *ctx, uint64_t vaddr), void *ctx)
{
	struct text_word w = { .at = at, .vaddr = vaddr, .f = gobin_func_at(b, vaddr) };

	if (w.f && w.f->vaddr == vaddr)
		w.f = NULL; /* func values and itabs point at starts, a case never does */
	if (w.f && prev->f == w.f && prev->at + 8 == at) {
		if (!prev->passed)
			fn(ctx, prev->vaddr);
		fn(ctx, vaddr);
		w.passed = true;
	}
	*prev = w;
}

void gobin_text_words(const struct gobin *b, void (*fn)(void *ctx, uint64_t vaddr), void *ctx)
{
	const struct elffile *e = &b->elf;
	uint64_t lo = b->funcs[0].vaddr;
	uint64_t hi = b->funcs[b->n_funcs - 1].vaddr + b->funcs[b->n_funcs - 1].size;
	struct text_word prev = { 0 };

	for (size_t i = 0; i < e->n_relocs; i++)
		if (e->relocs[i].addend >= lo && e->relocs[i].addend < hi)
			take_word(b, &prev, e->relocs[i].vaddr, e->relocs[i].addend, fn, ctx);
	for (size_t i = 0; i < e->n_segments; i++) {
		const struct elf_segment *s = &e->segments[i];
		const uint8_t *p = e->map + s->off;

		/* Fixed addresses: .rodata. A PIE's table is relocated, in .data.rel.ro. */
		if ((s->flags & PF_X) || (e->pie ? !e->has_relr : s->flags & PF_W))
			continue;
		for (uint64_t k = (8 - s->vaddr % 8) % 8; k + 8 <= s->filesz; k += 8) {
			const uint64_t w = load64(p + k);

			if (w - lo < hi - lo)
				take_word(b, &prev, s->vaddr + k, w, fn, ctx);
		}
	}
}
