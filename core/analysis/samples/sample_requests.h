/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds waits of a server's connections for the next request, and for something to write. They make
 * no request take long. */
#ifndef GOTRACE_SAMPLE_REQUESTS_H
#define GOTRACE_SAMPLE_REQUESTS_H

#include <stdbool.h>

#include "analysis/samples/sample_load.h"

/*
 * Marks the groups of samples that are such waits. With leave_out it leaves them out. Only a
 * process that accepts connections has such waits. One is the accepting itself. The others are
 * reads from the network by some goroutines. The stack of such a goroutine has only functions of
 * the package in which it began, and of packages that only carry bytes. If that package has a
 * repository, all of the repository's packages count. A handler that reads, or a driver below it,
 * has other functions on its stack and is no such reader.
 *
 * A connection may have a reader and a writer. The writer waits at one place for a channel, a
 * select or a condition, for 90 % of its time. The stack of a writer has no functions of other
 * repositories. There are about as many writers as goroutines that read at one place. A writer is
 * marked in three cases. The two begin in methods of one type, or in functions of one function. Or
 * the reader is marked anyway, and they begin in the same repository. Or the reader is a handler
 * that took its connection over from net/http, and has a function of the writer's repository on its
 * stack. The reader is then marked, too, if it reads for 90 % of its time. A reader that waits that
 * much serves no request meanwhile.
 *
 * If next to nothing remained, or parked goroutines alone, no group is marked. Call it after
 * sample_parked_find and before sample_fill. 0 or -ENOMEM.
 */
int sample_requests_find(struct loaded_samples *s, const struct trace_info *info, bool leave_out);

/* Returns "left out: 65.2s of waiting for the next request (--parked shows it): ...". The caller
 * frees it. NULL when nothing is left out, or without memory. */
char *sample_requests_say(const struct loaded_trace *t);

#endif
