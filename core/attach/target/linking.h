/* SPDX-License-Identifier: BSD-2-Clause */
/* A child of gotrace continues from its exec until its dynamic linker has mapped its libraries. */
#ifndef GOTRACE_LINKING_H
#define GOTRACE_LINKING_H

#include "attach/target/inject.h"

/*
 * The caller calls it instead of inject_end. It calls mapped(ctx, pid) while the process is
 * stopped: at its exec, and each time that the linker has mapped code, before that code can run. It
 * lets the process go at its first system call after the linker's, or after two seconds. Until then
 * ptrace observes its system calls. This ends when gotrace ends, and changes nothing in the
 * process. Signals are delivered.
 *
 * Returns 0, or the reason of an early end: -ECHILD (the process ended, see *in->wait_status),
 * -ENOEXEC (it executed another image), -ETIMEDOUT, or -errno of ptrace. In any case the process
 * has been let go.
 */
int linking_pass(struct inject *in, void (*mapped)(void *ctx, pid_t pid), void *ctx);

#endif
