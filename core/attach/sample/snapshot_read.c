// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <sys/uio.h>

#include "attach/sample/snapshot_walk.h"

int snapshot_read(pid_t pid, uint64_t at, void *to, size_t bytes)
{
	const struct iovec here = { .iov_base = to, .iov_len = bytes };
	const struct iovec there = { .iov_base = (void *)(uintptr_t)at, .iov_len = bytes };
	ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);

	return got < 0 ? -errno : (size_t)got == bytes ? 0 : -EFAULT;
}
