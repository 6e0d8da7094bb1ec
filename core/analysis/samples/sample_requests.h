/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits of a server's connections for the next request: no request takes long for them. */
#ifndef GOTRACE_SAMPLE_REQUESTS_H
#define GOTRACE_SAMPLE_REQUESTS_H

#include "analysis/samples/sample_load.h"

/*
 * Marks the groups of samples that are such waits, and leaves them out if so asked for: in a
 * process that accepts connections, the accepting itself, and reads from the network by a goroutine
 * of which no function is on the stack but those of the package (its repository's, if it has one)
 * that it began in, and of packages that only carry bytes. A handler that reads, or a driver below
 * it, has others on its stack. If next to nothing remained, no group is marked. Call it after
 * sample_parked_find and before sample_fill. 0 or -ENOMEM.
 */
int sample_requests_find(struct loaded_samples *s, bool leave_out);

/* "left out: 65.2s of waiting for the next request (--parked shows it): ...", to be freed; NULL:
 * nothing is left out, or no memory. */
char *sample_requests_say(const struct loaded_trace *t);

#endif
