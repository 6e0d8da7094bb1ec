// SPDX-License-Identifier: BSD-2-Clause
#include "export/callfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"

#define FIRST_SLOTS    ((size_t)1 << 14)
#define RESIDENT_SLOTS ((size_t)1 << 17) /* 8 MiB */

int callfile_open(struct callfile *f)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];

	*f = (struct callfile){ .fd = -1 };
	snprintf(path, sizeof(path), "%s/gotrace-calls-XXXXXX", dir && *dir ? dir : "/tmp");
	f->fd = mkostemp(path, O_CLOEXEC);
	if (f->fd < 0) {
		int err = -errno;

		log_error("%s: cannot make a temporary file: %s; set TMPDIR to a folder with room", path, strerror(-err));
		return err;
	}
	unlink(path);
	return 0;
}

static int grow(struct callfile *f)
{
	size_t cap = f->cap ? 2 * f->cap : FIRST_SLOTS;
	/* Blocks are taken now: a full disk met through the mapping would be SIGBUS. */
	int err = -posix_fallocate(f->fd, 0, (off_t)(cap * sizeof(*f->slots)));
	void *p = MAP_FAILED;

	if (!err) {
		p = f->slots ? mremap(f->slots, f->cap * sizeof(*f->slots), cap * sizeof(*f->slots), MREMAP_MAYMOVE) :
			       mmap(NULL, cap * sizeof(*f->slots), PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
		if (p == MAP_FAILED)
			err = -errno;
	}
	if (err) {
		log_error("the list of calls needs %zu bytes of temporary space: %s; set TMPDIR to a folder with room",
			  cap * sizeof(*f->slots), strerror(-err));
		return err;
	}
	f->slots = p;
	f->cap = cap;
	return 0;
}

/* The file keeps what the mapping lets go of. */
static void touched(struct callfile *f)
{
	if (++f->resident < RESIDENT_SLOTS)
		return;
	madvise(f->slots, f->cap * sizeof(*f->slots), MADV_DONTNEED);
	f->resident = 0;
}

int callfile_put(struct callfile *f, const struct call *c)
{
	if (c->order >= f->n) {
		if (c->order >= f->cap) {
			int err = grow(f);

			if (err)
				return err;
		}
		f->n = c->order + 1;
	}
	f->slots[c->order] = *c;
	touched(f);
	return 0;
}

const struct call *callfile_get(struct callfile *f, size_t i)
{
	touched(f);
	return f->slots[i].end_ns ? &f->slots[i] : NULL;
}

void callfile_close(struct callfile *f)
{
	if (f->slots)
		munmap(f->slots, f->cap * sizeof(*f->slots));
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct callfile){ .fd = -1 };
}
