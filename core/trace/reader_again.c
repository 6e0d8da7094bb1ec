// SPDX-License-Identifier: BSD-2-Clause
/* What changes in a file that is being read: summaries are written over, and it grows. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/vec.h"
#include "trace/reader_internal.h"

/* Does a writer hold its lock on the file? */
static bool is_locked(int fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	return !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

void reader_look_how_far(struct trace_reader *r)
{
	struct stat st;

	r->growing = is_locked(r->fd);
	r->until = r->growing && !fstat(r->fd, &st) && S_ISREG(st.st_mode)
			   ? (uint64_t)st.st_size
			   : UINT64_MAX; /* a pipe has no size */
}

/* Which is torn where its writer was killed, and of which there is another then. */
const char *reader_take_summary(struct trace_reader *r, const struct chunk_head *h)
{
	if (vec_reserve(&r->slots, &r->cap_slots, r->n_slots + 1))
		return "";
	r->slots[r->n_slots++] = (struct slot){ r->off - h->stored_bytes, h->stored_bytes };
	return summary_newest_take(&r->summary, r->stored.data, h->stored_bytes) ? "" : NULL;
}

int trace_reader_summary(struct trace_reader *r, const uint8_t **p, size_t *n)
{
	int got = summary_newest_unpack(&r->summary);

	*p = r->summary.raw.data;
	*n = r->summary.raw.n;
	return got;
}

static int no_memory(const struct trace_reader *r)
{
	log_no_memory("%s: no memory for reading it", r->name);
	return -ENOMEM;
}

/* A newer one may be in a slot that was read before. */
static int reread_slots(struct trace_reader *r)
{
	int err = 0;

	for (size_t i = 0; !err && i < r->n_slots; i++) {
		const struct slot *s = &r->slots[i];

		if (vec_reserve(&r->stored.data, &r->stored.cap, (size_t)s->bytes + 1))
			return no_memory(r);
		ssize_t got = pread(r->fd, r->stored.data, s->bytes, (off_t)s->off);

		if (got == (ssize_t)s->bytes &&
		    summary_newest_take(&r->summary, r->stored.data, s->bytes))
			err = no_memory(r);
	}
	return err;
}

int trace_reader_again(struct trace_reader *r)
{
	if (r->err)
		return r->err;
	if (lseek(r->fd, (off_t)r->sound, SEEK_SET) < 0) {
		int err = -errno;

		log_error("%s: cannot be read again: %s", r->name, strerror(-err));
		return err;
	}
	r->off = r->sound;
	r->ended = r->complete;
	reader_look_how_far(r);
	return reread_slots(r);
}

/* ---- how far it is */

uint64_t trace_reader_bytes(const struct trace_reader *r)
{
	return r->off;
}

bool trace_reader_complete(const struct trace_reader *r)
{
	return r->complete;
}

bool trace_reader_growing(const struct trace_reader *r)
{
	return r->growing;
}
