/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces by name, for verbs that read them: a file, or a store of `gotrace agent`, "DIR" or
 * "DIR@FROM..TO", of which all profiles that --service, --label and the times choose are read as
 * one trace. Callers act as the invoker (output_act_as_invoker); root reads another user's store
 * with that user's rights.
 */
#ifndef GOTRACE_STORED_TRACE_H
#define GOTRACE_STORED_TRACE_H

#include "cli/view_options.h"
#include "symbols/open_trace.h"

/* As open_trace; o: NULL, nothing is chosen. */
struct trace_reader *open_stored(const char *name, const struct view_options *o);

/*
 * A moment, ns since 1970: "-1h" (before now_ns), "2026-11-25", "2026-11-25T03:00[:00]", "03:00"
 * (today's), all by the local time; with a Z behind them by UTC. 0 or -EINVAL.
 */
int parse_moment(const char *s, uint64_t now_ns, uint64_t *ns);

#endif
