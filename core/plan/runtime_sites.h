/* SPDX-License-Identifier: BSD-2-Clause */
/* The few sites inside the Go runtime that every trace has, for rare events. */
#ifndef GOTRACE_RUNTIME_SITES_H
#define GOTRACE_RUNTIME_SITES_H

#include "binary/gocode.h"
#include "plan/plan.h"

/* Adds the sites that this Go version has, and sets p->ends_seen and the like. It leaves out sites
 * that the version lacks, or whose code cannot be decoded. Reports then infer more, and print so.
 * Returns 0 or -errno. */
int plan_add_runtime_sites(struct plan *p, struct gocode_ctx *ctx);

#endif
