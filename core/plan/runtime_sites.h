/* SPDX-License-Identifier: BSD-2-Clause */
/* The few sites inside the Go runtime that every trace has, for rare events. */
#ifndef GOTRACE_RUNTIME_SITES_H
#define GOTRACE_RUNTIME_SITES_H

#include "binary/gocode.h"
#include "plan/plan.h"

/* Adds those that this Go version has and sets p->ends_seen and its kin. Those that it lacks, or
 * whose code cannot be decoded, are left out: reports then infer more, and say so. 0 or
 * -errno. */
int plan_add_runtime_sites(struct plan *p, struct gocode_ctx *ctx);

#endif
