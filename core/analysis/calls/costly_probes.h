/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_COSTLY_PROBES_H
#define GOTRACE_COSTLY_PROBES_H

#include "analysis/notes.h"
#include "analysis/trace_load.h"

/*
 * Which few functions made most of what the probes cost, and the options that leave them out; of a
 * trace whose times were corrected, and that is shown whole. Nothing when it takes many.
 */
void costly_probes_notes(const struct loaded_trace *trace, struct notes *to);

#endif
