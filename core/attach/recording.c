// SPDX-License-Identifier: BSD-2-Clause
#include "attach/recording.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/kernel/costs.h"
#include "attach/describe.h"
#include "attach/ending.h"
#include "attach/probes/links.h"
#include "attach/progress.h"
#include "attach/target/springboard.h"
#include "attach/under_jumps.h"
#include "base/clock.h"
#include "base/log.h"
#include "trace/keys.h"

/* ---- preparing */

static int resolve_kind(struct recording *r)
{
	const struct plan *plan = r->probing->plan;

	if (r->caps->multi_err == -EMFILE || r->caps->load_err == -EMFILE) {
		log_error(
			"too few files may be open: raise the hard limit to 64 at least (ulimit -Hn)");
		return -EMFILE;
	}
	if (r->kind == ATTACH_AUTO)
		r->kind = r->caps->multi_err && !r->caps->load_err ? ATTACH_PERF : ATTACH_MULTI;
	if (r->kind == ATTACH_PERF && r->caps->multi_err)
		log_info("this kernel has no uprobe_multi links: attaching %zu sites one by one",
			 plan->n_sites);
	return links_raise_limit(links_descriptors(plan, r->kind), plan->n_sites);
}

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
	err = target_text_bias(r->target->pid, image->vaddr, image->file_off,
			       &r->probes.state->text_bias);
	if (err)
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
	return gobin_func_named(r->binary, "syscall.Exec") ||
	       (r->kind == ATTACH_MULTI && !r->caps->pid_filter_per_process);
}

/* The held target is made to stop at its exec, to be patched there. */
static void hold_for_stubs(struct recording *r)
{
	bool seizes = r->target->launched && r->probing->n_in_stub;
	int err = seizes ? target_seize(r->target) : 0;

	if (err) { /* strace -f gotrace, or a security module */
		log_debug("ptrace: %s", strerror(-err));
		probing_fall_back(r->probing,
				  "the command cannot be held at its exec, ptrace is refused");
	}
	r->n_stubs = r->probing->n_in_stub;
}

static struct links_options where_to_attach(const struct recording *r)
{
	return (struct links_options){
		.probing = r->probing,
		.exe_fd = r->exe_fd,
		.pid = r->open_to_all ? -1 : r->target->pid,
		.kind = r->kind,
	};
}

int recording_prepare(struct recording *r)
{
	const struct plan_site *image = image_site(r->probing->plan);
	int err = resolve_kind(r);

	if (err)
		return err;
	r->open_to_all = open_to_all(r);
	struct probes_options load = {
		.layout = r->layout,
		.main_vaddr = image ? image->vaddr : 0,
		.kind = r->kind,
		/* A perf event's filter is by memory, which a vfork child shares. */
		.filter = r->open_to_all || r->kind == ATTACH_PERF,
		.rets = r->probing->perform_ret ? RETS_PERFORMED
			: r->caps->regs_write   ? RETS_BY_OTHERS
						: RETS_STEPPED,
		.ring_bytes = r->ring_bytes,
		.ring_bytes_sum = r->ring_bytes_sum,
	};
	hold_for_stubs(r);
	const struct links_options attach = where_to_attach(r);
	r->links = calloc(1, sizeof(*r->links));
	if (!r->links || load_watch_open(&r->load, r->probing, r->caps))
		return -ENOMEM;
	err = target_identify(r->target->pid, &load.target);
	if (!err)
		err = probes_load(&r->probes, &load);
	if (!err)
		err = find_bias(r, image);
	if (err)
		return err;
	uint64_t start = clock_monotonic_ns();
	/* Attaching perf-event links one by one takes seconds: the calls of a running target count
	 * from when every site is probed. */
	r->probes.state->paused = 1;
	err = links_attach(r->links, &r->probes, &attach);
	/* Nothing comes from stubs that nothing jumps to yet: patch_running lets recording begin.
	 */
	r->probes.state->paused = r->probing->running != NULL;
	r->attach_ns = clock_monotonic_ns() - start;
	if (!err)
		children_watch(&r->children, &load.target, r->exe_fd);
	return err;
}

int recording_describe(const struct recording *r, struct trace_info *info)
{
	int err = trace_info_set(info, KEY_ATTACH_KIND, attach_kind_name(r->kind));

	if (!err)
		err = trace_info_setf(info, KEY_ATTACH_TIME_NS, "%llu",
				      (unsigned long long)r->attach_ns);
	if (!err)
		err = trace_info_setf(info, KEY_RING_BYTES, "%zu", r->probes.ring_bytes);
	if (!err && r->probing->n_left_alone)
		err = trace_info_setf(
			info, KEY_WARN_LEFT_ALONE,
			"%zu selected functions were not probed: their code was in the "
			"stubs of another gotrace",
			r->probing->n_left_alone);
	if (!err && r->open_to_all)
		err = trace_info_set(info, KEY_ATTACH_OPEN_TO_ALL, "1");
	if (!err)
		err = describe_strategy(info, r->probing);
	if (!err)
		err = trace_info_set(info, KEY_PROBE_RET,
				     r->probing->perform_ret ? RET_PERFORMED : RET_STEPPED);
	if (!err && r->max_cost)
		err = trace_info_setf(info, KEY_MAX_COST, "%g", r->max_cost);
	if (!err && r->probing->strategy == PROBE_INLINE)
		err = describe_inline_rings(info, r->probing, r->load.inline_ns);
	return err ? err : costs_describe(info, r->caps, r->probing->plan, r->probing->cost_class);
}

/* ---- at the target's exec */

/* Sites whose stub is not used are probed in the text, before anything is recorded. */
static void attach_left_out(struct recording *r)
{
	const struct links_options attach = where_to_attach(r);

	if (r->probing->n_in_stub == r->n_stubs)
		return;
	if (links_attach_left_out(r->links, &r->probes, &attach)) {
		log_error("%zu sites have no probe: nothing is recorded",
			  r->n_stubs - r->probing->n_in_stub);
		r->unprobed = true;
	}
}

static void patch_target(void *ctx, struct inject *in)
{
	struct recording *r = ctx;
	struct probing *p = r->probing;
	const struct links_options attach = where_to_attach(r);
	uint64_t start = clock_monotonic_ns();

	probing_patched(p, in ? springboard_patch(in, p->plan, r->exe_fd, p->stub_fd, &p->rings,
						  p->in_stub)
			      : "the command could not be held at its exec");
	attach_left_out(r);
	if (r->unprobed)
		r->probes.state->paused = 1;
	else if (p->strategy == PROBE_INLINE)
		under_jumps_attach(r->links, &r->probes, &attach, r->target->pid);
	r->patch_ns = clock_monotonic_ns() - start;
}

/* ---- in a process that runs already */

static void patch_running(struct recording *r)
{
	struct probing *p = r->probing;

	probing_patched(p, running_patch(p->running, p->in_stub));
	r->pause_ns = p->running->pause_ns;
	r->n_pauses = p->running->n_pauses;
	attach_left_out(r);
	if (r->unprobed)
		return;
	/* From here on every event is recorded: by a probe where its ring is not open yet. */
	r->probes.state->paused = 0;
	ring_area_open(&p->rings);
}

static void put_back(struct recording *r)
{
	struct running *running = r->probing->running;

	if (!running || target_reap(r->target))
		return;
	running_put_back(running);
	r->put_back_ns = running->put_back_ns;
}

/* ---- running */

/* A signal from the terminal, or from a sender in our process group (timeout(1), kill 0),
 * reached the target as well; one sent to gotrace alone is passed on. */
static void pass_on(const struct recording *r, const struct signalfd_siginfo *s)
{
	bool alone = s->ssi_code <= 0 && getpgid(s->ssi_pid) != getpgrp();

	if (alone && r->target->launched && !r->target->ended)
		kill(r->target->pid, s->ssi_signo);
}

/* A second Ctrl-C within this time of the first means gotrace, not the command. */
#define SECOND_INTERRUPT_NS (2ull * 1000 * 1000 * 1000)

/* True when a signal ends the recording: any with --pid; with a command, which decides for
 * itself what a signal does, only Ctrl-C twice in a row. */
static bool on_signal(struct recording *r)
{
	struct signalfd_siginfo s;
	uint64_t now = clock_monotonic_ns();

	if (read(r->signal_fd, &s, sizeof(s)) != sizeof(s))
		return false;
	r->end_signal = s.ssi_signo;
	if (!r->target->launched)
		return true;
	if (s.ssi_signo == SIGINT) {
		if (r->interrupt_ns && now - r->interrupt_ns < SECOND_INTERRUPT_NS)
			return true;
		r->interrupt_ns = now;
	}
	pass_on(r, &s);
	return false;
}

static void collect_until_end(struct recording *r, int wake_fd)
{
	uint64_t start = r->collect_start_ns = clock_monotonic_ns(),
		 deadline = r->duration_ns ? start + r->duration_ns : 0;
	struct pollfd fds[] = {
		{ .fd = r->target->pidfd, .events = POLLIN },
		{ .fd = r->signal_fd, .events = POLLIN },
		{ .fd = wake_fd, .events = POLLIN },
	};

	for (;;) {
		uint64_t now = clock_monotonic_ns();
		int wait_ms = r->max_cost ? RELEASING_LOOK_MS : 250;

		if (deadline && now >= deadline) {
			r->reason = END_DURATION;
			return;
		}
		if (deadline && (deadline - now) / 1000000 < (uint64_t)wait_ms)
			wait_ms = (deadline - now) / 1000000 + 1;
		if (poll(fds, 3, wait_ms) < 0 && errno != EINTR) {
			log_error("tracing ends, gotrace cannot wait for the process: %s",
				  strerror(errno));
			r->reason = END_FAILED;
			return;
		}
		if (fds[0].revents && target_reap(r->target)) {
			r->target_end_ns = clock_monotonic_ns();
			r->reason = END_EXITED;
			return;
		}
		if (fds[2].revents) {
			r->reason = collector_stats(r->collector).error ? END_WRITE_ERROR
									: END_SIZE;
			return;
		}
		if (fds[1].revents && on_signal(r)) {
			r->reason = END_INTERRUPTED;
			return;
		}
		progress_advise(r);
		if (r->max_cost)
			releasing_look(&r->releasing, now,
				       target_cpu_ns(r->target) - r->cpu_before_ns);
		progress_show(r, start, false);
	}
}

static void detach(struct recording *r)
{
	uint64_t start = clock_monotonic_ns();

	releasing_finish(&r->releasing);
	/* Stubs take their slow path then, which records nothing either. */
	if (r->collector)
		collector_disable_rings(r->collector);
	if (r->probes.state)
		r->probes.state->paused = 1;
	put_back(r);
	if (r->links)
		links_detach(r->links, r->kind, r->target->launched && r->target->ended);
	probing_unmap(r->probing, target_reap(r->target));
	r->detach_ns = clock_monotonic_ns() - start;
}

static int open_releasing(struct recording *r)
{
	const struct releasing_options opt = { .max_share = r->max_cost,
					       .say = r->advise,
					       .load = &r->load,
					       .links = r->links,
					       .probes = &r->probes,
					       .attach = where_to_attach(r) };

	return r->max_cost ? releasing_open(&r->releasing, &opt) : 0;
}

int recording_run(struct recording *r, struct trace_writer *writer)
{
	int prepared = open_releasing(r);

	r->ring_sites = probing_ring_sites(r->probing);
	const struct collector_options opt = {
		.probes = &r->probes,
		.binary = r->binary,
		.writer = writer,
		.plan = r->probing->plan,
		.in_stub = r->probing->in_stub,
		.cost_class = r->probing->cost_class,
		.max_bytes = r->max_bytes,
		.expect_goid_1 = r->target->launched,
		.rings = r->probing->rings.memory,
		.n_rings = r->probing->rings.n,
		.ring_sites = r->ring_sites,
		.site_events = r->load.events,
		.releases = r->releasing.releases,
		.pid = r->target->pid,
	};
	int wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int err = wake_fd < 0 ? -errno : 0;

	if (!r->ring_sites || prepared)
		err = -ENOMEM;
	r->collector = err ? NULL : collector_new(&opt);
	if (!err && !r->collector)
		err = -errno;
	if (!err)
		err = collector_start(r->collector, wake_fd);
	r->cpu_before_ns = target_cpu_ns(r->target);
	r->system_before_ns = target_system_ns(r->target);
	if (!err && r->target->launched)
		r->exec_err = target_release(r->target, patch_target, r);
	else if (!err && r->probing->running)
		patch_running(r);
	if (err) {
		trace_writer_abort(writer);
	} else {
		if (r->exec_err)
			r->reason = END_NOT_STARTED;
		else
			collect_until_end(r, wake_fd);
		detach(r);
		err = collector_stop(r->collector);
		progress_show(r, clock_monotonic_ns(), true);
		int described = ending_describe(r, &r->end);
		int closed = trace_writer_finish(writer, r->end.kvs, r->end.n_kvs);
		err = err ? err : closed ? closed : described;
	}
	if (wake_fd >= 0)
		close(wake_fd);
	return err;
}

void recording_wait(struct recording *r)
{
	struct pollfd fds[] = {
		{ .fd = r->target->pidfd, .events = POLLIN },
		{ .fd = r->signal_fd, .events = POLLIN },
	};
	struct signalfd_siginfo s;

	while (r->target->launched && !target_reap(r->target)) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return;
		if (fds[1].revents && read(r->signal_fd, &s, sizeof(s)) == sizeof(s))
			pass_on(r, &s);
	}
}

void recording_close(struct recording *r)
{
	if (r->links) {
		detach(r);
		free(r->links);
	}
	r->links = NULL;
	collector_free(r->collector);
	r->collector = NULL;
	trace_info_free(&r->end);
	free(r->ring_sites);
	r->ring_sites = NULL;
	releasing_close(&r->releasing);
	load_watch_close(&r->load);
	children_close(&r->children);
	if (r->probes.object)
		probes_unload(&r->probes);
}
