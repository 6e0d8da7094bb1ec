/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks of the one process of a recording of calls, if it dies during the recording. Its records
 * go into the trace before the process runs and after the end of the recording. In between, other
 * code writes the trace.
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

/* Notes deaths of the process from now on. A launched process is held still, and will execute
 * `path` as `user`. If gotrace seized it, the mappings of its dynamic linker are known before it
 * runs. `writer` gets its mappings. Returns 0 or -errno (logged). */
int death_watch_begin(struct death_watch *w, struct target *t, const char *path,
		      const struct user *user, struct trace_writer *writer);
/* The caller calls it now and then during the recording. It moves mappings from the kernel's rings
 * into memory. */
void death_watch_look(struct death_watch *w);
/* Writes the noted deaths and their keys. Returns 0 or -errno. */
int death_watch_end(struct death_watch *w, struct trace_info *end);
/* The caller must call it after death_watch_begin. A zeroed struct is allowed. */
void death_watch_close(struct death_watch *w);

#endif
