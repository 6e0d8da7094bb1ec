// SPDX-License-Identifier: BSD-2-Clause
#include "attach/sample/death_watch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "attach/target/threads.h"
#include "base/clock.h"
#include "base/log.h"

/* The threads of one process, once. */
#define RING_BYTES (8u << 20)

static void on_death(void *ctx, const struct sample_record *r)
{
	struct death_watch *w = ctx;
	uint32_t process = processes_known(&w->processes, r->pid, r->h.ts_ns);

	if (process != TRACE_NONE && !w->err)
		w->err = deaths_take(&w->deaths, w->writer, r, process);
}

/* What it maps from now on, in all its threads. */
static int follow(struct death_watch *w, pid_t pid)
{
	char path[32];
	pid_t tid;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *d = opendir(path);

	while (d && !err && (tid = threads_next(d))) {
		err = side_band_open(&w->side, tid, 0);
		err = err == -ESRCH ? 0 : err;
	}
	if (d)
		closedir(d);
	return err;
}

int death_watch_begin(struct death_watch *w, const struct target *t, const char *path,
		      struct trace_writer *writer)
{
	struct sample_config config = { .only_pid = (uint32_t)t->pid };
	int err = sample_bpf_identify(&config);

	w->reader = (struct sample_bpf_reader){ .death = on_death, .ctx = w };
	if (!err)
		err = sample_bpf_load(&w->bpf, BPF_DEATHS, &config, RING_BYTES, &w->reader);
	if (err)
		return err;
	w->writer = w->processes.writer = writer;
	w->processes.binaries = &w->binaries;
	w->binaries.bpf = &w->bpf;
	err = side_band_init(&w->side);
	if (!err)
		err = follow(w, t->pid);
	if (!err && t->launched)
		binaries_learn(&w->binaries, path, path);
	else if (!err)
		processes_add_running(&w->processes, (uint32_t)t->pid, clock_monotonic_ns());
	return err ? err : w->processes.err;
}

int death_watch_end(struct death_watch *w, struct trace_info *end)
{
	const struct side_band_reader reader = processes_reader(&w->processes);

	if (!w->writer)
		return 0;
	w->err = side_band_read(&w->side, &reader, clock_monotonic_ns());
	if (!w->err)
		sample_bpf_read(&w->bpf);
	if (!w->err)
		w->err = w->processes.err;
	return w->err ? w->err : deaths_describe(&w->deaths, &w->bpf, end);
}

void death_watch_close(struct death_watch *w)
{
	if (!w->writer && !w->bpf.object)
		return;
	side_band_close(&w->side);
	sample_bpf_unload(&w->bpf);
	binaries_free(&w->binaries);
	processes_free(&w->processes);
	*w = (struct death_watch){ 0 };
}
