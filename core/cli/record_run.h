/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of `gotrace record`: declarations that its files share. */
#ifndef GOTRACE_RECORD_RUN_H
#define GOTRACE_RECORD_RUN_H

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "analysis/live_feed.h"
#include "attach/collect/tsc_source.h"
#include "attach/recording.h"
#include "sample/death_watch.h"
#include "cli/record_early.h"
#include "cli/record_options.h"
#include "keep/flight.h"
#include "keep/gate.h"
#include "keep/live_model.h"
#include "keep/min_duration.h"

/* The parts that choose the contents of the trace while the program runs. */
struct keep {
	struct trace_sink first;
	struct live_model *live; /* NULL without a summary */
	/* NULL: all calls pass, or none */
	struct min_duration *min_duration;
	struct trace_sink calls, writer; /* sinks into it and out of it */
	struct gate *gate;               /* NULL: all calls are kept */
	struct flight *flight;           /* NULL without a flight recorder */
	unsigned n_windows;              /* FILE.1, FILE.2, ... so far */
	bool on;                         /* --toggle: its last state */
};

/* Measurements of a command that has ended. */
struct record_measured {
	bool ended;    /* false: it did not run, and the reason was logged */
	bool complete; /* the recording did not end before the command */
	bool stopped;  /* gotrace got a signal that ends it */
	int wait_status;
	/* Time from its exec to its end. The fields below are 0 if not known. */
	uint64_t wall_ns;
	uint64_t cpu_ns; /* its processor time */
	uint64_t events, lost_events;
};

/* A recording for another verb, into a file of its own, without any message of record. */
struct record_host {
	int fd; /* descriptor of the trace; borrowed */
	/* begin is called when the trace exists, before the recording begins (0 or -errno, logged).
	 * end is called when the trace is complete. NULL: not wanted. */
	int (*begin)(void *ctx);
	void (*end)(void *ctx);
	void *ctx;
	/* record_with fills it in. Then it returns 0 if the command has ended in any way. NULL: it
	 * ends like the command. */
	struct record_measured *measured;
	bool untraced; /* only run the command, in the same way; with `measured` */
	/* Gets the numbers of a summary while it is recorded. NULL: they go into the file. */
	struct live_feed *feed;
};

/* Records like `gotrace record` with these options, which must be complete. Returns its exit
 * status. */
int record_with(const struct record_options *opt, const struct record_host *host);

/* The choices of gotrace before it starts the target, by the options, the binary and the kernel.
 * They are constant once record_plan has returned. */
struct record_chosen {
	struct user invoker;         /* files are opened with its rights; it owns the trace */
	struct user user;            /* user of the command */
	char command_path[PATH_MAX]; /* the executable */
	char binary_path[PATH_MAX];  /* the probed file */
	/* The binary is not the program itself, but one that it executes or loads (--exe). */
	bool other_command;
	int exe_fd;
	struct gobin *binary;
	struct golayout layout;
	struct caps caps;
	struct tsc_check clock; /* clock of inline stubs; not checked if there can be none */
	struct plan_options plan_options; /* the user's, completed */
	struct plan *plan;
	bool *named;       /* by function of the plan, true if it matches `also` */
	const char **also; /* globs of functions that options name besides the selection */
};

/* The trace file. */
struct record_output {
	bool published; /* the trace has its name */
	bool kept_old;  /* an existing trace was renamed to FILE.old */
};

struct run {
	/* given */
	const struct record_host *host; /* NULL: the verb is record */
	const struct record_options *opt;
	struct record_chosen chosen;
	/* live */
	int nice; /* with a pid, the priority of this thread before the set-up */
	bool caps_known;
	struct record_early early;
	struct probing probing;
	struct target target;
	struct recording_given given; /* for the recording */
	struct recording recording;
	struct death_watch deaths;
	struct phases phases;
	struct signals signals;
	struct keep keep;
	struct sigaction old_child;
	struct rlimit old_files;
	/* outcome, besides that of the recording */
	struct trace_info info; /* keys of the trace's header */
	struct record_output output;
};

/* record_plan.c: finds the binary, and chooses its probed functions and their probes. Both return 0
 * or an exit status (logged). */
int record_find_binary(struct run *r);
int record_plan(struct run *r);
/* record_rings.c: return the number of rings of inline stubs, and the size of n of them. A warning
 * reports sizes below the wanted one. */
unsigned record_rings(const struct record_options *opt);
uint32_t record_ring_bytes(const struct record_options *opt, unsigned n);

/* record_keep.c: puts the parts that the options require between the events and the trace. It adds
 * their keys, makes their sinks before recording_run, and frees them after recording_close. Results
 * are 0 or -errno (logged). */
int record_keep_describe(const struct record_options *opt, struct trace_info *info);
int record_keep_begin(struct run *r, struct trace_writer *w);
void record_keep_end(struct run *r);

/* record_flight.c: makes the flight recorder the first sink. Returns 0 or -errno (logged). */
int record_flight_begin(struct run *r, struct trace_writer *writer);
/* Writes the waiting windows. Returns true after the last reason for a window. ctx: struct run. */
bool record_flight_tick(void *ctx);

/* record_ending.c: prints warnings, and on a terminal one line on the recording and the next step.
 * `err`: error of the recording. */
void record_say_how_it_ended(const struct run *r, int err);

/* record_trial.c: prints the results of --trial, with the functions to leave out. Returns 0 or
 * -ENOMEM (logged). */
int record_trial_print(const struct run *r, FILE *out);

/* record_output.c: opens the trace file with the invoker's rights, under a temporary name. Returns
 * 0 or -errno (logged). */
int record_open_output(struct run *r, int *fd);
/* Opens the file of a window, FILE.n, and writes its name to `path` of PATH_MAX bytes. An existing
 * trace becomes FILE.n.old. Returns 0 or -errno (logged). */
int record_open_window(struct run *r, unsigned n, char *path, int *fd);
/* Gives the file its name once it can be read. An existing trace becomes FILE.old. Returns 0 or
 * -errno (logged). */
int record_publish_output(struct run *r);
/* Removes the trace file if no program ran, and gives an existing one its name back. */
void record_withdraw_output(const struct run *r);

#endif
