/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of a trace: functions and sites of the plan, binary, host. */
#ifndef GOTRACE_DESCRIBE_H
#define GOTRACE_DESCRIBE_H

#include "attach/probing.h"
#include "plan/plan.h"
#include "trace/trace.h"

/* Adds functions and sites of the plan. Sites keep their numbers. Functions without probes are left
 * out, and the others get new numbers. Adds warnings about what is not traced, with the reason.
 * Returns 0 or -ENOMEM. */
int describe_plan(struct trace_info *info, const struct plan *plan);
/* Adds the keys of inline stubs' rings. event_ns is the cost of their event, or 0 if it is not
 * known. Returns 0 or -ENOMEM. */
int describe_inline_rings(struct trace_info *info, const struct probing *p, uint64_t event_ns);
/* Adds KEY_PROBE_STRATEGY and KEY_PROBE_WHY, and the keys of states if these are recorded. Returns
 * 0 or -ENOMEM. */
int describe_strategy(struct trace_info *info, const struct probing *p);
/* Adds the keys of the binary and its Go version. Returns 0 or -ENOMEM. */
int describe_binary(struct trace_info *info, const struct gobin *b, const char *path,
		    bool layout_from_dwarf);
/* Adds the keys of the host and its clocks. Returns 0 or -errno. */
int describe_host(struct trace_info *info);

#endif
