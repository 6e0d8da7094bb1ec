/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that fault before the entry probe of their function. */
#ifndef GOTRACE_FAULTS_H
#define GOTRACE_FAULTS_H

#include <stdbool.h>

#include "bpf/event.h"
#include "plan/plan.h"

/* The entry of the call that an EV_WIRE_FAULT is of; in_stub: by site, whether it is recorded by
 * its stub. false: the call has passed its entry probe. */
bool fault_entry(const struct plan *plan, const bool *in_stub, const struct event_ext *fault,
		 struct event_ext *entry);

#endif
