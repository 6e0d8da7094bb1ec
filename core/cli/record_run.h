/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of `gotrace record`, between the files that it is made of. */
#ifndef GOTRACE_RECORD_RUN_H
#define GOTRACE_RECORD_RUN_H

#include <limits.h>
#include <signal.h>

#include "attach/recording.h"
#include "cli/record_options.h"

/* All that one run of the verb holds. */
struct run {
	struct record_options opt;
	struct user invoker;         /* whose rights files are opened with, whose the trace is */
	struct user user;            /* who the command runs as */
	char command_path[PATH_MAX]; /* what is executed */
	char binary_path[PATH_MAX];  /* what is probed */
	int exe_fd;
	struct gobin *binary;
	struct golayout layout;
	struct plan *plan;
	struct target target;
	struct recording recording;
	struct trace_info info;
	int stub_fd;       /* -1: no stubs */
	sigset_t old_mask; /* signals as gotrace found them, for the command */
	struct sigaction old_child;
	bool stepped_aside; /* an existing trace was renamed to FILE.old */
};

/* record_plan.c: which binary, and what of it is probed how. Fill run; 0 or an exit status
 * (logged). */
int record_find_binary(struct run *r);
int record_plan(struct run *r);

/* record_output.c: the trace file, opened with the invoker's rights; the one that stood there steps
 * aside. 0 or -errno (logged). */
int record_open_output(struct run *r, int *fd);
/* Nothing ran, so nothing is to be kept: what stood there comes back. */
void record_withdraw_output(const struct run *r);

#endif
