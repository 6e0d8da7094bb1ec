/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether an output got to where it was to go. */
#ifndef GOTRACE_OUTFILE_H
#define GOTRACE_OUTFILE_H

#include <stdio.h>

/* Flushes. 0, or -errno when something could not be written to out (logged). */
int outfile_check(FILE *out);
/* The same of work that ended with err: where it could not write, that is why, and is told. Returns
 * err, or outfile_check's. */
int outfile_end(FILE *out, int err);

#endif
