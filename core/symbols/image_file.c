// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/image_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/foreign_file.h"
#include "base/vdso.h"
#include "symbols/debug_file.h"
#include "symbols/name_list.h"

struct image_file {
	uint8_t kind;
	struct elf_symbols *elf, *debug; /* debug: what was stripped from it */
	struct gobin *go;
	struct name_list names;
	bool refused; /* a file was there that is none to be read */
	bool too_large;
	uint64_t most_bytes;
};

static bool same_id(const struct elf_symbols *e, const struct sample_image *i, bool here)
{
	const uint8_t *id;
	size_t n = elf_symbols_build_id(e, &id);

	if (!i->build_id_len)
		return here;
	return n == i->build_id_len && !memcmp(id, i->build_id, n);
}

/* Whether a file was there that is none to be read. */
static bool is_refusal(int err)
{
	return err == -EINVAL || err == -EFBIG || err == -ELOOP || err == -EINTR ||
	       err == -ETIMEDOUT;
}

static bool try_fd(struct image_file *f, const struct sample_image *i, int fd, const char *path,
		   bool here)
{
	if (!i->build_id_len && !here)
		return false;
	f->elf = elf_symbols_open(fd, i->build_id, i->build_id_len, f->most_bytes);
	if (!f->elf)
		return false;
	errno = 0;
	if (elf_symbols_go(f->elf))
		f->go = gobin_open_names(fd, path, f->most_bytes);
	f->too_large |= elf_symbols_refused(f->elf) || errno == EFBIG;
	return true;
}

static bool try_file(struct image_file *f, const struct sample_image *i, const char *path,
		     bool here)
{
	const struct foreign_rule rule = { .most_bytes = FOREIGN_BINARY_BYTES };
	int fd = foreign_file_open(path, &rule);
	bool found = fd >= 0 && try_fd(f, i, fd, path, here);

	f->refused |= is_refusal(fd);
	if (fd >= 0)
		close(fd);
	return found;
}

/* As the process sees it, which may be in a container, or deleted since; else as we see it. */
static bool open_own(struct image_file *f, const struct sample_image *i, const char *root,
		     const struct image_place *at)
{
	char path[4352];

	if (at->fd >= 0 && try_fd(f, i, at->fd, i->path, true))
		return true;
	/* What was seen is not to be had: another file may have its path. */
	if (at->fd != -ENOENT && !i->build_id_len)
		return false;
	if (at->here) {
		snprintf(path, sizeof(path), "%s%s", root, i->path);
		if (try_file(f, i, path, true))
			return true;
		snprintf(path, sizeof(path), "/proc/%u/map_files/%lx-%lx", at->pid,
			 (unsigned long)i->start, (unsigned long)i->end);
		if (try_file(f, i, path, true))
			return true;
	}
	return *i->path == '/' && try_file(f, i, i->path, at->here);
}

static bool open_file(struct image_file *f, const struct sample_image *i,
		      const struct image_place *at)
{
	const struct debug_file_limits limits = { at->deadline_ns, at->most_bytes };
	char root[32];

	snprintf(root, sizeof(root), "/proc/%u/root", at->pid);
	if (!open_own(f, i, root, at) || f->too_large)
		return false;
	if (f->go || elf_symbols_whole(f->elf))
		return true;
	if (at->here)
		f->debug = debug_file_open(f->elf, i->path, root, &limits);
	if (!f->debug && *i->path == '/')
		f->debug = debug_file_open(f->elf, i->path, "", &limits);
	return true;
}

static bool open_vdso(struct image_file *f, const struct sample_image *i, bool here)
{
	size_t n;
	const char *bytes = vdso_bytes(&n);

	if (bytes)
		f->elf = elf_symbols_memory(bytes, n);
	return f->elf && same_id(f->elf, i, here);
}

static bool open_perf_map(struct image_file *f, const struct sample_image *i,
			  const struct image_place *at)
{
	int err = name_list_perf_map(&f->names, i->path, at->owner ? *at->owner : 0,
				     at->deadline_ns);

	f->refused = err == -EPERM || is_refusal(err);
	return !err;
}

struct image_file *image_file_open(const struct sample_image *i, const struct image_place *at)
{
	struct image_file *f = calloc(1, sizeof(*f));
	bool found = false;
	int err = ENOENT;

	if (!f)
		return NULL;
	f->kind = i->kind;
	f->most_bytes = at->most_bytes;
	if (i->kind == IMAGE_FILE) {
		found = open_file(f, i, at);
	} else if (i->kind == IMAGE_VDSO) {
		found = open_vdso(f, i, at->here);
	} else if (at->here && i->kind == IMAGE_KERNEL) {
		err = -name_list_kallsyms(&f->names, "/proc/kallsyms");
		found = !err;
	} else if (at->here && i->kind == IMAGE_PERF_MAP) {
		found = open_perf_map(f, i, at);
	}
	if (found)
		return f;
	err = f->refused || f->too_large ? ECANCELED : err;
	image_file_close(f);
	errno = err;
	return NULL;
}

bool image_file_has_debug(const struct image_file *f)
{
	return f->debug;
}

size_t image_file_bytes(const struct image_file *f)
{
	return (f->elf ? elf_symbols_bytes(f->elf) : 0) +
	       (f->debug ? elf_symbols_bytes(f->debug) : 0) +
	       (f->go ? gobin_bytes_held(f->go) : 0) + name_list_bytes(&f->names);
}

void image_file_close(struct image_file *f)
{
	if (!f)
		return;
	elf_symbols_close(f->debug);
	elf_symbols_close(f->elf);
	gobin_close(f->go);
	name_list_free(&f->names);
	free(f);
}

size_t image_file_frames(const struct image_file *f, const struct sample_image *i, uint64_t pc,
			 struct goframe *frames, size_t max, uint8_t *kind)
{
	uint64_t vaddr;

	frames[0] = (struct goframe){ 0 };
	*kind = f->kind == IMAGE_KERNEL ? SYMBOL_KERNEL : SYMBOL_NATIVE;
	if (!f->elf) {
		frames[0].func = name_list_at(&f->names, pc);
		return frames[0].func != NULL;
	}
	if (!elf_symbols_vaddr(f->elf, pc - i->start + i->file_off, &vaddr))
		return 0;
	size_t n = f->go ? gobin_frames(f->go, vaddr, frames, max) : 0;

	if (n) {
		*kind = SYMBOL_GO;
		return n;
	}
	const char *name = f->debug ? elf_symbols_at(f->debug, vaddr) : NULL;

	frames[0] = (struct goframe){ .func = name ? name : elf_symbols_at(f->elf, vaddr) };
	return frames[0].func != NULL;
}

bool image_file_start(const struct image_file *f, const struct sample_image *i, uint64_t pc,
		      uint64_t *off)
{
	const uint64_t at = pc - i->start + i->file_off;
	uint64_t vaddr, start;

	if (!f->elf || !elf_symbols_vaddr(f->elf, at, &vaddr) ||
	    !elf_symbols_start(f->elf, vaddr, &start) || vaddr - start > at)
		return false;
	*off = at - (vaddr - start);
	return true;
}
