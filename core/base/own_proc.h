/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc may be mounted for another PID namespace than gotrace's (unshare --pid without
 * --mount-proc). The numbers there then belong to other processes. */
#ifndef GOTRACE_OWN_PROC_H
#define GOTRACE_OWN_PROC_H

#include <stdbool.h>

/* Returns whether /proc, mounted at `proc`, numbers processes as the kernel does for gotrace. Logs
 * why not. */
bool own_proc(const char *proc);

#endif
