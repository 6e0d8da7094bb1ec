/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks of the one process of a recording of calls, if it dies during the recording. Its records
 * go into the trace before the process runs and after the end of the recording. In between, other
 * code writes the trace.
 */
#ifndef GOTRACE_DEATH_WATCH_H
#define GOTRACE_DEATH_WATCH_H

#include "sample/binaries.h"
#include "sample/death_records.h"
#include "sample/natives.h"
#include "sample/processes.h"
#include "sample/side_band.h"
#include "attach/recording.h"

struct death_watch {
	/* given; pointers are borrowed */
	const char *path;        /* executable of a launched process */
	const struct user *user; /* the user of a launched process */
	/* Writes last what the addresses of stacks are. Returns 0 or -errno (logged). */
	int (*name_addresses)(void *ctx, struct trace_writer *w, struct trace_info *end);
	/* found out on the way */
	struct sample_bpf bpf;
	struct sample_bpf_reader reader;
	struct binaries binaries;
	struct natives natives;
	struct side_band side;
	struct processes processes;
	struct deaths deaths;
	struct trace_writer *writer;
	int err;
};

/* Its functions take a struct death_watch whose `given` part is filled in and whose rest is zeroed.
 * `begin` holds a launched process still until it has executed `path`; if the process was seized,
 * gotrace learns what its dynamic linker maps before the program runs. */
extern const struct second_source death_watch_source;

/* Frees all memory. The caller must call it once `begin` was called; a zeroed struct is allowed. */
void death_watch_close(struct death_watch *w);

#endif
