/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks of the one process of a recording of calls, should it die meanwhile. All of it is written
 * to the trace before the process runs and when the recording has ended: between, others write.
 */
#ifndef GOTRACE_DEATH_WATCH_H
#define GOTRACE_DEATH_WATCH_H

#include "attach/sample/binaries.h"
#include "attach/sample/death_records.h"
#include "attach/sample/natives.h"
#include "attach/sample/processes.h"
#include "attach/sample/side_band.h"
#include "attach/target/target.h"

struct death_watch {
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

/* From now on deaths of the process are noted; a launched one is held still, and will execute
 * `path` as `user`; if it was seized, what its dynamic linker maps is known before it runs. Its
 * addresses become known in `writer`. 0 or -errno (logged). */
int death_watch_begin(struct death_watch *w, struct target *t, const char *path,
		      const struct user *user, struct trace_writer *writer);
/* To be called now and then while it is recorded: makes room for what the process maps. */
void death_watch_look(struct death_watch *w);
/* Writes what was noted, and keys that tell of it. 0 or -errno. */
int death_watch_end(struct death_watch *w, struct trace_info *end);
/* Must be called for one that was begun; one that is zeroed may be. */
void death_watch_close(struct death_watch *w);

#endif
