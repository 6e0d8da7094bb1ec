/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs slow teardown in a detached child, so that nobody waits for it. */
#ifndef GOTRACE_HELPER_PROCESS_H
#define GOTRACE_HELPER_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Forks a helper in a session of its own. In it 0 is returned, standard input, output and error are
 * /dev/null, and of the other descriptors only the `n` of `keep` are open, so that nobody who
 * waits for gotrace's end of a pipe, or for a lock of its, waits for the helper. Sorts `keep`.
 * In the parent the helper's pid, or -1.
 */
pid_t helper_process_fork(int *keep, size_t n);

#endif
