/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules' "trace_slow": flight recorders on running processes, each a `gotrace record` of its own.
 */
#ifndef GOTRACE_CLI_AGENT_SLOW_H
#define GOTRACE_CLI_AGENT_SLOW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SLOW_TRACERS_MAX 16

struct slow_tracers {
	const char *directory; /* of the store: traces are in slow/ below it */
	struct slow_tracer {
		pid_t pid; /* of the recorder */
		uint32_t target;
		char *condition; /* "main.handle > 500ms" */
	} at[SLOW_TRACERS_MAX];
	size_t n;
	unsigned n_begun;
};

/* struct splitter's on_slow; ctx: struct slow_tracers. Begins to record calls of the process that
 * take longer; what cannot be recorded is logged beside the traces. */
void slow_begin(void *ctx, uint32_t pid, const char *service, const char *condition);
/* Recorders that have ended, as their processes have. */
void slow_reap(struct slow_tracers *s);
/* Ends all, which write what they have to. */
void slow_end(struct slow_tracers *s);

#endif
