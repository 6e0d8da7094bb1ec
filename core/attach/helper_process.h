/* SPDX-License-Identifier: BSD-2-Clause */
/* A process beside this one for what is slow and nobody should wait for. */
#ifndef GOTRACE_HELPER_PROCESS_H
#define GOTRACE_HELPER_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Forks. In the child (0 is returned) standard input, output and error are
 * /dev/null and of the other descriptors only the `n` of `keep` are open: whoever waits
 * for a pipe's end or a lock of gotrace's does not wait for this child. `keep` is sorted by it.
 * In the parent the child's pid, or -1.
 */
pid_t helper_process_fork(int *keep, size_t n);

#endif
