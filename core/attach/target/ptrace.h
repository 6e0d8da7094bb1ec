/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_ATTACH_TARGET_PTRACE_H
#define GOTRACE_ATTACH_TARGET_PTRACE_H

#include <stdint.h>
#include <sys/types.h>

/* Calls ptrace(2) for a thread. Returns 0 or -errno. */
int ptrace_do(int request, pid_t tid, uintptr_t addr, uintptr_t data);

/*
 * Calls ptrace(2) to restore a thread. A thread that continues with gotrace's registers or signal
 * mask is harmed. So it tries again after a failure, unless the thread is gone (-ESRCH).
 */
int ptrace_must(int request, pid_t tid, uintptr_t addr, uintptr_t data);

#endif
