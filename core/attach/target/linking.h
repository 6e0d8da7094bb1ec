/* SPDX-License-Identifier: BSD-2-Clause */
/* A child of ours goes on from its exec until its dynamic linker has mapped its libraries. */
#ifndef GOTRACE_LINKING_H
#define GOTRACE_LINKING_H

#include "attach/target/inject.h"

/*
 * Instead of inject_end. mapped(ctx, pid) is called while the process is held still: at its exec,
 * and whenever the linker has mapped code, before any of it can run. The process is let go at its
 * first system call that is none of the linker's, or after two seconds. Until then ptrace looks at
 * its system calls, which ends with this process and changes nothing in it; signals are delivered.
 * 0, or why that was given up before: -ECHILD (it ended, see *in->wait_status), -ENOEXEC (it
 * executed something else), -ETIMEDOUT, -errno of ptrace. It has been let go in any case.
 */
int linking_pass(struct inject *in, void (*mapped)(void *ctx, pid_t pid), void *ctx);

#endif
