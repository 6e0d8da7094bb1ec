/* SPDX-License-Identifier: BSD-2-Clause */
/* The perf events of each CPU. A CPU that is offline has none until it is back. */
#ifndef GOTRACE_SAMPLE_CPU_EVENTS_H
#define GOTRACE_SAMPLE_CPU_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample/events.h"
#include "sample/scope.h"

struct cpu_events {
	bool *open; /* by CPU */
	size_t n, n_open;
	uint64_t late; /* CPUs that came online after the start */
};

/* Opens the events of n CPUs. cpu_events_close frees c in every case. Returns 0 or -errno (logged).
 */
int cpu_events_open(struct cpu_events *c, struct sample_events *e, struct scope scope, size_t n);
/* Returns true if each CPU has events. */
bool cpu_events_complete(const struct cpu_events *c);
/* Opens the events of CPUs that came online later, and counts these. Returns 0 or -errno (logged).
 */
int cpu_events_open_again(struct cpu_events *c, struct sample_events *e, struct scope scope);
/* Frees c. sample_events_close closes the events. */
void cpu_events_close(struct cpu_events *c);

#endif
