/* SPDX-License-Identifier: BSD-2-Clause */
/* One recording of samples, from the held or running processes to the finished trace. */
#ifndef GOTRACE_SAMPLING_H
#define GOTRACE_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/end_reason.h"
#include "sample/binaries.h"
#include "sample/cpu_events.h"
#include "sample/death_records.h"
#include "sample/events.h"
#include "sample/host.h"
#include "sample/processes.h"
#include "sample/sample_bpf.h"
#include "sample/side_band.h"
#include "sample/thread_events.h"
#include "sample/wall.h"
#include "attach/signals.h"
#include "attach/target/target.h"
#include "trace/samples.h"

/* The choices of the caller. Nothing here changes while samples are taken. Pointers are borrowed.
 */
struct sampling_given {
	const struct event_type *event;
	unsigned hz, count; /* see sample_events_init */
	bool kernel, labels;
	bool record_signals;     /* stacks of processes that die */
	uint64_t duration_ns;    /* 0: no limit */
	const char *command;     /* path of the held target's executable */
	const struct user *user; /* user of the command */
	struct target *targets;  /* one that is held, or some that run */
	size_t n_targets;        /* 0 for a host or a cgroup */
	struct signals *signals; /* open */
	bool show_progress;
	/* Writes the names of the trace's addresses as the last thing. NULL: no names. */
	int (*name_addresses)(void *ctx, struct trace_writer *w, struct trace_info *end);
	/* Does so early for the addresses of ended processes, by number. */
	int (*name_ended)(void *ctx, struct trace_writer *w, const bool *ended, size_t n);
	void *name_ctx;
	/* The most bytes of the tables of one trace; 0 is no limit. A trace with more is cut. */
	uint64_t most_bytes;
	/* The number of processes with mappings in the kernel; 0: a fixed number. */
	uint32_t most_processes;
	int wake_fd; /* polled; -1: none */
};

/* Samples of the present trace. */
struct sampling_counts {
	uint64_t no_memory; /* left out because tables took twice most_bytes */
	uint64_t samples, cut_off, unreadable, outside, no_labels;
	uint64_t early;                 /* KEY_END_SAMPLES_EARLY */
	uint64_t labels_cut, no_binary; /* KEY_END_LABELS_CUT, KEY_END_SAMPLES_NO_BINARY */
};

struct sampling {
	const struct sampling_given *given;
	/* live */
	struct host host; /* given: `on`, cgroup */
	struct wall wall; /* given: `on`, limits */
	struct sample_bpf bpf;
	struct sample_bpf_reader reader;
	struct sample_events events;
	struct cpu_events cpus; /* those of the events that belong to CPUs */
	struct side_band side;
	struct thread_events threads; /* events of threads of processes that run already */
	/* Processes start threads faster than gotrace can open them. */
	bool behind;
	bool missed;   /* some threads could not be opened */
	uint64_t late; /* threads that were opened after start_ns */
	struct binaries binaries;
	struct processes processes;
	struct natives natives;
	struct langs langs;
	struct kept_files kept;
	struct executed_files executed;
	struct deaths deaths;
	struct trace_writer *writer;
	uint64_t drained_ns; /* everything earlier is in the trace */
	uint64_t side_ns;    /* everything earlier is known */
	/* the label record that belongs to the next sample of its thread */
	struct sample_head label_of;
	uint32_t label_number;
	bool cut_for_room; /* this trace was cut, or will be */
	uint64_t start_ns, target_end_ns;
	uint64_t begun_ns;            /* when this trace began */
	uint64_t switch_ns, flush_ns; /* when each is due */
	/* A signal or another thread sets it and writes a byte into wake_fd. Then sampling_until
	 * returns. */
	volatile bool cut;
	struct sample_counters told; /* counters that earlier traces have reported */
	struct pollfd *fds;          /* for waiting.c */
	size_t cap_fds;
	/* A process that began, forked or mapped something has woken the recording. */
	bool woken;
	/* outcome */
	struct sampling_counts counts;
	int exec_err; /* END_NOT_STARTED: -errno */
	int err;      /* error of the trace */
	enum end_reason reason;
	struct trace_info end; /* keys of the end record */
};

/* Loads the program and opens the events. A launched target does not run yet. Returns 0 or -errno
 * (logged). */
int sampling_prepare(struct sampling *s);
/* Lets the target go and takes samples until the recording ends. Takes ownership of `writer`.
 * Returns 0, or -errno of the trace; then the file is readable up to the error. */
int sampling_run(struct sampling *s, struct trace_writer *writer);
/*
 * Records in parts, for traces that follow each other without a gap. The first part is
 * sampling_begin with the first writer, then sampling_until. Then sampling_next or sampling_end
 * finishes the present trace. Each trace describes the processes in its samples.
 */
int sampling_begin(struct sampling *s, struct trace_writer *writer);
/* Returns true if the recording has ended (`reason`). */
bool sampling_until(struct sampling *s, uint64_t until_ns);
int sampling_next(struct sampling *s, struct trace_writer *next);
int sampling_end(struct sampling *s);
/* Waits for a launched target that continues after the recording. Passes signals on. */
void sampling_wait(struct sampling *s);
/* The caller must call it in every case. */
void sampling_close(struct sampling *s);

#endif
