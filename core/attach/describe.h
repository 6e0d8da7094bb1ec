/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of a trace: functions and sites of the plan, binary, host. */
#ifndef GOTRACE_DESCRIBE_H
#define GOTRACE_DESCRIBE_H

#include "attach/probing.h"
#include "plan/plan.h"
#include "trace/trace.h"

/* Sites keep their numbers; functions that are not probed are left out and the others renumbered.
 * Also adds warnings: what is not traced and why. 0 or -ENOMEM. */
int describe_plan(struct trace_info *info, const struct plan *plan);
/* The keys of inline stubs' rings; event_ns: what an event of theirs costs, 0: not known. 0 or
 * -ENOMEM. */
int describe_inline_rings(struct trace_info *info, const struct probing *p, uint64_t event_ns);
/* The keys KEY_PROBE_STRATEGY and KEY_PROBE_WHY, and those of states, when they are recorded. 0 or
 * -ENOMEM. */
int describe_strategy(struct trace_info *info, const struct probing *p);
/* The keys of the binary and its Go version. 0 or -ENOMEM. */
int describe_binary(struct trace_info *info, const struct gobin *b, const char *path,
		    bool layout_from_dwarf);
/* The keys of the host and its clocks. 0 or -errno. */
int describe_host(struct trace_info *info);

#endif
