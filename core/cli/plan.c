// SPDX-License-Identifier: BSD-2-Clause
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/outfile.h"
#include "base/text_format.h"
#include "base/text_wrap.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/pager.h"
#include "cli/process_arg.h"
#include "cli/selection.h"
#include "plan/plan_print.h"

struct plan_args {
	struct selection selection;
	const char *binary;
	pid_t pid;       /* --pid; 0: not given */
	char of_pid[32]; /* its /proc/PID/exe */
	bool json, explain, list;
};

enum { OPT_PID = 0x300 };

static const struct argp_option options[] = {
	{ "pid", OPT_PID, "PID|NAME", 0,
	  "Plan the binary that this process executes, as 'gotrace record --pid PID' would probe it",
	  1 },
	{ "format", 'F', "FORMAT", 0, "text (default) or json", 1 },
	{ "list", 'l', NULL, 0,
	  "List every function with the places of its probes, functions that are not probed by "
	  "reason, and inlined functions. Without this option, print their numbers by package and "
	  "by reason",
	  1 },
	{ "explain", 'e', NULL, 0,
	  "List every probe with its instruction, the number of traps that it costs, and the "
	  "reason for it",
	  1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct plan_args *a = state->input;

	switch (key) {
	case OPT_PID:
		if (a->binary)
			arg_error(state, "one binary at a time");
		a->pid = process_arg(state, arg);
		snprintf(a->of_pid, sizeof(a->of_pid), "/proc/%d/exe", a->pid);
		a->binary = a->of_pid;
		a->selection.plan.running = true;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->selection;
		return 0;
	case 'F':
		if (strcmp(arg, "text") && strcmp(arg, "json"))
			arg_error(state, "there is no format '%s'; there are text and json", arg);
		a->json = !strcmp(arg, "json");
		return 0;
	case 'l':
		a->list = true;
		return 0;
	case 'e':
		a->explain = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->binary)
			arg_error(state, "one binary at a time");
		a->binary = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->binary)
			arg_error(state, "which binary?");
		if (a->selection.plan.traps && !a->selection.plan.running)
			arg_error(state, "--traps goes with --pid");
		if ((a->explain || a->list) && a->json)
			arg_error(state, "%s is text", a->explain ? "--explain" : "--list");
		if (a->selection.stub == CHOICE_NOP)
			a->selection.plan.stub = STUB_NOP5;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Its sentences are broken between words where a terminal ends. */
static int print_summary(const struct plan *p)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int err = f ? plan_print_summary(p, f) : -ENOMEM;

	if (f && text_stream_close(f, &text) && !err)
		err = -ENOMEM;
	if (!err)
		text_wrap_lines(stdout, text, reading_width(), 4);
	free(text);
	return err;
}

static int show(const struct plan_args *a, const struct gobin *b)
{
	struct golayout layout;
	struct plan *p = plan_build(b, &a->selection.plan);
	int err;

	if (!p) {
		if (errno == ENOMEM)
			log_no_memory("no memory for the plan");
		return STATUS_BAD_INPUT;
	}
	err = a->json      ? plan_print_json(p, stdout)
	      : a->explain ? plan_print_sites(p, stdout)
	      : a->list    ? plan_print_text(p, stdout)
			   : print_summary(p);
	if (err && !ferror(stdout))
		log_error("standard output: %s", strerror(-err));
	else
		err = outfile_check(stdout);
	plan_free(p);
	/* Logs why, if the binary can be planned but not recorded. */
	return err || gobin_layout(b, &layout) ? STATUS_BAD_INPUT : 0;
}

/* Names of functions are shown to who may read the file. A file that another process executes can
 * be opened with the rights to trace it only; who may read it is asked then. */
static int open_binary(const struct plan_args *a)
{
	struct user invoker;
	int fd = -1, err = a->pid ? user_find(NULL, &invoker) : output_act_as_invoker();

	if (!err) {
		fd = open(a->binary, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			log_error("%s: %s", a->binary, strerror(errno));
	}
	if (fd < 0 || !a->pid)
		return fd;
	if (refuse_unreadable(&invoker, fd, a->pid) || output_act_as_invoker()) {
		close(fd);
		return -1;
	}
	return fd;
}

int cmd_plan(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &selection_argp, 0, "Functions to trace, and how to probe them:", 10 },
		{ 0 },
	};
	static const struct argp argp = {
		options,
		parse,
		"BINARY\n--pid PID",
		"Prints which functions of BINARY would be probed, and where, and why the others would "
		"not. Needs no root.",
		children,
		NULL,
		NULL
	};
	struct plan_args a = { 0 };
	int status = STATUS_BAD_INPUT;

	arg_parse(&argp, argc, argv, 0, &a);
	int fd = open_binary(&a);
	if (fd >= 0) {
		struct gobin *b = gobin_open(fd, a.binary);

		if (b)
			status = show(&a, b);
		else if (errno == ENOMEM)
			log_no_memory("no memory for the functions of %s", a.binary);
		gobin_close(b);
		close(fd);
	}
	selection_free(&a.selection);
	return status;
}
