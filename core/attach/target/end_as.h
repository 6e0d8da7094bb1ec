/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_END_AS_H
#define GOTRACE_END_AS_H

/*
 * Ends gotrace like a process with this wait_status of waitpid(). If a signal killed the process,
 * gotrace dies by the same signal. It dumps no core, because that process has dumped the one that
 * matters. Otherwise it returns the exit status to end with.
 */
int end_as(int wait_status);

#endif
