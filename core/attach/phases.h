/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the time goes before the target is recorded and after: one thread does all, or waits. */
#ifndef GOTRACE_PHASES_H
#define GOTRACE_PHASES_H

#include <stdint.h>

#include "trace/trace.h"

enum phase {
	PHASE_BINARY,  /* reading the binary */
	PHASE_CLOCK,   /* waiting for what is found out of the clock */
	PHASE_PLAN,    /* which functions are probed, and how */
	PHASE_KERNEL,  /* waiting for what is found out of the kernel */
	PHASE_STUBS,   /* making them, and mapping them into a process that runs */
	PHASE_LAUNCH,  /* starting the command, which is held */
	PHASE_LOAD,    /* BPF programs */
	PHASE_ATTACH,  /* probes, and what is loaded beside them */
	PHASE_START,   /* the trace's first part, the threads that collect */
	PHASE_PATCH,   /* the jumps to stubs, with all pauses, until recording begins */
	PHASE_DETACH,  /* taking out what is in the process, and what tells of it */
	PHASE_COLLECT, /* the events that were still in rings */
	PHASE_WRITE,   /* those that were not written yet, up to the last block */
	PHASES
};

/* "binary"; of a key KEY_END_PHASE "binary_ns". */
const char *phase_name(enum phase p);

struct phases {
	uint64_t last_ns;    /* when the phase before was over, CLOCK_MONOTONIC */
	uint64_t ns[PHASES]; /* 0: there was none */
};

/* The next phase begins now. */
void phases_begin(struct phases *p);

/* What was done since the phase before was part of this one. The next begins. */
void phases_done(struct phases *p, enum phase which);

/* All of a set-up, from the first to the one in which recording begins, ns. */
uint64_t phases_set_up_ns(const struct phases *p);

/* Adds those that there were, and the set-up, to the keys of the end. 0 or -ENOMEM. */
int phases_describe(const struct phases *p, struct trace_info *end);

#endif
