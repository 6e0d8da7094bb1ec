/* SPDX-License-Identifier: BSD-2-Clause */
/* One of all reports, exports and diffs of a trace, into nothing: what fuzzers of outputs share. */
#ifndef GOTRACE_OUTPUTS_FIXTURE_H
#define GOTRACE_OUTPUTS_FIXTURE_H

/* `which`, 0 to 127, says which; `with` is the trace that a diff compares with. */
void outputs_print(const char *path, const char *with, unsigned which);

#endif
