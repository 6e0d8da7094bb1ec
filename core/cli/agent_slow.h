/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the flight recorders of rules with "trace_slow" on running processes. Each is a `gotrace
 * record` of its own. */
#ifndef GOTRACE_CLI_AGENT_SLOW_H
#define GOTRACE_CLI_AGENT_SLOW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SLOW_TRACERS_MAX 16

struct slow_tracers {
	const char *directory; /* folder of the store; traces are in slow/ below it */
	struct slow_tracer {
		pid_t pid; /* pid of the recorder */
		uint32_t target;
		char *condition; /* "main.handle > 500ms" */
	} at[SLOW_TRACERS_MAX];
	size_t n;
	unsigned n_begun;
};

/* The on_slow of struct splitter; ctx: struct slow_tracers. Begins to record the process's calls
 * that take longer than the condition says. Failures are logged beside the traces. */
void slow_begin(void *ctx, uint32_t pid, const char *service, const char *condition);
/* Removes recorders that have ended, because their processes have. */
void slow_reap(struct slow_tracers *s);
/* Ends all recorders. They first finish their traces. */
void slow_end(struct slow_tracers *s);

#endif
