/* SPDX-License-Identifier: BSD-2-Clause */
/* Processor time during a recording: the target's, gotrace's, and the machine's. Also the time in
 * which the target waited for a processor. */
#ifndef GOTRACE_TIMES_H
#define GOTRACE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/target/run_delay.h"
#include "trace/trace.h"

struct target;

/* Times of all processors together since the machine started, in the kernel's ticks. */
struct host_time {
	uint64_t busy_ns, idle_ns; /* idle: no work; both 0 if not known */
};

struct times {
	struct run_delay delay;
	uint64_t delay_before_ns, delays_before;
	struct host_time host_before, host_after;
	/* The target's processor time before the recording, and the part of it in the kernel. */
	uint64_t cpu_before_ns, system_before_ns;
	/* gotrace's processor time before the recording, and while the target ran. */
	uint64_t own_before_ns, own_cpu_ns;
};

/* Begins to measure. The caller calls times_close later. */
void times_open(struct times *t, const struct target *target);

/*
 * Notes the times right before the target executes its first instruction, or before its recording
 * begins. Work at its exec, such as mapping stubs and rings into it, counts as the target's kernel
 * time. It takes tens of milliseconds and is no time of the program.
 */
void times_begin(struct times *t, const struct target *target);

/*
 * Notes the times now and then, and in any case after the target has ended and before anyone has
 * waited for it. The kernel reports nothing of a process that is gone. The parent of a process that
 * gotrace did not start may wait for it before gotrace looks. Then its waits since the previous
 * look are missing.
 */
void times_look(struct times *t, const struct target *target, bool ended);

/* Notes the times at the end of the recording. */
void times_after(struct times *t, const struct target *target);

/* Adds the known times to the keys of the end. Returns 0 or -ENOMEM. */
int times_describe(const struct times *t, struct trace_info *end);

void times_close(struct times *t);

/* Returns the present times, or 0 if /proc/stat cannot be read. */
struct host_time host_time_now(void);
/* Parses the first line of a text in the format of /proc/stat, with ticks of `tick_ns`. */
struct host_time host_time_parse(const char *stat, uint64_t tick_ns);

#endif
