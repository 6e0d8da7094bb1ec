// SPDX-License-Identifier: BSD-2-Clause
/* A trace's events as text, for bug reports. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "base/outfile.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/stored_trace.h"
#include "trace/evlist.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	return arg_trace(key, arg, state, state->input);
}

int cmd_dump(int argc, char **argv)
{
	static const struct argp argp = {
		NULL,
		parse,
		"[FILE]",
		"Prints the events of a trace as text, one a line, in the order of the file:\n"
		"\n"
		"  GOROUTINE KIND FUNCTION DEPTH TIME_NS [KEY=VALUE...]\n"
		"\n"
		"Lines that begin with @ hold facts that the trace records about itself. FILE defaults "
		"to gotrace.out. A line takes about 60 bytes; a trace may have millions of events.",
		NULL,
		NULL,
		NULL
	};
	const char *file = NULL;

	argp_err_exit_status = STATUS_USAGE;
	arg_parse(&argp, argc, argv, 0, &file);
	struct trace_reader *r = output_act_as_invoker() ? NULL : open_stored(file, NULL);

	if (!r)
		return STATUS_BAD_INPUT;
	int err = evlist_dump(stdout, r);

	if (err == -ENOMEM)
		log_no_memory("no memory to print the events");
	int written = outfile_check(stdout);

	err = err ? err : written;
	trace_reader_close(r);
	return err ? STATUS_BAD_INPUT : 0;
}
