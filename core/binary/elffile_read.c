/* SPDX-License-Identifier: BSD-2-Clause */
#include "binary/elffile_read.h"

#include <elf.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/side_job.h"
#include "binary/foreign_elf.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* 4ca9b3859dac, Linux 5.14 */
#endif

/* Larger than any program: not read into memory. */
#define FILE_MAX_BYTES (4ull << 30)
#define READ_STEP      (4u << 20) /* that a thread reads at once */
#define READERS_MAX    4

/* A file being read by several threads: making memory for it takes longer than copying it. */
struct reading {
	const struct elffile *e;
	int fd;
	bool sparse; /* of holes no memory is made */
	struct hole {
		size_t from, to;
	} code, dwarf; /* that are not read, the first in the file first */
	atomic_size_t next;
	atomic_int err;
};

bool elffile_not_names(const char *section)
{
	return !strcmp(section, ".text") || !strncmp(section, ".debug_", 7) ||
	       !strncmp(section, ".zdebug_", 8);
}

/* Widens a hole by a section, or takes it for nothing where another one lies between. */
static void widen(struct hole *h, const GElf_Shdr *sh)
{
	if (!h->to)
		h->from = sh->sh_offset;
	h->to = h->to > sh->sh_offset + sh->sh_size ? h->to : sh->sh_offset + sh->sh_size;
	h->from = h->from < sh->sh_offset ? h->from : sh->sh_offset;
}

static bool is_in(const struct hole *h, uint64_t from, uint64_t to)
{
	return from < h->to && to > h->from;
}

/* Whether something that is needed lies in it. */
static bool is_needed(const struct hole *h, Elf *elf, size_t names)
{
	Elf_Scn *scn = NULL;
	GElf_Ehdr head;
	GElf_Shdr sh;

	if (!gelf_getehdr(elf, &head) ||
	    is_in(h, head.e_shoff, head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize) ||
	    is_in(h, 0, head.e_phoff + (uint64_t)head.e_phnum * head.e_phentsize))
		return true;
	while ((scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &sh)) {
		const char *name = elf_strptr(elf, names, sh.sh_name);

		if (sh.sh_type != SHT_NOBITS && is_in(h, sh.sh_offset, sh.sh_offset + sh.sh_size) &&
		    !(name && elffile_not_names(name)))
			return true;
	}
	return false;
}

/* Finds what need not be read for names alone. */
static void find_holes(struct reading *r)
{
	Elf *elf = foreign_elf_open(r->fd);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t at;

	if (!elf || elf_getshdrstrndx(elf, &at) || !(scn = elf_getscn(elf, at)) ||
	    !gelf_getshdr(scn, &sh) || !foreign_elf_data(scn, &sh, FOREIGN_SECTION_BYTES)) {
		elf_end(elf);
		return;
	}
	scn = NULL;
	while ((scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &sh)) {
		const char *name = elf_strptr(elf, at, sh.sh_name);

		if (name && elffile_not_names(name) && sh.sh_type != SHT_NOBITS &&
		    sh.sh_offset <= r->e->size && sh.sh_size <= r->e->size - sh.sh_offset)
			widen(sh.sh_flags & SHF_ALLOC ? &r->code : &r->dwarf, &sh);
	}
	if (is_needed(&r->code, elf, at))
		r->code = (struct hole){ 0 };
	if (is_needed(&r->dwarf, elf, at) || r->dwarf.from < r->code.to)
		r->dwarf = (struct hole){ 0 };
	elf_end(elf);
}

/* Fills [from, to). 0, -errno, or -ESTALE: the file is shorter. */
static int read_range(const struct reading *r, size_t from, size_t to)
{
	while (from < to) {
		off_t data = r->sparse ? lseek(r->fd, (off_t)from, SEEK_DATA) : (off_t)from;

		if (data < 0 && errno == ENXIO)
			return 0; /* no more but a hole */
		if (data > (off_t)from) {
			from = (size_t)data < to ? (size_t)data : to;
			continue;
		}
		ssize_t got = pread(r->fd, r->e->map + from, to - from, (off_t)from);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return -ESTALE;
		from += (size_t)got;
	}
	return 0;
}

static int read_piece(const struct reading *r, size_t from, size_t to)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), first = from / page * page;

	/* All its pages at once: a fault for each takes longer than reading it. */
	if (!r->sparse && from < to)
		madvise(r->e->map + first, to - first, MADV_POPULATE_WRITE);
	return read_range(r, from, to);
}

/* [from, to) without holes. */
static int read_around(const struct reading *r, size_t from, size_t to)
{
	const struct hole *const holes[] = { &r->code, &r->dwarf };
	int err = 0;

	for (size_t i = 0; i < 2 && !err && from < to; i++) {
		if (!is_in(holes[i], from, to))
			continue;
		if (from < holes[i]->from)
			err = read_piece(r, from, holes[i]->from);
		from = holes[i]->to;
	}
	return err || from >= to ? err : read_piece(r, from, to);
}

static void read_steps(void *ctx)
{
	struct reading *r = ctx;
	const size_t size = r->e->size;
	size_t from;

	while (!r->err && (from = atomic_fetch_add(&r->next, READ_STEP)) < size) {
		const size_t n = size - from < READ_STEP ? size - from : READ_STEP;
		int err = read_around(r, from, from + n);

		if (err)
			r->err = err;
	}
}

/* Fills the map, which is zero. A file that is no ELF is left after its first bytes. */
static int read_all(struct reading *r)
{
	const struct elffile *e = r->e;
	struct side_job jobs[READERS_MAX] = { 0 };
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int err = read_range(r, 0, SELFMAG);

	if (err || memcmp(e->map, ELFMAG, SELFMAG) != 0)
		return err;
	for (size_t i = 1; i < READERS_MAX && (long)i < cpus && i * READ_STEP < e->size; i++)
		side_job_begin(&jobs[i], read_steps, r);
	read_steps(r);
	for (size_t i = 1; i < READERS_MAX; i++)
		side_job_end(&jobs[i]);
	return r->err;
}

/*
 * The file is read, not mapped: where a mapped file is cut off, as by a rebuild in place, the next
 * look at it is a SIGBUS, and that while a program may be held.
 */
int elffile_read(struct elffile *e, int fd, const char *path, const struct elffile_part *part)
{
	struct reading r = { .e = e, .fd = fd };
	struct stat st, then;

	if (fstat(fd, &st) < 0) {
		log_error("%s: cannot be read: %s", path, strerror(errno));
		return -EIO;
	}
	if (!S_ISREG(st.st_mode) || st.st_size < SELFMAG || (uint64_t)st.st_size > FILE_MAX_BYTES) {
		log_error("%s: not an ELF executable; name the program that `go build` wrote",
			  path);
		return -ENOEXEC;
	}
	e->size = (size_t)st.st_size;
	if (part && part->names)
		find_holes(&r);
	e->left_out = r.code.to - r.code.from + r.dwarf.to - r.dwarf.from;
	if (part && part->most_bytes && e->size - e->left_out > part->most_bytes)
		return -EFBIG;
	void *p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		log_no_memory("%s: no memory for reading its %lld bytes", path,
			      (long long)st.st_size);
		return -ENOMEM;
	}
	e->map = p;
	/* A fork would copy the page table of this memory, which takes milliseconds. No forked
	 * process reads it. */
	if (madvise(p, e->size, MADV_DONTFORK))
		log_debug("%s: its copy in memory is for forked processes, too: %s", path,
			  strerror(errno));
	/* One that is compressed takes less than its size, too, and some file systems take data
	 * that was just written for holes: only a file that is nearly all holes is read past them.
	 */
	r.sparse = (uint64_t)st.st_blocks * 512 < (uint64_t)st.st_size / 8;
	int err = read_all(&r);
	if (!err && (fstat(fd, &then) || then.st_size != st.st_size ||
		     then.st_mtim.tv_sec != st.st_mtim.tv_sec ||
		     then.st_mtim.tv_nsec != st.st_mtim.tv_nsec))
		err = -ESTALE;
	if (err)
		log_error("%s: cannot be read: %s", path,
			  err == -ESTALE ? "it was changed meanwhile (a build?); try again"
					 : strerror(-err));
	return err == -ENOMEM || !err ? err : -EIO;
}
