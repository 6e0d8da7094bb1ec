/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Beyond a file size limit (ulimit -f) a write sends SIGXFSZ, which ends a process without a word.
 * Blocked, it is an error like that of a full disk. Programs that gotrace executes get the old
 * mask.
 */
#ifndef GOTRACE_FILE_LIMIT_H
#define GOTRACE_FILE_LIMIT_H

#include <signal.h>

/* Once, before there is a second thread. */
void file_limit_block(void);
/* The signal mask as it was before. */
const sigset_t *file_limit_mask(void);
/* Sets that mask, for an exec to come. In a forked child. */
void file_limit_put_back(void);

#endif
