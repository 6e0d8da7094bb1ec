// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/call_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"

/*
 * Written and read by calls, not through a mapping: what a mapping has touched
 * counts as memory of the process, and a kernel may map much around a page.
 */
#define RING_SLOTS ((size_t)1 << 16) /* 4 MiB */
#define HALF       (RING_SLOTS / 2)  /* written at once */

int call_spool_open(struct call_spool *f)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];

	*f = (struct call_spool){ .fd = -1, .recent = calloc(RING_SLOTS, sizeof(*f->recent)) };
	if (!f->recent) {
		log_no_memory("no memory for the list of calls");
		return -ENOMEM;
	}
	snprintf(path, sizeof(path), "%s/gotrace-calls-XXXXXX", dir && *dir ? dir : "/tmp");
	f->fd = mkostemp(path, O_CLOEXEC);
	if (f->fd < 0) {
		int err = -errno;

		log_error("%s: cannot make a temporary file: %s; set TMPDIR to a folder with room",
			  path, strerror(-err));
		return err;
	}
	unlink(path);
	return 0;
}

static int write_at(struct call_spool *f, size_t slot, const struct call *calls, size_t n)
{
	size_t done = 0, size = n * sizeof(*calls);

	while (done < size) {
		ssize_t got = pwrite(f->fd, (const char *)calls + done, size - done,
				     (off_t)(slot * sizeof(*calls) + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			int err = got ? -errno : -EIO;

			log_error(
				"the list of calls cannot be put into a temporary file: %s; set TMPDIR to a folder with room",
				strerror(-err));
			return err;
		}
		done += (size_t)got;
	}
	return 0;
}

/* The older half of the ring goes to the file; ring places 0 and HALF begin a half. */
static int write_half(struct call_spool *f)
{
	struct call *half = &f->recent[f->recent_at & (RING_SLOTS - 1)];
	int err = write_at(f, f->recent_at, half, HALF);

	memset(half, 0, HALF * sizeof(*half));
	f->recent_at += HALF;
	return err;
}

int call_spool_put(struct call_spool *f, const struct call *call)
{
	struct call copy, *c = &copy;
	int err = kept_values_put(&f->values, call, c);

	if (!err && c->order < f->recent_at)
		return write_at(f, c->order, c, 1);
	while (!err && c->order >= f->recent_at + RING_SLOTS)
		err = write_half(f);
	if (err)
		return err;
	f->recent[c->order & (RING_SLOTS - 1)] = *c;
	if (c->order >= f->n)
		f->n = c->order + 1;
	return 0;
}

/* All goes to the file; the ring is to hold what is read from now on. */
static int begin_reading(struct call_spool *f)
{
	int err = 0;

	while (!err && f->recent_at < f->n)
		err = write_half(f);
	f->reading = true;
	return err;
}

static int read_window(struct call_spool *f, size_t i)
{
	size_t want = f->n - i < RING_SLOTS ? f->n - i : RING_SLOTS,
	       size = want * sizeof(*f->recent), done = 0;

	while (done < size) {
		ssize_t got = pread(f->fd, (char *)f->recent + done, size - done,
				    (off_t)(i * sizeof(*f->recent) + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			int err = got ? -errno : -EIO;

			log_error("the list of calls cannot be read back: %s", strerror(-err));
			return err;
		}
		done += (size_t)got;
	}
	f->recent_at = i;
	f->recent_n = want;
	return 0;
}

int call_spool_get(struct call_spool *f, size_t i, const struct call **c)
{
	int err = f->reading ? 0 : begin_reading(f);

	if (!err && (i < f->recent_at || i >= f->recent_at + f->recent_n))
		err = read_window(f, i);
	*c = !err && f->recent[i - f->recent_at].end_ns ? &f->recent[i - f->recent_at] : NULL;
	return err;
}

int call_spool_map(struct call_spool *f)
{
	int err = f->reading ? 0 : begin_reading(f);

	if (err || !f->n)
		return err;
	void *p = mmap(NULL, f->n * sizeof(*f->slots), PROT_READ | PROT_WRITE, MAP_SHARED, f->fd,
		       0);

	if (p == MAP_FAILED) {
		err = -errno;
		log_error("the list of calls cannot be read back: %s", strerror(-err));
		return err;
	}
	f->slots = p;
	return 0;
}

void call_spool_close(struct call_spool *f)
{
	if (f->slots)
		munmap(f->slots, f->n * sizeof(*f->slots));
	free(f->recent);
	kept_values_free(&f->values);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct call_spool){ .fd = -1 };
}
