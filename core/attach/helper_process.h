/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs slow teardown in a detached child, so that the caller does not wait for it. */
#ifndef GOTRACE_HELPER_PROCESS_H
#define GOTRACE_HELPER_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Forks a helper with its own session. Returns 0 in the helper, the helper's pid in the parent, or
 * -1. The helper's standard input, output and error are /dev/null. It keeps the `n` descriptors in
 * `keep` open and closes all others. So a process that waits for gotrace to close a pipe or drop a
 * lock does not wait for the helper. Sorts `keep`.
 */
pid_t helper_process_fork(int *keep, size_t n);

#endif
