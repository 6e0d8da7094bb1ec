/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `gotrace sample`, and the state of its run. */
#ifndef GOTRACE_CLI_SAMPLE_RUN_H
#define GOTRACE_CLI_SAMPLE_RUN_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "sample/sampling.h"
#include "attach/signals.h"
#include "attach/target/target.h"
#include "attach/target/user.h"
#include "cli/name_addresses.h"
#include "trace/trace.h"

#define PIDS_MAX 64

struct sample_run {
	const char *output, *user_name, *pids_text;
	bool all; /* -a */
	pid_t pids[PIDS_MAX];
	char pids_list[PIDS_MAX * 12]; /* pids_text, with numbers in place of names */
	char **command;
	struct user invoker, user;
	char command_path[PATH_MAX];
	struct target targets[PIDS_MAX];
	struct signals signals;
	struct sampling_given given;
	struct sampling sampling;
	struct name_context naming;
	struct symbols_cache symbols;
	struct trace_info info;
	struct sigaction old_child;
	struct rlimit old_files;
	bool published, kept_old;
};

/* Fills in the options of the command line. A wrong one ends gotrace. */
void sample_options_parse(struct sample_run *r, int argc, char **argv);

#endif
