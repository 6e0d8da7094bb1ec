/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of `gotrace record`: what its files share. */
#ifndef GOTRACE_RECORD_RUN_H
#define GOTRACE_RECORD_RUN_H

#include <limits.h>
#include <signal.h>
#include <stdio.h>

#include "attach/collect/tsc_source.h"
#include "attach/recording.h"
#include "cli/record_options.h"

struct run {
	struct record_options opt;
	struct user invoker;         /* whose rights files are opened with, who owns the trace */
	struct user user;            /* who the command runs as */
	char command_path[PATH_MAX]; /* what is executed */
	char binary_path[PATH_MAX];  /* what is probed */
	int exe_fd;
	struct gobin *binary;
	struct golayout layout;
	struct caps caps;
	struct tsc_check clock; /* of inline stubs; not checked where there can be none anyway */
	struct plan *plan;      /* constant once it is built */
	struct probing probing;
	struct target target;
	struct recording recording;
	struct trace_info info;
	sigset_t old_mask; /* signals as gotrace found them, for the command */
	struct sigaction old_child;
	bool published; /* the trace has its name */
	bool kept_old;  /* an existing trace was renamed to FILE.old */
};

/* record_plan.c: finds the binary, and decides what of it is probed and how. 0 or an exit status
 * (logged). */
int record_find_binary(struct run *r);
int record_plan(struct run *r);

/* record_ending.c: warnings, and on a terminal one line on what was recorded and what to do next.
 * `err`: of the recording. */
void record_say_how_it_ended(const struct run *r, int err);

/* record_trial.c: what --trial has shown, and which functions to leave out. 0 or -ENOMEM (logged).
 */
int record_trial_print(const struct run *r, FILE *out);

/* record_output.c: opens the trace file with the invoker's rights, under a temporary name. 0 or
 * -errno (logged). */
int record_open_output(struct run *r, int *fd);
/* What was written can be read: the file gets its name, an existing trace becomes FILE.old. 0 or
 * -errno (logged). */
int record_publish_output(struct run *r);
/* Nothing ran: removes the trace file, and gives an existing one its name back. */
void record_withdraw_output(const struct run *r);

#endif
