/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits of a server's connections for their next request. */
#ifndef GOTRACE_SAMPLE_REQUESTS_H
#define GOTRACE_SAMPLE_REQUESTS_H

#include "analysis/samples/sample_load.h"

/*
 * Marks the groups of samples that are such waits, and leaves them out if so asked for. A process
 * that accepts connections is a server. Its accepting counts, and each read from the network by a
 * goroutine that does nothing else there. Such a goroutine has functions on its stack of three
 * kinds alone. They are of the package that it began in, of the same repository, or of packages
 * that carry bytes. A handler that reads has others, and so has a driver below it. If next to
 * nothing remained, no group is marked. Call it after sample_parked_find and before sample_fill. 0
 * or -ENOMEM.
 */
int sample_requests_find(struct loaded_samples *s, bool leave_out);

/* Returns "left out: 65.2s of waiting for the next request (--parked shows it): ...", to be freed.
 * NULL if nothing is left out, or without memory. */
char *sample_requests_say(const struct loaded_trace *t);

#endif
