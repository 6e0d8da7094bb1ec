/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that fault before the entry probe of their function. */
#ifndef GOTRACE_FAULTS_H
#define GOTRACE_FAULTS_H

#include <stdbool.h>

#include "bpf/event.h"
#include "plan/plan.h"

/* Makes the entry event of the call that an EV_WIRE_FAULT belongs to. in_stub tells by site whether
 * its stub records it. Returns false if the call has passed its entry probe. */
bool fault_entry(const struct plan *plan, const bool *in_stub, const struct event_ext *fault,
		 struct event_ext *entry);

#endif
