/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A write beyond a file size limit (ulimit -f) sends SIGXFSZ, which ends a process without a
 * message. When the signal is blocked, the write fails as on a full disk. Programs that gotrace
 * executes get the old mask.
 */
#ifndef GOTRACE_FILE_LIMIT_H
#define GOTRACE_FILE_LIMIT_H

#include <signal.h>

/* Blocks the signal. To be called once, before there is a second thread. */
void file_limit_block(void);
/* Returns the signal mask before that. */
const sigset_t *file_limit_mask(void);
/* Sets that mask in a forked child, before its exec. */
void file_limit_put_back(void);

#endif
