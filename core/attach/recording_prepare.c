// SPDX-License-Identifier: BSD-2-Clause
/* What is done before a recording's target is let go, or changed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach/patching.h"
#include "attach/probes/links.h"
#include "attach/recording.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/side_job.h"

static const struct plan_site *image_site(const struct plan *p)
{
	for (size_t i = 0; i < p->n_sites; i++)
		if (p->sites[i].kind == EV_IMAGE)
			return &p->sites[i];
	return NULL;
}

/* A running process has passed runtime.main, so the address of its text is read from its maps. */
static int find_bias(struct recording *r, const struct plan_site *image)
{
	int err = 0;

	if (r->target->launched || !image)
		return 0;
	err = target_text_bias(r->target->pid, r->given->exe_fd, image->vaddr, image->file_off,
			       &r->probes.state->text_bias);
	if (err && target_reap(r->target))
		log_error("the process ended while probes were attached, and nothing was recorded");
	else if (err)
		log_error("the text of process %d cannot be found in its memory map: %s",
			  r->target->pid, strerror(-err));
	return err;
}

/*
 * Whether links must be open to every process: their own filter is per thread on this
 * kernel, or would not last. It compares with the memory of the thread that was the leader
 * (uprobe_multi_link_filter, __uprobe_perf_filter: kernel/trace), which is gone once
 * another thread has executed a new image. Only syscall.Exec does that, where it is linked.
 */
static bool open_to_all(const struct recording *r)
{
	return patching_may_be_undone(r) ||
	       (r->kind == ATTACH_MULTI && !r->given->caps->pid_filter_per_process);
}

/* While probes are attached one by one: a signal that ends the recording, or the end of the
 * process; a held command gets other signals passed on. 0 or -errno (logged). */
static int may_go_on(void *ctx)
{
	struct recording *r = ctx;

	if (signals_take(r->signals, r->target)) {
		log_error(
			"interrupted while probes were attached one by one, and nothing was recorded");
		return -EINTR;
	}
	signals_pass_on(r->signals, r->target);
	if (!target_reap(r->target))
		return 0;
	log_error(
		"process %d ended while probes were attached one by one, and nothing was recorded",
		r->target->pid);
	return -ESRCH;
}

/* Links keep the process they were attached to. Where it has ended by now, its number may be
 * another one's. */
static int still_that_process(struct target *t)
{
	if (t->launched || !target_reap(t))
		return 0;
	log_error("process %d has ended", t->pid);
	return -ESRCH;
}

/* ---- BPF objects that are loaded beside others: each takes some 20 ms, of which most are waits */

struct children_job {
	struct recording *r;
	const struct target_config *target;
};

static void watch_children(void *ctx)
{
	const struct children_job *j = ctx;

	children_watch(&j->r->children, j->target, j->r->given->exe_fd);
}

static void watch_off_cpu(void *ctx)
{
	struct recording *r = ctx;

	r->outcome.no_off_cpu = off_cpu_watch(&r->off_cpu, &r->probes, r->given->binary);
}

static void open_samples(void *ctx)
{
	struct recording *r = ctx;

	cpu_samples_open(&r->cpu_samples, &r->probes, r->given->binary);
}

/* Loads the programs, and what tells of children meanwhile. */
static int load_programs(struct recording *r, const struct probes_options *load)
{
	struct children_job children = { r, &load->target };
	struct side_job job;

	side_job_begin(&job, watch_children, &children);
	int err = probes_load(&r->probes, load);
	side_job_end(&job);
	return err;
}

/* Attaches the probes; what stands beside them is loaded meanwhile. */
static int attach_links(struct recording *r, const struct links_options *attach)
{
	struct side_job off_cpu = { 0 }, samples;
	uint64_t start = clock_monotonic_ns();

	/* Perf-event links take seconds: calls of a running target count once all are attached. */
	r->probes.state->paused = PAUSED_ALL;
	if (r->probing->plan->states)
		side_job_begin(&off_cpu, watch_off_cpu, r);
	side_job_begin(&samples, open_samples, r);
	int err = links_attach(r->links, &r->probes, attach);
	r->outcome.attach_ns = clock_monotonic_ns() - start;
	side_job_end(&off_cpu);
	side_job_end(&samples);
	return err;
}

static int make_watches(struct recording *r)
{
	r->links = calloc(1, sizeof(*r->links));
	int err = r->links ? load_watch_open(&r->load, r->probing, r->given->caps) : -ENOMEM;

	if (err)
		log_no_memory("no memory for counts of %zu sites", r->probing->plan->n_sites);
	return err;
}

int recording_prepare(struct recording *r)
{
	const struct plan_site *image = image_site(r->probing->plan);
	int err;

	r->kind = r->given->kind;
	err = links_choose_kind(&r->kind, r->probing->plan, r->given->caps);

	if (err)
		return err;
	r->open_to_all = open_to_all(r);
	struct probes_options load = {
		.layout = r->given->layout,
		.main_vaddr = image ? image->vaddr : 0,
		.states = r->probing->plan->states,
		.kind = r->kind,
		/* A perf event's filter is by memory, which a vfork child shares. */
		.filter = r->open_to_all || r->kind == ATTACH_PERF,
		.rets = r->probing->perform_ret      ? RETS_PERFORMED
			: r->given->caps->regs_write ? RETS_BY_OTHERS
						     : RETS_STEPPED,
		.values = r->probing->plan->values.n ? r->probing->plan : NULL,
		.ring_bytes = r->given->ring_bytes,
		.ring_bytes_sum = r->given->ring_bytes_sum,
		.rings = r->given->cpu_rings,
	};
	err = target_identify(r->target->pid, &load.target);
	if (!err)
		err = load_programs(r, &load);
	phases_done(r->phases, PHASE_LOAD);
	if (err)
		return err;
	patching_hold(r);
	struct links_options attach = patching_where(r);

	attach.give_up = may_go_on;
	attach.ctx = r;
	err = make_watches(r);
	if (!err)
		err = find_bias(r, image);
	if (!err)
		err = attach_links(r, &attach);
	phases_done(r->phases, PHASE_ATTACH);
	if (!err)
		err = still_that_process(r->target);
	if (err)
		return err;
	/* Nothing jumps to its stubs yet: in a running target patch_running begins recording. */
	r->probes.state->paused = r->probing->running ? PAUSED_ALL : PAUSED_NOT;
	return 0;
}
