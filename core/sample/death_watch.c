// SPDX-License-Identifier: BSD-2-Clause
#include "sample/death_watch.h"

#include <errno.h>
#include <string.h>

#include "sample/thread_events.h"
#include "base/clock.h"
#include "base/log.h"

/* The threads of one process, once. */
#define RING_BYTES (8u << 20)
#define PROCESSES  64 /* it alone has to be known */

static void on_death(void *ctx, const struct sample_record *r)
{
	struct death_watch *w = ctx;
	if (!w->err)
		w->err = deaths_take(&w->deaths, w->writer, &w->processes, r);
}

/* Looks at the threads at most so often. */
#define LOOKS 200

/* Follows the threads that are not followed yet; *n_new: how many. */
static int follow_missing(struct death_watch *w, struct thread_events *threads, pid_t pid,
			  size_t *n_new)
{
	int err = thread_events_read(threads, pid);

	*n_new = 0;
	if (err)
		log_error("the threads of process %d are not known: %s", pid, strerror(-err));
	for (size_t i = threads->n; i && !err; i--) {
		const struct thread_has *has = &threads->at[i - 1];

		if (side_band_complete(&w->side, has->n_side))
			continue;
		err = side_band_open(&w->side, scope_thread((pid_t)has->tid), has->n_side);
		*n_new += !err;
		err = err == -ESRCH ? 0 : err;
	}
	return err;
}

/* What it maps from now on, in all its threads: as in attaching.c, until two looks find none that
 * is not followed. */
static int follow(struct death_watch *w, pid_t pid)
{
	struct threads_config config = { 0 };
	struct thread_events threads;
	size_t n_new = 0;

	side_band_describe(&config);
	int err = thread_events_load(&threads, &config);

	for (unsigned i = 0, complete = 0; i < LOOKS && !err && complete < 2; i++) {
		err = follow_missing(w, &threads, pid, &n_new);
		complete = n_new ? 0 : complete + 1;
	}
	if (!err && n_new)
		log_warn("process %d starts threads so fast that what some of them map is not "
			 "seen: addresses there will have no names",
			 pid);
	thread_events_unload(&threads);
	return err;
}

static int begin(void *source, struct target *t, struct trace_writer *writer)
{
	struct death_watch *w = source;
	struct sample_config config = { .only_pid = (uint32_t)t->pid };
	const struct sample_bpf_room room = { RING_BYTES, PROCESSES };
	int err = sample_bpf_identify(&config);

	w->reader = (struct sample_bpf_reader){ .death = on_death, .ctx = w };
	if (!err)
		err = sample_bpf_load(&w->bpf, BPF_DEATHS, &config, &room, &w->reader);
	if (err)
		return err;
	w->writer = w->processes.writer = writer;
	processes_tell(&w->processes, &w->binaries, &w->natives);
	w->binaries.bpf = w->natives.bpf = &w->bpf;
	err = side_band_init(&w->side, false, false);
	if (!err)
		err = follow(w, t->pid);
	if (!err && t->launched) {
		binaries_learn(&w->binaries, w->path, w->path, NULL);
		natives_prepare(&w->natives, w->path, w->user);
		t->at_mapped = processes_hold;
		t->mapped_ctx = &w->processes;
	} else if (!err) {
		processes_add_running(&w->processes, (uint32_t)t->pid, clock_monotonic_ns());
	}
	return err ? err : w->processes.err;
}

static void look(void *source)
{
	struct death_watch *w = source;

	if (w->writer && !w->err)
		w->err = side_band_empty(&w->side);
}

static int end_stacks(struct death_watch *w, struct trace_info *end)
{
	const struct side_band_reader reader = processes_reader(&w->processes);

	if (!w->writer)
		return 0;
	if (!w->err)
		w->err = side_band_read(&w->side, &reader, clock_monotonic_ns());
	if (!w->err)
		w->err = side_band_describe_lost(&w->side, end);
	if (!w->err)
		sample_bpf_read(&w->bpf);
	if (!w->err)
		w->err = w->processes.err;
	if (!w->err)
		w->err = natives_describe(&w->natives, end);
	return w->err ? w->err : deaths_describe(&w->deaths, &w->bpf, end);
}

static int end(void *source, struct trace_writer *writer, struct trace_info *keys)
{
	struct death_watch *w = source;
	int err = end_stacks(w, keys);

	return err ? err : w->name_addresses(NULL, writer, keys);
}

const struct second_source death_watch_source = { begin, look, end };

void death_watch_close(struct death_watch *w)
{
	if (!w->writer && !w->bpf.object)
		return;
	side_band_close(&w->side);
	binaries_free(&w->binaries);
	sample_bpf_unload(&w->bpf);
	natives_free(&w->natives);
	processes_free(&w->processes);
	*w = (struct death_watch){ 0 };
}
