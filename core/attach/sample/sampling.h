/* SPDX-License-Identifier: BSD-2-Clause */
/* One recording of samples, from the held or running processes to the finished trace. */
#ifndef GOTRACE_SAMPLING_H
#define GOTRACE_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/ending.h"
#include "attach/recording.h"
#include "attach/sample/binaries.h"
#include "attach/sample/death_records.h"
#include "attach/sample/events.h"
#include "attach/sample/host.h"
#include "attach/sample/processes.h"
#include "attach/sample/sample_bpf.h"
#include "attach/sample/side_band.h"
#include "attach/sample/thread_events.h"
#include "attach/sample/wall.h"
#include "attach/signals.h"
#include "attach/target/target.h"
#include "trace/samples.h"

struct sampling {
	/* given; pointers are borrowed */
	const struct event_type *event;
	unsigned hz, count; /* see sample_events_init */
	bool kernel, labels;
	bool record_signals;     /* stacks of processes that die */
	uint64_t duration_ns;    /* 0: no limit */
	const char *command;     /* path of what a held target executes */
	struct target *targets;  /* one that is held, or some that run */
	size_t n_targets;        /* of a host or a cgroup none */
	struct host host;        /* given: `on`, cgroup */
	struct signals *signals; /* open */
	bool show_progress;
	/* The last thing to be written: what the addresses in the trace are. NULL: nothing. */
	int (*name_addresses)(void *ctx, struct trace_writer *w, struct trace_info *end);
	/* The same, early, of what these processes executed, by number: they have ended. */
	int (*name_ended)(void *ctx, struct trace_writer *w, const bool *ended, size_t n);
	void *name_ctx;
	/* found out on the way */
	struct sample_bpf bpf;
	struct sample_bpf_reader reader;
	struct sample_events events;
	struct side_band side;
	struct thread_events threads; /* of processes that run already */
	bool behind;                  /* they start threads faster than these can be opened */
	bool missed;                  /* some could not be opened */
	uint64_t late;                /* threads that were opened after start_ns */
	struct binaries binaries;
	struct processes processes;
	struct natives natives;
	struct kept_files kept;
	struct executed_files executed;
	uint64_t drained_ns;     /* what happened before is in the trace */
	const struct user *user; /* of the command, borrowed */
	struct deaths deaths;
	struct wall wall; /* given: `on` */
	struct trace_writer *writer;
	uint64_t side_ns; /* what happened before is known */
	/* the label record that belongs to the next sample of its thread */
	struct sample_head label_of;
	uint32_t label_number;
	/* given: memory that the tables of one trace may take; 0: no limit. Then it is cut. */
	uint64_t most_bytes;
	uint32_t most_processes; /* given; 0: a fixed number. Whose mappings the kernel has */
	bool cut_for_room;       /* this one was, or is to be */
	uint64_t no_memory;      /* samples that were left out, as tables took twice that */
	uint64_t samples, cut_off, unreadable, outside, no_labels;
	uint64_t early;                 /* KEY_END_SAMPLES_EARLY */
	uint64_t labels_cut, no_binary; /* samples: KEY_END_LABELS_CUT, KEY_END_SAMPLES_NO_BINARY */
	uint64_t start_ns, target_end_ns;
	uint64_t begun_ns;            /* this trace */
	uint64_t switch_ns, flush_ns; /* when that is due */
	/* set by a signal or another thread, with a byte into wake_fd: sampling_until returns */
	volatile bool cut;
	int wake_fd;                 /* polled; -1: none */
	struct sample_counters told; /* of traces before */
	struct pollfd *fds;          /* of waiting.c */
	size_t cap_fds;
	bool woken;   /* by a process that began, forked or mapped something */
	int exec_err; /* END_NOT_STARTED: -errno */
	int err;      /* of the trace */
	enum end_reason reason;
	struct trace_info end; /* keys of the end record */
};

/* Loads the program and opens the events. A launched target does not run yet. 0 or -errno
 * (logged). */
int sampling_prepare(struct sampling *s);
/* Lets the target go and takes samples until the recording ends. Takes over `writer`. 0, or -errno
 * of the trace (what was written is readable). */
int sampling_run(struct sampling *s, struct trace_writer *writer);
/*
 * The same in parts, for traces that follow each other without a gap: sampling_begin with the first
 * one, sampling_until, then sampling_next or sampling_end, which finish the one that is being
 * written. Each tells of the processes that it has samples of.
 */
int sampling_begin(struct sampling *s, struct trace_writer *writer);
/* True: the recording has ended (`reason`). */
bool sampling_until(struct sampling *s, uint64_t until_ns);
int sampling_next(struct sampling *s, struct trace_writer *next);
int sampling_end(struct sampling *s);
/* Waits for a launched target that goes on after the recording, passing signals on. */
void sampling_wait(struct sampling *s);
/* Must be called in every case. */
void sampling_close(struct sampling *s);

#endif
