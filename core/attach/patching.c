// SPDX-License-Identifier: BSD-2-Clause
#include "attach/patching.h"

#include <signal.h>
#include <string.h>

#include "attach/probes/links.h"
#include "attach/target/springboard.h"
#include "attach/under_jumps.h"
#include "base/clock.h"
#include "base/log.h"

struct links_options patching_where(const struct recording *r)
{
	return (struct links_options){
		.probing = r->probing,
		.exe_fd = r->given->exe_fd,
		.pid = r->open_to_all ? -1 : r->target->pid,
		.kind = r->kind,
		.released = r->releasing.released,
	};
}

/* ---- at the target's exec */

bool patching_may_be_undone(const struct recording *r)
{
	return gobin_func_named(r->given->binary, "syscall.Exec");
}

/* A new image would run without a probe where nobody learns of it. */
static void refuse_unwatched(struct recording *r)
{
	if (!r->target->launched || !r->probing->n_in_stub || children_counted(&r->children) ||
	    !patching_may_be_undone(r))
		return;
	log_warn(
		"each call traps and costs microseconds: the program can execute itself anew, and this kernel does not tell when. -x leaves functions out, gotrace sample needs no probe");
	probing_fall_back(r->probing,
			  "it can execute itself anew, and this kernel does not tell when");
}

void patching_hold(struct recording *r)
{
	refuse_unwatched(r);
	bool seizes = r->target->launched && (r->probing->n_in_stub || r->given->second_source);
	int err = seizes ? target_seize(r->target) : 0;

	if (err) /* strace -f gotrace, or a security module */
		log_debug("ptrace: %s", strerror(-err));
	if (err && r->probing->n_in_stub)
		probing_fall_back(r->probing,
				  "the command cannot be held at its exec, ptrace is refused");
	r->n_stubs = r->probing->n_in_stub;
}

/* Sites whose stub is not used are probed in the text, before anything is recorded. */
static void attach_left_out(struct recording *r)
{
	const struct links_options attach = patching_where(r);

	if (r->probing->n_in_stub == r->n_stubs)
		return;
	if (links_attach_left_out(r->links, &r->probes, &attach)) {
		log_error("%zu sites have no probe, and nothing is recorded",
			  r->n_stubs - r->probing->n_in_stub);
		r->unprobed = true;
	}
}

/* From its next exec on the target is stopped, unless nobody could let it go in every case. */
static void watch_exec(struct recording *r)
{
	if (!r->probing->n_in_stub || !patching_may_be_undone(r))
		return;
	int err = exec_guard_begin(&r->exec_guard, &r->children, r->target->pidfd);

	if (err)
		log_warn("a new image of the command would not be recorded: %s", strerror(-err));
	else
		children_stop_own(&r->children, true);
}

void patching_at_exec(void *ctx, struct inject *in)
{
	struct recording *r = ctx;
	struct probing *p = r->probing;
	const struct links_options attach = patching_where(r);
	uint64_t start = clock_monotonic_ns();

	if (!r->n_stubs) /* it is held for something else */
		return;
	if (in)
		text_watch_patched(&r->text_watch);
	probing_patched(p, in ? springboard_patch(in, p->plan, r->given->exe_fd, p->stub_fd,
						  &p->rings, p->in_stub)
			      : "the command could not be held at its exec");
	attach_left_out(r);
	if (r->unprobed)
		r->probes.state->paused = PAUSED_ALL;
	else if (p->strategy == PROBE_INLINE)
		under_jumps_attach(r->links, &r->probes, &attach, r->target->pid);
	r->n_own_execs = children_own_execs(&r->children);
	watch_exec(r);
	r->outcome.patch_ns = clock_monotonic_ns() - start;
}

/* ---- a new image, which has no stubs */

#define EXEC_LOOK_MS 20

/* Sites that had a stub are probed in the text. */
static void probe_new_image(struct recording *r)
{
	const struct links_options attach = patching_where(r);

	children_stop_own(&r->children, false);
	probing_new_image(r->probing);
	trap_limit_restart(&r->releasing.traps);
	if (links_attach_left_out(r->links, &r->probes, &attach)) {
		log_error(
			"the new image of the command has no probes, so its calls are not recorded");
		r->probes.state->paused = PAUSED_ALL;
	} else if (cpu_samples_place(&r->cpu_samples, r->probing)) {
		log_no_memory("no memory for places of samples");
	} else {
		log_warn(
			"the command executed itself anew. Its new image has no stubs: each call traps "
			"now, and costs microseconds");
	}
	links_nothing_under(r->links);
	kill(r->target->pid, SIGCONT);
	children_continued(&r->children);
	exec_guard_end(&r->exec_guard, true);
}

void patching_end_look(struct recording *r)
{
	/* since the last look; its new image may have ended, too */
	if (!r->target->launched && r->probing->n_in_stub && !r->unprobed &&
	    children_own_execs(&r->children) != r->n_own_execs)
		r->outcome.new_image = true;
	children_stop_own(&r->children, false);
	if (children_stopped(&r->children)) {
		kill(r->target->pid, SIGCONT);
		children_continued(&r->children);
	}
	exec_guard_end(&r->exec_guard, false);
}

int patching_wait_ms(const struct recording *r, int ms)
{
	bool soon = r->target->launched && r->probing->n_in_stub && !r->outcome.new_image &&
		    patching_may_be_undone(r);

	return soon && ms > EXEC_LOOK_MS ? EXEC_LOOK_MS : ms;
}

void patching_look(struct recording *r)
{
	const bool again = children_own_execs(&r->children) != r->n_own_execs;

	if (!r->probing->n_in_stub || r->outcome.new_image || r->unprobed)
		return;
	if (r->target->launched && children_stopped(&r->children)) {
		r->outcome.new_image = true;
		probe_new_image(r);
	}
	if (r->target->launched || !again)
		return;
	r->outcome.new_image = true;
	r->probes.state->paused = PAUSED_ALL;
	log_warn("process %d executed itself anew. No call is recorded from now on",
		 r->target->pid);
}

/* ---- in a process that runs already */

void patching_running(struct recording *r)
{
	struct probing *p = r->probing;

	text_watch_patched(&r->text_watch);
	r->outcome.refused = probing_joined(p, running_patch(p->running, p->in_stub));
	if (!r->outcome.refused)
		attach_left_out(r);
	if (r->outcome.refused || r->unprobed)
		return;
	/* From here on every event is recorded: by a probe where its ring is not open yet. */
	r->probes.state->paused = PAUSED_NOT;
	ring_area_open(&p->rings);
}

void patching_put_back(struct recording *r)
{
	if (r->probing->running && !target_reap(r->target))
		running_put_back(r->probing->running);
}
