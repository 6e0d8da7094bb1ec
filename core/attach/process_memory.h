/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads memory of other processes. A page of it may belong to userfaultfd or FUSE, and its owner
 * may fill it late. process_vm_readv sleeps until then, and only SIGKILL ends that sleep
 * (handle_userfault, fs/userfaultfd.c; process_vm_rw, mm/process_vm_access.c). So a child of
 * gotrace reads, and gotrace kills the child if it takes too long.
 */
#ifndef GOTRACE_PROCESS_MEMORY_H
#define GOTRACE_PROCESS_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define PROCESS_MEMORY_PIECES 1024
#define PROCESS_MEMORY_BYTES  (1u << 20) /* most bytes of all pieces of one read */

/* Starts the child that reads. Otherwise the first read starts it. Starting takes longer the more
 * memory gotrace has. Returns 0 or -errno. */
int process_memory_begin(void);

/*
 * Reads n pieces of the memory of process pid into `to`, one after the other, like
 * process_vm_readv. Returns the number of bytes read, or -errno. -ETIMEDOUT: there was no answer
 * within a second. -EAGAIN: until_ns (CLOCK_MONOTONIC) is over, and nothing was read. -E2BIG: the
 * read has more pieces or bytes than above. Several threads may call it at once; each waits for the
 * others.
 */
ssize_t process_memory_read(pid_t pid, void *to, const struct iovec *pieces, size_t n,
			    uint64_t until_ns);

/* Reads one piece of any length. Returns 0, -EFAULT if some bytes are missing, or -errno as above.
 */
int process_memory_read_all(pid_t pid, uint64_t at, void *to, size_t bytes, uint64_t until_ns);

/* Sets the priority of the child, while other processes wait for gotrace. `nice`: as in
 * setpriority. */
void process_memory_nice(int nice);

/* Ends the child. The child also ends when gotrace ends. */
void process_memory_end(void);

#endif
