/* SPDX-License-Identifier: BSD-2-Clause */
/* Which way of probing a recording takes, and why. */
#ifndef GOTRACE_STRATEGY_H
#define GOTRACE_STRATEGY_H

#include <stdbool.h>
#include <sys/types.h>

#include "attach/kernel/caps.h"
#include "plan/plan.h"

struct strategy {
	/* given */
	const struct caps *caps;
	bool step_rets;     /* no program is to perform a RET */
	bool launched;      /* else a running process, pid */
	bool other_command; /* what is launched is not the binary itself, which comes later */
	int exe_fd;
	pid_t pid;
	/* chosen */
	bool perform_ret;
	const char *why; /* a clause, static */
};

/*
 * Settles plan->strategy, and drops the plan's stubs where they are not to be used. AUTO becomes
 * the best one that was proven here. SPRINGBOARD becomes EMULATED, with a warning, for a binary
 * that it is not safe for. 0, or -ENOTSUP after logging when springboard is asked for and cannot be
 * had in this mode.
 */
int strategy_choose(struct strategy *s, struct plan *plan);

/* Which nop the kernel makes a call of, for stubs; STUB_JUMP: none, or none that is cheaper. */
enum stub_kind strategy_nop(const struct caps *caps);

#endif
