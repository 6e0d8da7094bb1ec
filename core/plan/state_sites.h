/* SPDX-License-Identifier: BSD-2-Clause */
/* The sites in the Go runtime that tell the states of goroutines. Private to core/plan. */
#ifndef GOTRACE_STATE_SITES_H
#define GOTRACE_STATE_SITES_H

#include "binary/gocode.h"
#include "plan/plan.h"

/* Makes p->states and adds the sites, before stubs_finish. Where this Go version has other ones, or
 * one cannot be decoded, states->obstacle says so and there are none; likewise, with
 * states_if_inline, where they would trap in a process that runs. 0 or -errno. */
int plan_add_state_sites(struct plan *p, struct gocode_ctx *ctx, const struct plan_options *opt);

#endif
