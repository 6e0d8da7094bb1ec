// SPDX-License-Identifier: BSD-2-Clause
#include "sample/sampling.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample/attaching.h"
#include "sample/sampling_end.h"
#include "sample/waiting.h"
#include "base/clock.h"
#include "base/log.h"
#include "trace/keys.h"

#define RING_BYTES (8u << 20)
/* Of which is known what they have mapped: others ask for it with their next sample. */
#define PROCESSES_HOST 8192
#define PROCESSES_SOME 1024
#define FLUSH_NS       1000000000ull

/* ---- from the ring to the trace */

/* What happened before this sample must be known first. */
static void catch_up(struct sampling *s, uint64_t ts_ns)
{
	const struct side_band_reader reader = processes_reader(&s->processes);

	if (ts_ns < s->side_ns)
		return;
	s->side_ns = clock_monotonic_ns();
	int err = side_band_read(&s->side, &reader, s->side_ns);

	if (!s->err)
		s->err = err;
}

#define CUT_MARK "..."

/* Of bytes that are `had` in the program and at most `most` in the record; a cut is marked. */
static bool copy_label(char *to, size_t size, const char *from, uint32_t had, uint32_t most)
{
	snprintf(to, size, "%.*s%s", (int)(had < most ? had : most), from,
		 had > most ? CUT_MARK : "");
	return had > most;
}

static void take_labels(void *ctx, const struct sample_label_record *r)
{
	struct sampling *s = ctx;
	char text[2][SAMPLE_LABELS][SAMPLE_VALUE_BYTES + sizeof(CUT_MARK)];
	const char *keys[SAMPLE_LABELS], *values[SAMPLE_LABELS];
	struct sample_labels l = { .n = r->n, .keys = keys, .values = values };
	bool cut = false;

	if (sampling_is_full(s))
		return; /* as its sample will be left out */
	for (uint32_t i = 0; i < r->n && i < SAMPLE_LABELS; i++) {
		const struct sample_label *one = &r->label[i];

		cut |= copy_label(text[0][i], sizeof(text[0][i]), one->key, one->key_bytes,
				  SAMPLE_KEY_BYTES);
		cut |= copy_label(text[1][i], sizeof(text[1][i]), one->value, one->value_bytes,
				  SAMPLE_VALUE_BYTES);
		keys[i] = text[0][i];
		values[i] = text[1][i];
	}
	if (!s->err)
		s->err = trace_writer_labels(s->writer, &l, &s->label_number);
	s->label_of = r->h;
	s->counts.labels_cut += cut;
}

static uint32_t labels_of(struct sampling *s, const struct sample_record *r)
{
	if (!(r->flags & SAMPLE_LABELLED))
		return 0;
	if (s->label_of.tid == r->h.tid && s->label_of.ts_ns == r->h.ts_ns)
		return s->label_number;
	s->counts.no_labels++;
	return 0;
}

static void take_sample(void *ctx, const struct sample_record *r)
{
	struct sampling *s = ctx;
	uint64_t native[SAMPLE_KERNEL_FRAMES + SAMPLE_FRAMES], pcs[STACK_MAX_FRAMES];
	uint32_t n_user = r->n_user, number;

	catch_up(s, r->h.ts_ns);
	if (!sampling_has_room(s))
		return;
	uint32_t process = processes_find(&s->processes, r->pid, r->h.ts_ns);

	if (process == TRACE_NONE || s->err) {
		s->counts.outside++;
		return;
	}
	s->counts.no_binary += r->flags & SAMPLE_NO_BINARY ? 1 : 0;
	const bool whole = processes_reach_root(&s->processes, r, &n_user);
	uint32_t n = r->n_kernel + n_user;

	memcpy(native, r->pcs, n * sizeof(*native));
	/* The kernel's callers are return addresses. */
	for (uint32_t i = 1; i < r->n_kernel; i++)
		native[i]--;
	n = langs_stack(&s->langs, s->writer, r, process, native, n, pcs);
	const bool lost = !whole && processes_lost_callers(&s->processes, r);
	const uint32_t flags = (whole ? r->flags & ~(uint32_t)SAMPLE_UNREADABLE : r->flags) |
			       (lost ? SAMPLE_UNREADABLE : 0);
	const struct sample_stack stack = {
		.process = process, .n = n, .pcs = pcs, .flags = flags & STACK_FLAGS
	};

	s->err = trace_writer_stack(s->writer, &stack, &number);
	const struct sample sample = {
		.ts_ns = r->h.ts_ns,
		.goid = r->goid,
		.weight_ns = r->period,
		.process = process,
		.tid = r->h.tid,
		.stack = number,
		.labels = labels_of(s, r),
	};

	if (!s->err)
		s->err = trace_writer_sample(s->writer, &sample);
	if (s->err == -E2BIG || s->err == -EINVAL) { /* refused alone; the trace goes on */
		s->counts.outside++;
		s->err = 0;
		return;
	}
	s->counts.samples++;
	s->counts.cut_off += !!(r->flags & SAMPLE_CUT);
	s->counts.unreadable += !!(flags & SAMPLE_UNREADABLE);
	s->counts.early += flags & SAMPLE_UNREADABLE &&
			   flags & (SAMPLE_NO_IMAGES | SAMPLE_NO_BINARY);
}

static void take_frames(void *ctx, const struct sample_python_record *r)
{
	langs_take_frames(&((struct sampling *)ctx)->langs, r);
}

static void take_code(void *ctx, const struct sample_code_record *r)
{
	struct sampling *s = ctx;

	langs_take_code(&s->langs, s->writer, r);
}

/* Those of processes that are not sampled are told of as well. */
static void take_death(void *ctx, const struct sample_record *r)
{
	struct sampling *s = ctx;

	catch_up(s, r->h.ts_ns);
	if (!s->err)
		s->err = deaths_take(&s->deaths, s->writer, &s->processes, r);
}

static void drain(struct sampling *s)
{
	const uint64_t before_ns = clock_monotonic_ns();

	sample_bpf_read(&s->bpf);
	s->drained_ns = before_ns;
	executed_files_read(&s->executed);
	catch_up(s, clock_monotonic_ns());
	if (!s->err)
		s->err = s->processes.err ? s->processes.err : s->langs.err;
}

/* ---- preparing */

/* Two or more descriptors for each thread and CPU. */
static void raise_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

int sampling_prepare(struct sampling *s)
{
	struct sample_config config = { .kernel = s->given->kernel, .labels = s->given->labels };
	/* The clock of a thread begins with the thread and loses the last part of its time. Those
	 * of CPUs go on from one thread to the next. */
	const bool by_cpu = s->host.on || s->given->event->is_clock;
	const uint32_t most = s->host.on ? PROCESSES_HOST : PROCESSES_SOME;
	const struct sample_bpf_room room = { RING_BYTES, s->given->most_processes
								  ? s->given->most_processes
								  : most };
	int err = sample_bpf_identify(&config);

	config.some = by_cpu && !s->host.on;
	if (config.some && s->given->targets->launched)
		config.launched = (uint32_t)s->given->targets->pid;
	s->reader = (struct sample_bpf_reader){ take_sample, take_labels, take_death,
						take_frames, take_code,   s };
	raise_files();
	if (!err)
		err = sample_bpf_load(&s->bpf,
				      BPF_SAMPLES | (s->given->record_signals ? BPF_DEATHS : 0) |
					      (s->wall.on ? BPF_WAITS : 0),
				      &config, &room, &s->reader);
	if (err)
		return err;
	s->binaries.bpf = &s->bpf;
	sample_events_init(&s->events, s->given->event, s->given->hz, s->given->count, by_cpu,
			   s->bpf.program_fd);
	err = side_band_init(&s->side, s->host.on, s->given->most_bytes != 0);
	executed_files_open(&s->executed);
	s->kept.executed = &s->executed;
	if (!err && s->host.on)
		err = host_open(&s->host);
	if (!err && config.some)
		err = cpu_events_open(&s->cpus, &s->events, scope_host(-1), s->side.n_cpus);
	if (!err && s->given->targets->launched) {
		binaries_learn(&s->binaries, s->given->command, s->given->command, NULL);
		err = sampling_open_thread(s, s->given->targets->pid, NULL);
	}
	return err;
}

/* ---- running */

/* What --kernel's addresses are in: the kernel's half, for which there is no file. */
static int name_kernel(struct sampling *s)
{
	const struct sample_image kernel = {
		.process = TRACE_NONE,
		.start = 1ull << 63,
		.end = UINT64_MAX,
		.path = "[kernel.kallsyms]",
		.kind = IMAGE_KERNEL,
	};
	uint32_t number;

	return s->given->kernel ? trace_writer_image(s->writer, &kernel, &number) : 0;
}

static bool all_ended(struct sampling *s)
{
	bool all = s->given->n_targets;

	for (size_t i = 0; i < s->given->n_targets; i++)
		all &= target_reap(&s->given->targets[i]);
	if (all)
		s->target_end_ns = clock_monotonic_ns();
	return all;
}

static void progress(const struct sampling *s, uint64_t now, bool last)
{
	char line[96];

	if (!s->given->show_progress)
		return;
	snprintf(line, sizeof(line), "%" PRIu64 " samples, %" PRIu64 " s", s->counts.samples,
		 (now - s->start_ns) / 1000000000);
	log_progress(last ? NULL : line);
}

/* Whether the recording is to end. */
static bool ends(struct sampling *s, uint64_t now)
{
	struct pollfd signal = { .fd = s->given->signals->fd, .events = POLLIN };

	if (s->err)
		s->reason = END_WRITE_ERROR;
	else if (all_ended(s))
		s->reason = END_EXITED;
	else if (s->given->duration_ns && now - s->start_ns >= s->given->duration_ns)
		s->reason = END_DURATION;
	else if (poll(&signal, 1, 0) > 0 && signals_take(s->given->signals, s->given->targets))
		s->reason = END_INTERRUPTED;
	else
		return false;
	return true;
}

/* The moment by which there is something to do. */
static uint64_t next_ns(const struct sampling *s)
{
	uint64_t next = s->switch_ns < s->flush_ns ? s->switch_ns : s->flush_ns;

	if (s->wall.on && s->wall.next_ns < next)
		next = s->wall.next_ns;
	if (s->given->duration_ns && s->start_ns + s->given->duration_ns < next)
		next = s->start_ns + s->given->duration_ns;
	return next;
}

bool sampling_until(struct sampling *s, uint64_t until_ns)
{
	uint64_t now = clock_monotonic_ns();
	bool ended;

	while (!(ended = ends(s, now)) && now < until_ns && !s->cut) {
		const uint64_t next = next_ns(s);

		sampling_wait_until(s, next < until_ns ? next : until_ns);
		drain(s);
		signals_pass_on(s->given->signals, s->given->targets);
		now = clock_monotonic_ns();
		sampling_cut_for_room(s, now);
		if (!s->err)
			s->err = wall_take(&s->wall, now, false);
		if (now >= s->switch_ns)
			s->switch_ns = now + sample_events_switch(&s->events);
		if (now < s->flush_ns)
			continue;
		/* Whoever kills gotrace has what was recorded up to a second ago. */
		if (!s->err)
			s->err = wall_flush(&s->wall);
		if (!s->err)
			s->err = sampling_name_ended(s);
		if (!s->err)
			s->err = trace_writer_flush(s->writer);
		sampling_attach_again(s);
		s->flush_ns = now + FLUSH_NS;
		progress(s, now, false);
	}
	return ended;
}

/* ---- the end */

static void no_hold(void *ctx, struct inject *in)
{
	(void)ctx;
	(void)in;
}

/* It may die at once. */
static void follow_linking(struct sampling *s)
{
	int err = target_seize(s->given->targets);

	if (err) /* strace -f gotrace, or a security module: such a stack is marked */
		log_debug("ptrace: %s", strerror(-err));
	s->given->targets->at_mapped = processes_hold;
	s->given->targets->mapped_ctx = &s->processes;
}

int sampling_begin(struct sampling *s, struct trace_writer *writer)
{
	int err;

	s->writer = writer;
	s->processes.writer = writer;
	s->processes.kept = &s->kept;
	s->processes.keep_images = s->given->record_signals;
	wall_begin(&s->wall, &s->processes, &s->bpf, writer, clock_monotonic_ns());
	s->natives.bpf = &s->bpf;
	s->langs.bpf = &s->bpf;
	s->processes.langs = &s->langs;
	processes_tell(&s->processes, &s->binaries, &s->natives);
	err = name_kernel(s);
	if (!err && s->given->targets->launched)
		natives_prepare(&s->natives, s->given->command, s->given->user);
	if (!err && s->given->targets->launched && s->given->record_signals)
		follow_linking(s);
	if (!err && s->given->targets->launched)
		s->exec_err = target_release(s->given->targets, no_hold, NULL);
	else if (!err)
		err = sampling_attach(s);
	if (err) {
		trace_writer_abort(writer);
		return err;
	}
	if (s->exec_err)
		s->reason = END_NOT_STARTED;
	s->begun_ns = s->start_ns = s->exec_err ? 0 : clock_monotonic_ns();
	s->switch_ns = s->start_ns + sample_events_switch(&s->events);
	s->flush_ns = s->start_ns + FLUSH_NS;
	return 0;
}

/* Names, the end record. 0, or -errno of the trace. */
static int finish(struct sampling *s)
{
	if (!s->err)
		s->err = langs_write(&s->langs, s->writer);
	if (!s->err && s->given->name_addresses)
		s->err = s->given->name_addresses(s->given->name_ctx, s->writer, &s->end);
	int err = sampling_describe_end(s);
	processes_release(&s->processes, s->drained_ns);
	int closed = trace_writer_finish(s->writer, s->end.kvs, s->end.n_kvs);

	s->writer = NULL;
	return s->err ? s->err : closed ? closed : err;
}

static void last_snapshots(struct sampling *s)
{
	if (!s->err && !s->exec_err)
		s->err = wall_take(&s->wall, clock_monotonic_ns(), true);
	if (!s->err)
		s->err = wall_flush(&s->wall);
}

int sampling_next(struct sampling *s, struct trace_writer *next)
{
	drain(s);
	last_snapshots(s);
	if (s->host.on)
		s->events.cpu_ns = host_cpu_ns(&s->host);
	s->reason = END_INTERVAL;
	int err = finish(s);

	trace_info_free(&s->end);
	s->end = (struct trace_info){ 0 };
	sampling_count_anew(s);
	s->writer = next;
	s->err = 0;
	s->label_of = (struct sample_head){ 0 };
	processes_again(&s->processes, next);
	langs_again(&s->langs);
	wall_again(&s->wall, next, clock_monotonic_ns());
	s->err = name_kernel(s);
	return err;
}

int sampling_end(struct sampling *s)
{
	progress(s, clock_monotonic_ns(), true);
	sample_events_close(&s->events);
	if (s->host.on)
		s->events.cpu_ns = host_cpu_ns(&s->host);
	drain(s);
	last_snapshots(s);
	return finish(s);
}

int sampling_run(struct sampling *s, struct trace_writer *writer)
{
	int err = sampling_begin(s, writer);

	if (err)
		return err;
	if (!s->exec_err)
		sampling_until(s, UINT64_MAX);
	return sampling_end(s);
}

void sampling_wait(struct sampling *s)
{
	struct pollfd fds[] = {
		{ .fd = s->given->targets->pidfd, .events = POLLIN },
		{ .fd = s->given->signals->fd, .events = POLLIN },
	};

	while (s->given->targets->launched && !target_reap(s->given->targets)) {
		if (poll(fds, 2, signals_wait_ms(s->given->signals, -1)) < 0 && errno != EINTR)
			return;
		if (fds[1].revents)
			signals_take(s->given->signals, s->given->targets);
		signals_pass_on(s->given->signals, s->given->targets);
	}
}

void sampling_close(struct sampling *s)
{
	sample_events_close(&s->events);
	cpu_events_close(&s->cpus);
	host_close(&s->host);
	side_band_close(&s->side);
	thread_events_unload(&s->threads);
	wall_free(&s->wall);
	binaries_free(&s->binaries);
	sample_bpf_unload(&s->bpf);
	natives_free(&s->natives);
	free(s->fds);
	processes_free(&s->processes);
	langs_free(&s->langs);
	kept_files_free(&s->kept);
	executed_files_close(&s->executed);
	trace_info_free(&s->end);
}
