/* SPDX-License-Identifier: BSD-2-Clause */
/* Durations of the phases before the recording and after it. One thread does the work or waits. */
#ifndef GOTRACE_PHASES_H
#define GOTRACE_PHASES_H

#include <stdint.h>

#include "trace/trace.h"

enum phase {
	PHASE_BINARY,  /* reading the binary */
	PHASE_CLOCK,   /* waiting for facts about the clock */
	PHASE_PLAN,    /* choosing the probed functions and their probes */
	PHASE_KERNEL,  /* waiting for facts about the kernel */
	PHASE_STUBS,   /* making them, and mapping them into a process that runs */
	PHASE_LAUNCH,  /* starting the command, which is held */
	PHASE_LOAD,    /* BPF programs */
	PHASE_ATTACH,  /* probes, and programs loaded beside them */
	PHASE_START,   /* the trace's first part, the threads that collect */
	PHASE_PATCH,   /* the jumps to stubs, with all pauses, until recording begins */
	PHASE_DETACH,  /* removing probes, stubs and the programs beside them */
	PHASE_COLLECT, /* events that were still in rings */
	PHASE_WRITE,   /* unwritten events, up to the last block */
	PHASES
};

/* Returns a name, such as "binary" for the key KEY_END_PHASE "binary_ns". */
const char *phase_name(enum phase p);

struct phases {
	uint64_t last_ns;    /* end of the previous phase, CLOCK_MONOTONIC */
	uint64_t ns[PHASES]; /* 0: the phase did not happen */
};

/* Begins the first phase now. */
void phases_begin(struct phases *p);

/* Adds the time since the previous phase to phase `which`. The next phase begins. */
void phases_done(struct phases *p, enum phase which);

/* Returns the duration of the set-up in ns, from the first phase to the start of recording. */
uint64_t phases_set_up_ns(const struct phases *p);

/* Adds the phases that happened and the set-up to the keys of the end. Returns 0 or -ENOMEM. */
int phases_describe(const struct phases *p, struct trace_info *end);

#endif
