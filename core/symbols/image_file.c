// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/image_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vdso.h"
#include "symbols/debug_file.h"
#include "symbols/name_list.h"

struct image_file {
	uint8_t kind;
	struct elf_symbols *elf, *debug; /* debug: what was stripped from it */
	struct gobin *go;
	struct name_list names;
};

static bool same_id(const struct elf_symbols *e, const struct sample_image *i, bool here)
{
	const uint8_t *id;
	size_t n = elf_symbols_build_id(e, &id);

	if (!i->build_id_len)
		return here;
	return n == i->build_id_len && !memcmp(id, i->build_id, n);
}

static bool try_file(struct image_file *f, const struct sample_image *i, const char *path,
		     bool here)
{
	int fd = elf_symbols_file(path);

	f->elf = fd < 0 ? NULL : elf_symbols_open(fd);
	if (f->elf && same_id(f->elf, i, here)) {
		f->go = elf_symbols_go(f->elf) ? gobin_open(fd, path) : NULL;
		/* libelf has the file mapped */
		close(fd);
		return true;
	}
	elf_symbols_close(f->elf);
	f->elf = NULL;
	if (fd >= 0)
		close(fd);
	return false;
}

/* As the process sees it, which may be in a container, or deleted since; else as we see it. */
static bool open_own(struct image_file *f, const struct sample_image *i, const char *root,
		     uint32_t pid, bool here)
{
	char path[4352];

	if (here) {
		snprintf(path, sizeof(path), "%s%s", root, i->path);
		if (try_file(f, i, path, here))
			return true;
		snprintf(path, sizeof(path), "/proc/%u/map_files/%lx-%lx", pid,
			 (unsigned long)i->start, (unsigned long)i->end);
		if (try_file(f, i, path, here))
			return true;
	}
	return *i->path == '/' && try_file(f, i, i->path, here);
}

static bool open_file(struct image_file *f, const struct sample_image *i, uint32_t pid, bool here)
{
	char root[32];

	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	if (!open_own(f, i, root, pid, here))
		return false;
	if (f->go || elf_symbols_whole(f->elf))
		return true;
	if (here)
		f->debug = debug_file_open(f->elf, i->path, root);
	if (!f->debug && *i->path == '/')
		f->debug = debug_file_open(f->elf, i->path, "");
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

struct image_file *image_file_open(const struct sample_image *i, uint32_t pid, bool here)
{
	struct image_file *f = calloc(1, sizeof(*f));
	bool found = false;
	int err = ENOENT;

	if (!f)
		return NULL;
	f->kind = i->kind;
	if (i->kind == IMAGE_FILE) {
		found = open_file(f, i, pid, here);
	} else if (i->kind == IMAGE_VDSO) {
		found = open_vdso(f, i, here);
	} else if (here && i->kind == IMAGE_KERNEL) {
		err = -name_list_kallsyms(&f->names, "/proc/kallsyms");
		found = !err;
	} else if (here && i->kind == IMAGE_PERF_MAP) {
		found = !name_list_perf_map(&f->names, i->path);
	}
	if (found)
		return f;
	image_file_close(f);
	errno = err;
	return NULL;
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
