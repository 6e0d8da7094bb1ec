// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/held_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int held_text_open(struct held_text *h, pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	*h = (struct held_text){ .pid = pid, .mem_fd = open(path, O_RDWR | O_CLOEXEC) };
	return h->mem_fd < 0 ? -errno : 0;
}

/* The thread that the file is of. It may not stop at once. */
static bool hold(struct held_text *h)
{
	for (unsigned try = 0; !h->held && try < THREADS_TRIES; try++) {
		int err = threads_stop(&h->threads, h->pid, h->pid, try);

		h->held = !err;
		if (err)
			threads_go(&h->threads);
		if (err && err != -ETIMEDOUT)
			break;
	}
	h->refused = !h->held;
	return h->held;
}

bool held_text_write(struct held_text *h, uint64_t at, uint8_t byte)
{
	if (pwrite(h->mem_fd, &byte, 1, (off_t)at) == 1)
		return true;
	return errno == EIO && !h->held && !h->refused && hold(h) &&
	       pwrite(h->mem_fd, &byte, 1, (off_t)at) == 1;
}

void held_text_close(struct held_text *h)
{
	if (h->held)
		threads_go(&h->threads);
	close(h->mem_fd);
}
