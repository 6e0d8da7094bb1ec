// SPDX-License-Identifier: BSD-2-Clause
#include "attach/recording.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "attach/kernel/costs.h"
#include "attach/describe.h"
#include "attach/ending.h"
#include "attach/probes/links.h"
#include "attach/patching.h"
#include "attach/progress.h"
#include "base/clock.h"
#include "base/log.h"
#include "trace/keys.h"

/* ---- describing */

int recording_describe(const struct recording *r, struct trace_info *info)
{
	int err = trace_info_set(info, KEY_ATTACH_KIND, attach_kind_name(r->kind));

	if (!err)
		err = trace_info_setf(info, KEY_ATTACH_TIME_NS, "%llu",
				      (unsigned long long)r->outcome.attach_ns);
	if (!err)
		err = trace_info_setf(info, KEY_RING_BYTES, "%zu", r->probes.rings.ring_bytes);
	if (!err && r->probing->n_left_alone)
		err = trace_info_setf(
			info, KEY_WARN_LEFT_ALONE,
			"%zu selected functions were not probed, because their code was in the stubs of another gotrace",
			r->probing->n_left_alone);
	if (!err && r->open_to_all)
		err = trace_info_set(info, KEY_ATTACH_OPEN_TO_ALL, "1");
	if (!err)
		err = describe_strategy(info, r->probing);
	if (!err && r->probing->plan->states)
		err = trace_info_set(info, KEY_STATES_OFF_CPU,
				     r->outcome.no_off_cpu ? r->outcome.no_off_cpu : OFF_CPU_TOLD);
	if (!err)
		err = trace_info_set(info, KEY_PROBE_RET,
				     r->probing->perform_ret ? RET_PERFORMED : RET_STEPPED);
	if (!err && r->given->max_cost)
		err = trace_info_setf(info, KEY_MAX_COST, "%g", r->given->max_cost);
	else if (!err && r->given->max_cost_traps)
		err = trace_info_setf(info, KEY_MAX_COST_TRAPS, "%g", TRAP_LIMIT_ONE);
	if (!err && r->probing->strategy == PROBE_INLINE)
		err = describe_inline_rings(info, r->probing, r->load.inline_ns);
	return err ? err
		   : costs_describe(info, r->given->caps, r->probing->plan, r->probing->cost_class);
}

/* ---- running */

/* due_ns 0: never */
static int wait_until(uint64_t due_ns, uint64_t now_ns, int wait_ms)
{
	if (!due_ns)
		return wait_ms;
	if (due_ns <= now_ns)
		return 0;
	return (due_ns - now_ns) / 1000000 < (uint64_t)wait_ms
		       ? (int)((due_ns - now_ns) / 1000000) + 1
		       : wait_ms;
}

/* false: probing takes more than it may, and the recording has to end for that. */
static bool keeps_cost(struct recording *r, uint64_t now)
{
	if (r->releasing.releases)
		releasing_look(&r->releasing, now,
			       target_cpu_ns(r->target) - r->times.cpu_before_ns);
	return !r->given->max_cost_ends || !r->releasing.hopeless;
}

/* What is looked at now and then. */
static void look(struct recording *r, uint64_t now)
{
	patching_look(r);
	cpu_samples_look(&r->cpu_samples, now);
	if (r->given->second_source)
		r->given->second_source->look(r->given->second);
	progress_advise(r);
	text_watch_look(&r->text_watch, now);
}

static void collect_until_end(struct recording *r, int wake_fd)
{
	uint64_t start = r->outcome.collect_start_ns = clock_monotonic_ns(),
		 deadline = r->given->duration_ns
				    ? start + r->given->delay_ns + r->given->duration_ns
				    : 0,
		 begin = r->given->on_begin ? start + r->given->delay_ns : 0;
	struct pollfd fds[] = {
		{ .fd = r->target->pidfd, .events = POLLIN },
		{ .fd = r->signals->fd, .events = POLLIN },
		{ .fd = wake_fd, .events = POLLIN },
	};

	text_watch_start(&r->text_watch, start);
	for (;;) {
		uint64_t now = clock_monotonic_ns();
		int wait_ms = r->releasing.releases ? releasing_wait_ms(&r->releasing) : 250;

		if (deadline && now >= deadline) {
			r->outcome.reason = END_DURATION;
			return;
		}
		if (begin && now >= begin) {
			r->given->on_begin(r->given->on_start_ctx);
			begin = 0;
		}
		wait_ms = wait_until(deadline, now, wait_until(begin, now, wait_ms));
		wait_ms = text_watch_wait_ms(&r->text_watch, now, patching_wait_ms(r, wait_ms));
		if (poll(fds, 3, signals_wait_ms(r->signals, wait_ms)) < 0 && errno != EINTR) {
			log_error("tracing ends, gotrace cannot wait for the process: %s",
				  strerror(errno));
			r->outcome.reason = END_FAILED;
			return;
		}
		times_look(&r->times, r->target, fds[0].revents);
		if (fds[0].revents && target_reap(r->target)) {
			r->outcome.target_end_ns = clock_monotonic_ns();
			r->outcome.reason = END_EXITED;
			return;
		}
		if (fds[2].revents) {
			r->outcome.reason = collector_stats(r->collector).error ? END_WRITE_ERROR
										: END_SIZE;
			return;
		}
		if (fds[1].revents && signals_take(r->signals, r->target)) {
			r->outcome.reason = END_INTERRUPTED;
			return;
		}
		signals_pass_on(r->signals, r->target);
		if (r->given->on_tick && r->given->on_tick(r->given->on_tick_ctx)) {
			r->outcome.reason = END_WHEN;
			return;
		}
		look(r, now);
		if (!keeps_cost(r, now)) {
			r->outcome.reason = END_COST;
			return;
		}
		progress_show(r, start, false);
	}
}

static void detach(struct recording *r)
{
	uint64_t start = clock_monotonic_ns();

	patching_end_look(r);
	releasing_finish(&r->releasing);
	/* A stub neither records nor traps, while jumps are taken out. */
	if (r->collector && collector_rings(r->collector))
		rings_shut(collector_rings(r->collector));
	if (r->probes.state)
		r->probes.state->paused = PAUSED_ALL;
	r->outcome.off_cpu_seen = off_cpu_close(&r->off_cpu);
	patching_put_back(r);
	if (r->links)
		links_detach(r->links, r->kind, r->target->launched && r->target->ended);
	probing_unmap(r->probing, target_reap(r->target));
	r->outcome.detach_ns = clock_monotonic_ns() - start;
}

static int open_watches(struct recording *r, struct trace_writer *writer)
{
	const struct releasing_options opt = { .max_share = r->given->max_cost,
					       .traps_only = r->given->max_cost_traps,
					       .never = r->given->never_released,
					       .say = r->given->advise,
					       .pid = r->target->pid,
					       .load = &r->load,
					       .samples = &r->cpu_samples,
					       .links = r->links,
					       .probes = &r->probes,
					       .attach = patching_where(r) };

	int err = r->given->max_cost || r->given->max_cost_traps
			  ? releasing_open(&r->releasing, &opt)
			  : 0;

	r->ring_sites = probing_ring_sites(r->probing);
	if (!err && !r->ring_sites)
		err = -ENOMEM;
	r->text_watch = (struct text_watch){
		.probing = r->probing,
		.released = r->releasing.released,
		.pid = r->target->pid,
		.exe_fd = r->given->exe_fd,
	};
	if (!err && r->given->second_source)
		err = r->given->second_source->begin(r->given->second, r->target, writer);
	return err;
}

static int check_values(const struct recording *r, const struct trace_sink *sink)
{
	if (!r->probing->plan->values.n || sink->values)
		return 0;
	log_error("--args and --ret do not go with options that change what is recorded of calls");
	return -ENOTSUP;
}

/* The target's time counts from here on; stubs are where they will be. */
static void begin(struct recording *r)
{
	r->begin_err = cpu_samples_place(&r->cpu_samples, r->probing);
	times_begin(&r->times, r->target);
	cpu_samples_on(&r->cpu_samples, true);
}

static void at_exec(void *ctx, struct inject *in)
{
	patching_at_exec(ctx, in);
	begin(ctx);
}

/* A launched target is let go, a running one is recorded from here on. 0, -ENOMEM or `refused`. */
static int let_go(struct recording *r)
{
	if (!r->target->launched && r->probing->running)
		patching_running(r);
	if (r->outcome.refused)
		return r->outcome.refused;
	if (r->given->on_ready)
		r->given->on_ready(r->given->on_start_ctx);
	if (!r->target->seized) /* else at its exec */
		begin(r);
	if (r->target->launched)
		r->outcome.exec_err = target_release(r->target, at_exec, r);
	return r->begin_err;
}

static struct collector_options how_to_collect(struct recording *r, struct trace_writer *writer,
					       struct trace_sink sink)
{
	return (struct collector_options){
		.probes = &r->probes,
		.binary = r->given->binary,
		.writer = writer,
		.sink = sink,
		.plan = r->probing->plan,
		.in_stub = r->probing->in_stub,
		.cost_class = r->probing->cost_class,
		.max_bytes = r->given->max_bytes,
		.expect_goid_1 = r->target->launched,
		.rings = r->probing->rings.memory,
		.n_rings = r->probing->rings.n,
		.ring_area = &r->probing->rings,
		.ring_sites = r->ring_sites,
		.site_events = r->load.events,
		.releases = r->releasing.releases,
		.count_each = r->given->max_cost > 0,
		.pid = r->target->pid,
		.samples = &r->cpu_samples,
	};
}

int recording_run(struct recording *r, struct trace_writer *writer)
{
	int prepared = open_watches(r, writer);
	const struct trace_sink sink = r->given->sink ? *r->given->sink : trace_writer_sink(writer);
	const struct collector_options opt = how_to_collect(r, writer, sink);
	int wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int err = wake_fd < 0 ? -errno : prepared;

	if (wake_fd < 0)
		log_error("gotrace cannot make an event descriptor: %s", strerror(errno));
	if (!err)
		err = check_values(r, &sink);
	r->collector = err ? NULL : collector_new(&opt);
	if (!err && !r->collector)
		err = -errno;
	if (!err) {
		err = collector_start(r->collector, wake_fd);
		if (err)
			log_error("gotrace cannot start the threads that read events: %s",
				  strerror(-err));
	}
	times_open(&r->times, r->target);
	phases_done(r->phases, PHASE_START);
	if (!err)
		err = let_go(r);
	phases_done(r->phases, PHASE_PATCH);
	if (err) {
		trace_writer_abort(writer);
	} else {
		if (r->outcome.exec_err)
			r->outcome.reason = END_NOT_STARTED;
		else
			collect_until_end(r, wake_fd);
		phases_begin(r->phases);
		times_after(&r->times, r->target);
		cpu_samples_on(&r->cpu_samples, false);
		text_watch_end(&r->text_watch, clock_monotonic_ns());
		detach(r);
		phases_done(r->phases, PHASE_DETACH);
		err = collector_stop(r->collector);
		phases_done(r->phases, PHASE_COLLECT);
		if (!err && sink.finish)
			err = sink.finish(sink.ctx, &r->outcome.end);
		if (!err && r->given->second_source) /* nobody else writes any more */
			err = r->given->second_source->end(r->given->second, writer,
							   &r->outcome.end);
		if (!err)
			err = trace_writer_flush(writer);
		phases_done(r->phases, PHASE_WRITE);
		progress_show(r, clock_monotonic_ns(), true);
		int described = ending_describe(r, &r->outcome.end);
		int closed = trace_writer_finish(writer, r->outcome.end.kvs, r->outcome.end.n_kvs);
		err = err ? err : closed ? closed : described;
	}
	if (wake_fd >= 0)
		close(wake_fd);
	return err;
}

void recording_wait(struct target *t, struct signals *s)
{
	struct pollfd fds[] = {
		{ .fd = t->pidfd, .events = POLLIN },
		{ .fd = s->fd, .events = POLLIN },
	};

	while (t->launched && !target_reap(t)) {
		if (poll(fds, 2, signals_wait_ms(s, -1)) < 0 && errno != EINTR)
			return;
		if (fds[1].revents)
			signals_take(s, t);
		signals_pass_on(s, t);
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
	trace_info_free(&r->outcome.end);
	free(r->ring_sites);
	r->ring_sites = NULL;
	text_watch_close(&r->text_watch);
	releasing_close(&r->releasing);
	load_watch_close(&r->load);
	children_close(&r->children);
	cpu_samples_close(&r->cpu_samples);
	times_close(&r->times);
	if (r->probes.object)
		probes_unload(&r->probes);
}
