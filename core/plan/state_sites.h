/* SPDX-License-Identifier: BSD-2-Clause */
/* Sites in the Go runtime where goroutines change their state. Private to core/plan. */
#ifndef GOTRACE_STATE_SITES_H
#define GOTRACE_STATE_SITES_H

#include "binary/gocode.h"
#include "plan/plan.h"

/* Makes p->states and adds the sites, before stubs_finish. When this Go version has other sites, or
 * one cannot be decoded, states->obstacle is the reason and states are not recorded. With
 * states_if_inline this also happens when the sites would trap in a process that runs. Returns 0 or
 * -errno. */
int plan_add_state_sites(struct plan *p, struct gocode_ctx *ctx, const struct plan_options *opt);

#endif
