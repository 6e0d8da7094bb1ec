// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/image_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/foreign_file.h"
#include "base/vdso.h"
#include "symbols/debug_file.h"
#include "symbols/debuginfod.h"
#include "symbols/inlines.h"
#include "symbols/name_list.h"

struct image_file {
	uint8_t kind;
	struct elf_symbols *elf, *debug; /* debug: what was stripped from it */
	struct gobin *go;
	struct name_list names;
	/* the file with DWARF, until it is asked for; dwarf_fd is -1 then, or when there is none */
	int dwarf_fd;
	char *dwarf_path, root[32];
	struct inlines *inlines;
	bool of_process; /* a path below the process's root led to what was read */
	bool refused;    /* a file was there that is none to be read */
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
	f->dwarf_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	f->dwarf_path = strdup(i->path);
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
		f->of_process = try_file(f, i, path, true);
		snprintf(path, sizeof(path), "/proc/%u/map_files/%lx-%lx", at->pid,
			 (unsigned long)i->start, (unsigned long)i->end);
		f->of_process = f->of_process || try_file(f, i, path, true);
		if (f->of_process)
			return true;
	}
	return *i->path == '/' && try_file(f, i, i->path, at->here);
}

static void take_debug(struct image_file *f, const struct debug_file *found, const char *root)
{
	if (f->dwarf_fd >= 0)
		close(f->dwarf_fd);
	free(f->dwarf_path);
	f->debug = found->symbols;
	f->dwarf_fd = found->fd;
	f->dwarf_path = found->path;
	snprintf(f->root, sizeof(f->root), "%s", root);
}

/* Symbols and DWARF that were stripped from it. */
static bool open_debug(struct image_file *f, const char *path, const char *root,
		       const struct debug_file_limits *limits)
{
	struct debug_file found;

	if (!debug_file_open(&found, f->elf, path, root, limits))
		return false;
	take_debug(f, &found, root);
	return true;
}

/* These are from a server. */
static void fetch_debug(struct image_file *f, const char *path, const struct image_place *at)
{
	struct debug_file found;
	const uint8_t *id;
	const size_t n = elf_symbols_build_id(f->elf, &id);

	if (!n || file_id_is_go(id, n))
		return;
	const int fd = debuginfod_fetch(at->debuginfod, id, n, path);

	if (fd >= 0 && debug_file_take(&found, f->elf, fd, at->most_bytes))
		take_debug(f, &found, "");
	else if (fd >= 0)
		close(fd);
}

static bool open_file(struct image_file *f, const struct sample_image *i,
		      const struct image_place *at)
{
	const struct debug_file_limits limits = { at->deadline_ns, at->most_bytes };
	char root[32];

	snprintf(root, sizeof(root), "/proc/%u/root", at->pid);
	if (!open_own(f, i, root, at) || f->too_large)
		return false;
	/* Others share what was read of the file alone: no name in it leads into this root. */
	if (f->of_process)
		strcpy(f->root, root);
	if (f->go || (elf_symbols_whole(f->elf) && elf_symbols_dwarf(f->elf)))
		return true;
	if (at->here && open_debug(f, i->path, root, &limits))
		f->of_process = true;
	else if (*i->path == '/')
		open_debug(f, i->path, "", &limits);
	if (at->debuginfod && !f->debug)
		fetch_debug(f, i->path, at);
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
	f->dwarf_fd = -1;
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

bool image_file_of_process(const struct image_file *f)
{
	return f->of_process;
}

size_t image_file_bytes(const struct image_file *f)
{
	return (f->elf ? elf_symbols_bytes(f->elf) : 0) +
	       (f->debug ? elf_symbols_bytes(f->debug) : 0) +
	       (f->go ? gobin_bytes_held(f->go) : 0) + name_list_bytes(&f->names) +
	       (f->inlines ? inlines_bytes(f->inlines) : 0);
}

void image_file_close(struct image_file *f)
{
	if (!f)
		return;
	elf_symbols_close(f->debug);
	elf_symbols_close(f->elf);
	gobin_close(f->go);
	name_list_free(&f->names);
	inlines_close(f->inlines);
	if (f->dwarf_fd >= 0)
		close(f->dwarf_fd);
	free(f->dwarf_path);
	free(f);
}

/* ---- inlined functions */

#define INLINES_PART 8 /* of the memory that a file may take */
#define INLINES_MOST (256u << 20)

/* A file that was given so much and took more is not tried again. */
#define INLINES_ENOUGH_NS 1000000000ull

static void open_inlines(struct image_file *f, struct inline_budget *budget)
{
	const bool enough = budget->ns >= INLINES_ENOUGH_NS;
	struct inlines_place at = { f->dwarf_path, f->root, INLINES_MOST };

	if (f->most_bytes && at.most_bytes > f->most_bytes / INLINES_PART)
		at.most_bytes = f->most_bytes / INLINES_PART;
	if (at.most_bytes > budget->bytes)
		at.most_bytes = budget->bytes;
	if (at.path && at.most_bytes)
		f->inlines = inlines_open(f->dwarf_fd, &at, &budget->ns);
	if (!f->inlines && !budget->ns && !enough)
		return;
	close(f->dwarf_fd);
	f->dwarf_fd = -1;
}

/* A function has a file and a line where it is declared; code of another file in it has no line. */
static struct goframe as_goframe(const struct inline_frame *x)
{
	const bool elsewhere = x->file && x->decl_file && strcmp(x->file, x->decl_file) != 0;

	return (struct goframe){ .func = x->func,
				 .file = x->decl_file ? x->decl_file : x->file,
				 .line = elsewhere ? 0 : x->line,
				 .start_line = x->decl_line };
}

/* The compiled function has its symbol's name. */
static size_t inlined_frames(struct image_file *f, uint64_t vaddr, const char *symbol,
			     struct goframe *frames, size_t max, struct inline_budget *budget)
{
	struct inline_frame found[LOCATION_MAX_FRAMES];
	const size_t before = f->inlines ? inlines_bytes(f->inlines) : 0;

	if (f->dwarf_fd >= 0 && budget->ns)
		open_inlines(f, budget);
	if (!f->inlines)
		return 0;
	const size_t n = inlines_at(f->inlines, vaddr, found,
				    max < LOCATION_MAX_FRAMES ? max : LOCATION_MAX_FRAMES,
				    &budget->ns);
	const size_t bytes = inlines_bytes(f->inlines), more = bytes > before ? bytes - before : 0;

	budget->bytes -= more < budget->bytes ? more : budget->bytes;
	for (size_t k = 0; k < n; k++)
		frames[k] = as_goframe(&found[k]);
	if (n && symbol)
		frames[n - 1].func = symbol;
	for (size_t k = 0; k < n; k++)
		if (!frames[k].func)
			return 0;
	return n;
}

static size_t frames_at(struct image_file *f, const struct sample_image *i, uint64_t pc,
			struct goframe *frames, size_t max, uint8_t *kind,
			struct inline_budget *budget)
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

	name = name ? name : elf_symbols_at(f->elf, vaddr);
	n = inlined_frames(f, vaddr, name, frames, max, budget);
	if (n)
		return n;
	frames[0] = (struct goframe){ .func = name };
	return name != NULL;
}

/* The address of a caller is one byte less than where the call returns to. The kernel lets a
 * signal's handler return to the first instruction of a function, and the byte before it is padding
 * (runtime.sigreturn__sigaction in sys_linux_amd64.s, __restore_rt of C libraries). */
size_t image_file_frames(struct image_file *f, const struct sample_image *i, uint64_t pc,
			 struct goframe *frames, size_t max, uint8_t *kind,
			 struct inline_budget *budget)
{
	const size_t n = frames_at(f, i, pc, frames, max, kind, budget);

	return n ? n : frames_at(f, i, pc + 1, frames, max, kind, budget);
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
