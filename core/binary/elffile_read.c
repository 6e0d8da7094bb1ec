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
	atomic_size_t next;
	atomic_int err;
};

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

static void read_steps(void *ctx)
{
	struct reading *r = ctx;
	const size_t size = r->e->size;
	size_t from;

	while (!r->err && (from = atomic_fetch_add(&r->next, READ_STEP)) < size) {
		const size_t n = size - from < READ_STEP ? size - from : READ_STEP;

		/* All its pages at once: a fault for each takes longer than reading it. */
		if (!r->sparse)
			madvise(r->e->map + from, n, MADV_POPULATE_WRITE);
		int err = read_range(r, from, from + n);

		if (err)
			r->err = err;
	}
}

/* Fills e->map, which is zero. A file that is no ELF is left after its first bytes. */
static int read_all(const struct elffile *e, int fd, bool sparse)
{
	struct reading r = { .e = e, .fd = fd, .sparse = sparse };
	struct side_job jobs[READERS_MAX] = { 0 };
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int err = read_range(&r, 0, SELFMAG);

	if (err || memcmp(e->map, ELFMAG, SELFMAG) != 0)
		return err;
	for (size_t i = 1; i < READERS_MAX && (long)i < cpus && i * READ_STEP < e->size; i++)
		side_job_begin(&jobs[i], read_steps, &r);
	read_steps(&r);
	for (size_t i = 1; i < READERS_MAX; i++)
		side_job_end(&jobs[i]);
	return r.err;
}

/*
 * The file is read, not mapped: where a mapped file is cut off, as by a rebuild in place, the next
 * look at it is a SIGBUS, and that while a program may be held.
 */
int elffile_read(struct elffile *e, int fd, const char *path)
{
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
	void *p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		log_no_memory("%s: no memory for reading its %lld bytes", path,
			      (long long)st.st_size);
		return -ENOMEM;
	}
	e->map = p;
	e->size = (size_t)st.st_size;
	/* One that is compressed takes less than its size, too, and some file systems take data
	 * that was just written for holes: only a file that is nearly all holes is read past them.
	 */
	int err = read_all(e, fd, (uint64_t)st.st_blocks * 512 < (uint64_t)st.st_size / 8);
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
