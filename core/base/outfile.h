/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that an output was written completely. */
#ifndef GOTRACE_OUTFILE_H
#define GOTRACE_OUTFILE_H

#include <stdio.h>

/* Flushes. 0, or -errno when something could not be written to out (logged, but for -EPIPE). */
int outfile_check(FILE *out);
/* Ends work that returned err. If something could not be written, logs that reason. Returns err, or
 * outfile_check's. */
int outfile_end(FILE *out, int err);

#endif
