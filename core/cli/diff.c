// SPDX-License-Identifier: BSD-2-Clause
#include <argp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "symbols/open_trace.h"
#include "cli/pager.h"
#include "report/diff_formats.h"

#define DEFAULT_ROWS          30 /* text */
#define DEFAULT_THRESHOLD_PCT 5

enum { KEY_THRESHOLD = 256, KEY_MIN, KEY_RAW };

struct diff_args {
	struct diff_options opt;
	const struct diff_format *format;
	unsigned files;
	bool limit_given;
	struct reading reading;
};

static const struct argp_option options[] = {
	{ "by", 'b', "WHAT", 0, "a row for each function (default) or path", 1 },
	{ "format", 'F', "FORMAT", 0, "text (default), csv or json", 1 },
	{ "sort", 's', "COLUMN", 0,
	  "by the size of the change in self (default), total or calls; or by name", 1 },
	{ "limit", 'n', "N", 0,
	  "at most N rows, 0 for all (default 30 in text, all in csv and json)", 1 },
	{ 0, 0, 0, 0, "What counts as a change (other rows are only counted):", 2 },
	{ "raw", KEY_RAW, NULL, 0, "times as measured, what the probes cost included", 0 },
	{ "threshold", KEY_THRESHOLD, "PCT", 0,
	  "calls and times that differ by at least this percentage of A's (default 5)", 2 },
	{ "min", KEY_MIN, "DURATION", 0,
	  "times must also differ by at least this much: 500ns, 10us, 2ms (default: 1% of "
	  "the longer trace's duration)",
	  2 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const by[] = { "function", "path", NULL };
	static const char *const sort[] = { "self", "total", "calls", "name", NULL };
	struct diff_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->reading;
		return 0;
	case 'b':
		a->opt.by = arg_choice(state, "comparison by", arg, by) ? BY_PATH : BY_FUNCTION;
		return 0;
	case 'F':
		a->format = &diff_formats[arg_table(state, "format", arg, diff_formats,
						    sizeof(diff_formats[0]))];
		return 0;
	case 's':
		a->opt.sort = (enum diff_sort)arg_choice(state, "column to sort by", arg, sort);
		return 0;
	case 'n':
		a->opt.limit = arg_number(state, "-n", arg);
		a->limit_given = true;
		return 0;
	case KEY_THRESHOLD:
		a->opt.threshold_pct = arg_percent(state, "--threshold", arg, 1e6);
		return 0;
	case KEY_RAW:
		a->opt.raw = true;
		return 0;
	case KEY_MIN:
		a->opt.min_ns = arg_duration(state, "--min", arg, 0);
		return 0;
	case ARGP_KEY_ARG:
		if (a->files == 2)
			arg_error(state, "two traces at a time");
		a->opt.file[a->files++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (a->files < 2)
			arg_error(state, "give two traces: the one before, the one after");
		if (!strcmp(a->opt.file[0], "-") && !strcmp(a->opt.file[1], "-"))
			arg_error(state, "only one of the traces can be standard input");
		if (!a->limit_given && a->format == &diff_formats[0])
			a->opt.limit = DEFAULT_ROWS;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_diff(int argc, char **argv)
{
	static const struct argp_child children[] = { { &reading_argp, 0, "Reading:", 20 }, { 0 } };
	static const struct argp argp = {
		options,
		parse,
		"A B",
		"Prints what changed from trace A to trace B: calls, total and self time of each function or path.",
		children,
		NULL,
		NULL
	};
	struct diff_args a = {
		.opt = { .threshold_pct = DEFAULT_THRESHOLD_PCT, .min_ns = DIFF_MIN_AUTO },
		.format = &diff_formats[0],
	};
	struct trace_reader *r[2] = { NULL, NULL };
	int err = 0;

	argp_err_exit_status = STATUS_USAGE;
	arg_parse(&argp, argc, argv, 0, &a);
	signal(SIGPIPE, SIG_IGN);
	for (unsigned s = 0; !err && s < 2; s++) {
		r[s] = open_trace(a.opt.file[s]);
		err = r[s] ? 0 : -1;
	}
	if (!err)
		err = reading_begin(&a.reading);
	a.opt.colour = a.reading.colour;
	a.opt.width = a.reading.width;
	if (!err)
		err = a.format->write(r, &a.opt, stdout);
	err |= reading_end();
	for (unsigned s = 0; s < 2; s++)
		if (r[s])
			trace_reader_close(r[s]);
	return err ? STATUS_BAD_INPUT : 0;
}
