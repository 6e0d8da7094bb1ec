/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of other processes. A page of it may belong to userfaultfd or FUSE, and whoever has to
 * fill it may take his time: process_vm_readv sleeps until then, and only SIGKILL ends that sleep
 * (handle_userfault, fs/userfaultfd.c; process_vm_rw, mm/process_vm_access.c). So a child of this
 * process reads, and is killed when it takes too long.
 */
#ifndef GOTRACE_PROCESS_MEMORY_H
#define GOTRACE_PROCESS_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define PROCESS_MEMORY_PIECES 1024
#define PROCESS_MEMORY_BYTES  (1u << 20) /* of all pieces of one read */

/* Starts the child that reads. Without it the first read does, which takes longer the more memory
 * this process has. 0 or -errno. */
int process_memory_begin(void);

/*
 * Reads n pieces of the memory of process pid into `to`, one after the other, as process_vm_readv
 * does: how many bytes of it are there, or -errno. -ETIMEDOUT: it did not answer within a second.
 * -EAGAIN: until_ns (CLOCK_MONOTONIC) is over, nothing was read. -E2BIG: more pieces or bytes than
 * above. Threads may call this at once: they wait for each other.
 */
ssize_t process_memory_read(pid_t pid, void *to, const struct iovec *pieces, size_t n,
			    uint64_t until_ns);

/* One piece of any length. 0, -EFAULT where not all of it is there, or -errno as above. */
int process_memory_read_all(pid_t pid, uint64_t at, void *to, size_t bytes, uint64_t until_ns);

/* While others wait for this process, its child is as urgent: `nice` as in setpriority. */
void process_memory_nice(int nice);

/* Ends the child. It ends with this process, too. */
void process_memory_end(void);

#endif
