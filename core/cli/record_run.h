/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of `gotrace record`: what its files share. */
#ifndef GOTRACE_RECORD_RUN_H
#define GOTRACE_RECORD_RUN_H

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "attach/collect/tsc_source.h"
#include "attach/recording.h"
#include "cli/record_early.h"
#include "cli/record_options.h"
#include "keep/flight.h"
#include "keep/gate.h"
#include "keep/live_model.h"
#include "keep/min_duration.h"

/* What decides, while the program runs, what gets into the trace. */
struct keep {
	struct trace_sink first;
	struct live_model *live; /* NULL: no summary is kept */
	/* NULL: all calls get from there to the trace, or none */
	struct min_duration *min_duration;
	struct trace_sink calls, writer; /* into it, out of it */
	struct gate *gate;               /* NULL: all calls are kept */
	struct flight *flight;           /* NULL: not only the last are */
	unsigned n_windows;              /* FILE.1, FILE.2, ... so far */
	bool on;                         /* --toggle: as it was switched last */
};

/* How a command ran that has ended. */
struct record_measured {
	bool ended;    /* false: it did not run, and why was logged */
	bool complete; /* nothing ended the recording before the command */
	bool stopped;  /* gotrace was sent a signal that means an end */
	int wait_status;
	uint64_t wall_ns; /* from its exec to its end; what follows is 0 where it is not known */
	uint64_t cpu_ns;  /* processor time of it */
	uint64_t events, lost_events;
};

/* A recording that another verb makes: into a file of its own, without a word of record's. */
struct record_host {
	int fd; /* of the trace; borrowed */
	/* Called when the trace is there, before anything is recorded (0 or -errno, logged), and
	 * when it is whole. NULL: not wanted. */
	int (*begin)(void *ctx);
	void (*end)(void *ctx);
	void *ctx;
	/* Filled in; the result is then 0 where the command has ended, however it did. NULL: end
	 * as the command does. */
	struct record_measured *measured;
	bool untraced; /* only run the command, in the same way; with `measured` */
};

/* As `gotrace record` with these options, which must be whole. Returns its exit status. */
int record_with(struct record_options *opt, const struct record_host *host);

struct run {
	const struct record_host *host; /* NULL: record itself */
	struct record_options opt;
	int nice;                    /* with a pid: this thread's priority before the set-up */
	struct user invoker;         /* whose rights files are opened with, who owns the trace */
	struct user user;            /* who the command runs as */
	char command_path[PATH_MAX]; /* what is executed */
	char binary_path[PATH_MAX];  /* what is probed */
	int exe_fd;
	struct gobin *binary;
	struct golayout layout;
	struct caps caps;
	bool caps_known;
	struct record_early early;
	struct tsc_check clock; /* of inline stubs; not checked where there can be none anyway */
	struct plan *plan;      /* constant once it is built */
	struct probing probing;
	struct target target;
	struct recording recording;
	struct phases phases; /* until the recording has them */
	struct signals signals;
	struct trace_info info;
	struct keep keep;
	struct sigaction old_child;
	struct rlimit old_files;
	bool *named;       /* by function of the plan: it is one of `also` */
	const char **also; /* globs of functions that options name besides the selection */
	bool published;    /* the trace has its name */
	bool kept_old;     /* an existing trace was renamed to FILE.old */
};

/* record_plan.c: finds the binary, and decides what of it is probed and how. 0 or an exit status
 * (logged). */
int record_find_binary(struct run *r);
int record_plan(struct run *r);
/* record_rings.c: how many rings inline stubs write to, and how large n of them are; a warning says
 * where they are smaller than was asked for. */
unsigned record_rings(const struct run *r);
uint32_t record_ring_bytes(const struct run *r, unsigned n);

/* record_keep.c: puts what the options ask for between the events and the trace: its keys, its
 * sinks before recording_run, and frees them after recording_close. 0 or -errno (logged). */
int record_keep_describe(const struct run *r, struct trace_info *info);
int record_keep_begin(struct run *r, struct trace_writer *w);
void record_keep_end(struct run *r);

/* record_flight.c: the flight recorder becomes the first sink. 0 or -errno (logged). */
int record_flight_begin(struct run *r, struct trace_writer *writer);
/* Writes the windows that wait, ctx: struct run. Has the last reason for one come? */
bool record_flight_tick(void *ctx);

/* record_ending.c: warnings, and on a terminal one line on what was recorded and what to do next.
 * `err`: of the recording. */
void record_say_how_it_ended(const struct run *r, int err);

/* record_trial.c: what --trial has shown, and which functions to leave out. 0 or -ENOMEM (logged).
 */
int record_trial_print(const struct run *r, FILE *out);

/* record_output.c: opens the trace file with the invoker's rights, under a temporary name. 0 or
 * -errno (logged). */
int record_open_output(struct run *r, int *fd);
/* The file of a window, FILE.n, in `path` of PATH_MAX bytes; an existing trace becomes FILE.n.old.
 * 0 or -errno (logged). */
int record_open_window(struct run *r, unsigned n, char *path, int *fd);
/* What was written can be read: the file gets its name, an existing trace becomes FILE.old. 0 or
 * -errno (logged). */
int record_publish_output(struct run *r);
/* Nothing ran: removes the trace file, and gives an existing one its name back. */
void record_withdraw_output(const struct run *r);

#endif
