// SPDX-License-Identifier: BSD-2-Clause
#include "attach/kernel/strategy.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <stdio.h>

#include "attach/target/shadow_stack.h"
#include "base/log.h"

enum stub_kind strategy_nop(const struct caps *caps)
{
	/* A nop that stays one traps like the jump, and pc stays in the stub for it. */
	if (caps->nop5_call && caps->nop5_ns && caps->nop5_ns < caps->jump_ns)
		return STUB_NOP5;
	if (caps->nop10_call && caps->nop10_ns && caps->nop10_ns < caps->jump_ns)
		return STUB_NOP10;
	return STUB_JUMP;
}

/* Set-id bits and file capabilities do nothing for a program that is ptraced by
 * one that may not trace everything (security/commoncap.c, cap_bprm_creds_from_file). */
static bool gains_privileges(int exe_fd)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", exe_fd);
	return fstat(exe_fd, &st) || (st.st_mode & (S_ISUID | S_ISGID)) ||
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

/* What of the mode forbids patching; NULL: nothing. */
static const char *mode_obstacle(const struct strategy *s)
{
	if (!s->launched)
		return "the process runs already: a thread may stand in bytes that would change";
	if (s->other_command)
		return "COMMAND is not BINARY itself: it is patched at COMMAND's exec";
	return NULL;
}

/* What of the binary or the kernel does. */
static const char *stub_obstacle(const struct strategy *s, const struct plan *plan)
{
	if (plan->stubs.obstacle)
		return plan->stubs.obstacle;
	if (!plan->stubs.bytes)
		return "none of its sites can have a stub";
	if (gains_privileges(s->exe_fd))
		return "it gains privileges as it is executed, which a tracer takes away";
	return NULL;
}

static bool may_perform_ret(const struct strategy *s)
{
	return s->caps->ret_performed && !s->step_rets &&
	       !(s->launched ? shadow_stack_of_file(s->exe_fd) : shadow_stack_of_process(s->pid));
}

static void take(struct strategy *s, struct plan *plan, enum probe_strategy which, const char *why)
{
	plan->strategy = which;
	s->why = why;
	if (which != PROBE_SPRINGBOARD)
		plan_drop_stubs(plan);
}

int strategy_choose(struct strategy *s, struct plan *plan)
{
	const char *obstacle = mode_obstacle(s);

	s->why = "asked for";
	/* thesis is the baseline: two traps a RET. */
	s->perform_ret = plan->strategy != PROBE_THESIS && may_perform_ret(s);
	if (plan->strategy == PROBE_SPRINGBOARD && obstacle) {
		log_error("--probe=springboard cannot be used: %s; use --probe=auto", obstacle);
		return -ENOTSUP;
	}
	if (!obstacle)
		obstacle = stub_obstacle(s, plan);
	if (plan->strategy == PROBE_SPRINGBOARD && obstacle) {
		log_warn("springboard is not used: %s; probing by emulated", obstacle);
		take(s, plan, PROBE_EMULATED, obstacle);
	} else if (plan->strategy == PROBE_AUTO) {
		if (s->perform_ret)
			take(s, plan, PROBE_EMULATED,
			     "RETs are performed by the program: one trap each, nothing is patched");
		else if (obstacle)
			take(s, plan, PROBE_EMULATED, obstacle);
		else if (!s->caps->jump_ns)
			take(s, plan, PROBE_EMULATED,
			     "probes on a stub's jump were not seen to work here");
		else
			take(s, plan, PROBE_SPRINGBOARD, "one trap a RET instead of two");
	}
	return 0;
}
