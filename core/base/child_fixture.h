/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs what ends or prints in a child, for tests of its exit status and output. */
#ifndef GOTRACE_CHILD_FIXTURE_H
#define GOTRACE_CHILD_FIXTURE_H

#include <stddef.h>

/* Runs body in a child, whose standard output and error are the second of fds. Both of fds are
 * closed. Returns the exit status, 0 if body returns. `said` gets what comes out of the first of
 * fds, cut to size - 1 bytes. */
int fixture_child(const int fds[2], void (*body)(void *ctx), void *ctx, char *said, size_t size);
/* Makes fds for fixture_child: a terminal of that many columns, or a pipe for 0. */
void fixture_output(unsigned columns, int fds[2]);

#endif
