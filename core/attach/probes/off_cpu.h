/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells when a goroutine runs and its thread has no processor (STATE_OFF_CPU). */
#ifndef GOTRACE_OFF_CPU_H
#define GOTRACE_OFF_CPU_H

#include "attach/probes/probes.h"

struct off_cpu {
	struct bpf_object *object;
	struct bpf_link *link;
	struct off_cpu_state *state; /* shared with the program */
};

/* Begins: its events come into the rings of `probes`, which are loaded with states. NULL, or why
 * this kernel or program does not allow it: a clause, static. */
const char *off_cpu_watch(struct off_cpu *o, const struct probes *probes, const struct gobin *b);
/* Ends. What it has counted. */
struct off_cpu_state off_cpu_close(struct off_cpu *o);

#endif
