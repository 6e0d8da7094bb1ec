/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_END_AS_H
#define GOTRACE_END_AS_H

/*
 * Ends as a process that waitpid() gave wait_status of: dies by the same signal, without a core, as
 * that process has dumped the one that matters. Otherwise returns the exit status to end with.
 */
int end_as(int wait_status);

#endif
