/* SPDX-License-Identifier: BSD-2-Clause */
/* The few probes inside the Go runtime that every trace has: all rare events. */
#ifndef GOTRACE_RUNTIME_SITES_H
#define GOTRACE_RUNTIME_SITES_H

#include "binary/gocode.h"
#include "plan/plan.h"

/* Adds the sites this Go version has; sets p->ends_seen and its kin. Those a version lacks,
 * or whose code cannot be decoded, are left out: the trace is then read with
 * the weaker inference and says so. 0 or -errno. */
int plan_add_runtime_sites(struct plan *p, struct gocode_ctx *ctx);

#endif
