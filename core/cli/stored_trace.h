/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens traces by name, for verbs that read them. A name is a file, or a store of `gotrace agent`,
 * "DIR" or "DIR@FROM..TO". All profiles of a store that --service, --label and the times choose
 * become one trace. Callers act as the invoker (output_act_as_invoker). root reads another user's
 * store with that user's rights.
 */
#ifndef GOTRACE_STORED_TRACE_H
#define GOTRACE_STORED_TRACE_H

#include "cli/view_options.h"
#include "symbols/open_trace.h"

/* Opens a trace, like open_trace. o may be NULL: all profiles are read. */
struct trace_reader *open_stored(const char *name, const struct view_options *o);

#endif
