/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints one of all reports, exports and diffs of a trace into nothing, for fuzzers of outputs. */
#ifndef GOTRACE_OUTPUTS_FIXTURE_H
#define GOTRACE_OUTPUTS_FIXTURE_H

/* `which`, 0 to 127, chooses the output. `with` is the trace that a diff compares with. */
void outputs_print(const char *path, const char *with, unsigned which);

#endif
