/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * gotrace's own walk of a stack, from frame to frame. Go code that C has called runs on the
 * goroutine's stack. The frames of C are on the system stack, and those of C's callers on the
 * goroutine's again.
 */
#ifndef GOTRACE_WALK_BPF_H
#define GOTRACE_WALK_BPF_H

#include "bpf/callback.bpf.h"
#include "bpf/step.bpf.h"

/* Notes the frame and steps to its caller. Returns 1 when it was the last. */
static long walk_frame(uint32_t i, const struct walk_context *c)
{
	struct walk *w = c->w;

	/* No program has code there, so the last step used no frame. */
	if (w->pc >> SAMPLE_USER_BITS && w->n > w->record.n_kernel)
		return chain_ends(c, 1);
	uint64_t at = w->pc - (w->returns ? 1 : 0);
	int special = in_go(w, at) ? special_at(link_off(w, at)) : 0;

	(void)i;
	if (in_go(w, at)) {
		/* Only asmcgocall calls C. rbp was that of its caller, and the functions that C
		 * called had no frames. */
		if (w->foreign && special != SAMPLE_AT_MORESTACK && special != SAMPLE_AT_SIGTRAMP)
			put(w, SAMPLE_MISSING_PC);
		w->foreign = 0;
	}
	if (special != SAMPLE_AT_NOWHERE)
		put(w, at);
	if (w->record.flags & SAMPLE_CUT)
		return 1;
	/* The first frame is the running code, whatever follows. */
	if (!w->foreign && !in_go(w, at))
		w->foreign = w->n;
	switch (special) {
	case SAMPLE_AT_ROOT:
		return 1;
	case SAMPLE_AT_SCHED:
		w->sched = 1;
		return 1;
	case SAMPLE_AT_CALLBACK:
		if (w->returns)
			return step_by_callback(c, special);
		break;
	case SAMPLE_AT_CROSSCALL:
		if (w->returns)
			return step_by_crosscall(c);
		break;
	case SAMPLE_AT_MORESTACK:
		if (w->returns && !go_on_outside(w))
			return 0;
		/* Before it has switched stacks, it is like any other function. */
		if (w->g != w->curg && w->curg && !w->switched)
			return go_on_at_curg(c);
		break;
	case SAMPLE_AT_SIGTRAMP:
		if (w->returns)
			return step_by_signal(c) ? chain_ends(c, 1) : 0;
		break;
	}
	return step_to_caller(c, special);
}

#endif
