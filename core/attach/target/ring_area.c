// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/ring_area.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008u /* 105ff5339f49, Linux 6.3 */
#endif

size_t ring_area_offset(const struct ring_area *a, unsigned i)
{
	return RING_AREA_SIGNALS + (size_t)i * (RING_DATA + a->ring_bytes);
}

/* Raises the limit of `ulimit -f` to `bytes` at least. 0, or -EFBIG: gotrace may not. */
static int raise_limit(size_t bytes, struct rlimit *old)
{
	struct rlimit most = { RLIM_INFINITY, RLIM_INFINITY };

	if (getrlimit(RLIMIT_FSIZE, old))
		return -errno;
	if (old->rlim_cur >= bytes || !setrlimit(RLIMIT_FSIZE, &most))
		return 0;
	most = (struct rlimit){ old->rlim_max, old->rlim_max };
	return old->rlim_max < bytes || setrlimit(RLIMIT_FSIZE, &most) ? -EFBIG : 0;
}

/* ftruncate, whatever `ulimit -f` says of files: past it, the kernel kills who does it. */
static int set_size(int fd, size_t bytes)
{
	struct rlimit old;
	int err = raise_limit(bytes, &old);

	if (err)
		return err;
	err = ftruncate(fd, (off_t)bytes) ? -errno : 0;
	setrlimit(RLIMIT_FSIZE, &old);
	return err;
}

/* Within the file's size, of which the limit says nothing. */
static int allocate(int fd, size_t from, size_t bytes)
{
	return fallocate(fd, 0, (off_t)from, (off_t)bytes) ? -errno : 0;
}

const char *ring_area_obstacle(unsigned n, uint32_t ring_bytes)
{
	const struct ring_area a = { .n = n, .ring_bytes = ring_bytes };
	struct rlimit old;

	if (raise_limit(ring_area_offset(&a, n), &old))
		return "files may not be as large as the rings in memory (ulimit -f; --ring and "
		       "--rings make them smaller)";
	setrlimit(RLIMIT_FSIZE, &old);
	return NULL;
}

size_t ring_area_there(const struct ring_area *a, unsigned i)
{
	return RING_DATA + a->there[i];
}

static int fill_file(struct ring_area *a)
{
	int err = set_size(a->fd, a->bytes);

	if (!err)
		err = allocate(a->fd, 0, RING_AREA_SIGNALS);
	for (unsigned i = 0; i < a->n && !err; i++) {
		a->there[i] = a->ring_bytes < RING_AREA_FIRST ? a->ring_bytes : RING_AREA_FIRST;
		err = allocate(a->fd, ring_area_offset(a, i), ring_area_there(a, i));
	}
	if (!err && fcntl(a->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		err = -errno;
	return err;
}

int ring_area_make_in(struct ring_area *a, int fd, unsigned n, uint32_t ring_bytes)
{
	*a = (struct ring_area){ .fd = fd, .n = n, .ring_bytes = ring_bytes };
	a->bytes = ring_area_offset(a, n);
	int err = fill_file(a);
	if (err)
		return err;
	void *at = mmap(NULL, a->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, a->fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	a->at = at;
	madvise(at, a->bytes, MADV_DONTDUMP);
	for (unsigned i = 0; i < a->n; i++)
		a->memory[i] = (struct ring_memory){ .at = a->at + ring_area_offset(a, i),
						     .size = ring_bytes };
	return 0;
}

int ring_area_make(struct ring_area *a, unsigned n, uint32_t ring_bytes)
{
	int fd = memfd_create(RING_AREA_FILE, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	*a = (struct ring_area){ .fd = -1 };
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(RING_AREA_FILE, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 ? -errno : ring_area_make_in(a, fd, n, ring_bytes);
}

static void set_tails(struct ring_area *a, uint64_t tail)
{
	for (unsigned i = 0; i < a->n; i++) {
		struct ring_head *h = a->memory[i].at;

		__atomic_store_n(&h->tail, tail, __ATOMIC_RELEASE);
	}
}

void ring_area_shut(struct ring_area *a)
{
	set_tails(a, RING_SHUT);
}

void ring_area_open(struct ring_area *a)
{
	set_tails(a, 0);
}

/* Its size is a power of two, and so is what is there. */
static void grow(struct ring_area *a, unsigned i)
{
	const struct ring_head *h = a->memory[i].at;
	const uint64_t head = __atomic_load_n(&h->head, __ATOMIC_RELAXED);

	while (a->there[i] < a->ring_bytes && head >= a->there[i] / 2) {
		int err = allocate(a->fd, ring_area_offset(a, i) + ring_area_there(a, i),
				   a->there[i]);

		if (err == -EINTR) /* of a signal, or held still: next time */
			return;
		if (err)
			log_debug("no more memory for ring %u: %s", i, strerror(-err));
		a->there[i] = err ? a->ring_bytes : 2 * a->there[i];
	}
}

void ring_area_grow(struct ring_area *a)
{
	for (unsigned i = 0; i < a->n; i++)
		grow(a, i);
}

void ring_area_close(struct ring_area *a)
{
	if (a->at)
		munmap(a->at, a->bytes);
	if (a->fd >= 0)
		close(a->fd);
	*a = (struct ring_area){ .fd = -1 };
}

const struct ring_signals *ring_area_signals(const struct ring_area *a)
{
	return (const struct ring_signals *)a->at;
}
