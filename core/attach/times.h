/* SPDX-License-Identifier: BSD-2-Clause */
/* Processor time while a target is recorded: its own, gotrace's, and that of the whole machine; and
 * how long the target waited for it. */
#ifndef GOTRACE_TIMES_H
#define GOTRACE_TIMES_H

#include <stdint.h>

#include "attach/target/run_delay.h"
#include "trace/trace.h"

struct recording;

/* Of all processors together, since the machine was started, as precise as the kernel's ticks. */
struct host_time {
	uint64_t busy_ns, idle_ns; /* idle: they had nothing to do; both 0: not known */
};

struct times {
	struct run_delay delay;
	uint64_t delay_before_ns;
	struct host_time host_before, host_after;
};

/* To be followed by times_close. */
void times_open(struct recording *r);

/*
 * Right before the target executes its first instruction, or before recording it begins. What was
 * done to it at its exec, as mapping stubs and rings into it, is the kernel's time on its account,
 * tens of milliseconds, and is none of the program's.
 */
void times_begin(struct recording *r);

/*
 * Now and then while it is recorded, and in any case once it has ended and was not waited for yet:
 * of a process that is gone the kernel tells nothing. A process that gotrace did not start may be
 * waited for by its parent before gotrace looks: its waits since the look before are missed then.
 */
void times_look(struct recording *r, bool ended);

/* When recording has ended. */
void times_after(struct recording *r);

/* Adds what is known to the keys of the end. 0 or -ENOMEM. */
int times_describe(const struct times *t, struct trace_info *end);

void times_close(struct times *t);

/* As of now; all 0 where /proc/stat cannot be read. */
struct host_time host_time_now(void);
/* The first line of a text as /proc/stat has it, whose ticks are `tick_ns` long. */
struct host_time host_time_parse(const char *stat, uint64_t tick_ns);

#endif
