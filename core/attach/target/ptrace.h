/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_ATTACH_TARGET_PTRACE_H
#define GOTRACE_ATTACH_TARGET_PTRACE_H

#include <stdint.h>
#include <sys/types.h>

/* ptrace(2) of a thread; 0 or -errno. */
int ptrace_do(int request, pid_t tid, uintptr_t addr, uintptr_t data);

/*
 * The same of what puts a thread back as it was: a thread that is let go with our registers or
 * our signal mask is harmed. Tried again when it fails, unless the thread is gone (-ESRCH).
 */
int ptrace_must(int request, pid_t tid, uintptr_t addr, uintptr_t data);

#endif
