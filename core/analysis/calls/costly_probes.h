/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_COSTLY_PROBES_H
#define GOTRACE_COSTLY_PROBES_H

#include "analysis/notes.h"
#include "analysis/trace_load.h"

/*
 * Adds the few functions that caused most of the probes' cost, and the options that leave them out.
 * The trace must be corrected and shown whole. Adds nothing when there are many such functions.
 */
void costly_probes_notes(const struct loaded_trace *trace, struct notes *to);

#endif
