/* SPDX-License-Identifier: BSD-2-Clause */
/* Records when a goroutine runs and its thread has no processor (STATE_OFF_CPU). */
#ifndef GOTRACE_OFF_CPU_H
#define GOTRACE_OFF_CPU_H

#include "attach/probes/probes.h"

struct off_cpu {
	struct bpf_object *object;
	struct bpf_link *link;
	struct off_cpu_state *state; /* shared with the program */
};

/* Begins to record. Its events go into the rings of `probes`, which are loaded with states. Returns
 * NULL, or a static clause on why this kernel or program does not allow it. */
const char *off_cpu_watch(struct off_cpu *o, const struct probes *probes, const struct gobin *b);
/* Ends recording and returns its counters. */
struct off_cpu_state off_cpu_close(struct off_cpu *o);

#endif
