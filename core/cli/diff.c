// SPDX-License-Identifier: BSD-2-Clause
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/stored_trace.h"
#include "cli/pager.h"
#include "report/diff_formats.h"
#include "report/diff_runs_text.h"
#include "report/report_formats.h"

#define DEFAULT_ROWS 30  /* text */
#define RUNS_MAX     100 /* a side */

enum { KEY_THRESHOLD = 256, KEY_MIN, KEY_RAW, KEY_FAIL_IF, KEY_STORE_SERVICE, KEY_STORE_LABEL };

struct diff_args {
	struct diff_options opt;
	const struct diff_format *format;
	const char *files[2][RUNS_MAX]; /* of a side one, or runs */
	size_t n_files[2];
	bool runs; /* sides are separated by -- */
	bool limit_given;
	struct diff_limit limit; /* --fail-if */
	char *glob;              /* of limit; owned */
	struct reading reading;
	struct view_options view; /* of stores: service, labels */
};

static const struct argp_option options[] = {
	{ "by", 'b', "WHAT", 0, "a row for each function (default) or path", 1 },
	{ "format", 'F', "FORMAT", 0,
	  "text (default), csv, json, or folded. folded has a line for each path with its self "
	  "time in A and in B, for flamegraph.pl and inferno",
	  1 },
	{ "sort", 's', "COLUMN", 0,
	  "sort by the size of the change in run (default where both traces have states), self "
	  "(else), total or calls, or by name",
	  1 },
	{ "limit", 'n', "N", 0,
	  "at most N rows, 0 for all (default 30 in text, all in csv and json)", 1 },
	{ 0, 0, 0, 0, "Limits of a change (other rows are only counted):", 2 },
	{ "raw", KEY_RAW, NULL, 0, "print times as measured, without subtracting the probes' cost",
	  0 },
	{ "threshold", KEY_THRESHOLD, "PCT", 0,
	  "calls and times that differ by at least this percentage of A's (default 5)", 2 },
	{ "min", KEY_MIN, "DURATION", 0,
	  "times must also differ by at least this much, such as 500ns, 10us, 2ms (default: 1% of "
	  "the longer trace's duration, for RUN 0.1% of all RUN)",
	  2 },
	{ "fail-if", KEY_FAIL_IF, "'[GLOB] > PCT%'", 0,
	  "exit with status 3 if RUN of a function that GLOB matches grew by more than PCT for "
	  "sure, that is if its interval is above; prints these functions",
	  2 },
	{ 0, 0, 0, 0, "For stores of gotrace agent, DIR@FROM..TO (-2h..-1h, 03:00..04:00):", 3 },
	{ "service", KEY_STORE_SERVICE, "NAME", 0, "only this service", 3 },
	{ "label", KEY_STORE_LABEL, "NAME=VALUE", 0,
	  "only profiles with this label. Repeatable; all labels must match", 3 },
	{ 0 },
};

/* A B, or A1 A2 ... -- B1 B2 ... */
static void take_file(struct argp_state *state, struct diff_args *a, char *arg)
{
	const unsigned side = state->quoted && state->next > state->quoted;

	a->runs |= side;
	if (a->n_files[side] == RUNS_MAX)
		arg_error(state, "more than %d runs", RUNS_MAX);
	a->files[side][a->n_files[side]++] = arg;
}

static void check_files(struct argp_state *state, struct diff_args *a)
{
	unsigned from_stdin = 0;

	if (!a->runs && a->n_files[0] > 2)
		arg_error(state,
			  "two traces at a time, or runs of both sides: A1 A2 A3 -- B1 B2 B3");
	if (!a->runs && a->n_files[0] == 2) {
		a->files[1][a->n_files[1]++] = a->files[0][1];
		a->n_files[0] = 1;
	}
	if (!a->n_files[0] || !a->n_files[1])
		arg_error(state, "give two traces: the one before, the one after");
	for (unsigned s = 0; s < 2; s++)
		for (size_t i = 0; i < a->n_files[s]; i++)
			from_stdin += !strcmp(a->files[s][i], "-");
	if (from_stdin > 1)
		arg_error(state, "only one of the traces can be standard input");
	a->runs = a->n_files[0] + a->n_files[1] > 2;
	if (a->runs && (a->opt.by == BY_PATH || a->format->write == diff_folded))
		arg_error(state, "runs can be compared by function only");
	if (a->opt.limit_of_run && a->format->write == diff_folded)
		arg_error(state,
			  "--fail-if does not go with --format=folded, which compares nothing");
	if (a->opt.limit_of_run && a->opt.by == BY_PATH)
		arg_error(state, "--fail-if does not go with --by=path, it compares functions");
	a->opt.file[0] = a->files[0][0];
	a->opt.file[1] = a->files[1][0];
}

/* "[GLOB] > PCT[%]" */
static void take_limit(struct argp_state *state, struct diff_args *a, const char *arg)
{
	const char *sign = strchr(arg, '>');
	char *end = NULL;

	a->limit = (struct diff_limit){ .as_given = arg };
	if (sign)
		a->limit.pct = strtod(sign + 1, &end);
	if (!sign || end == sign + 1 || strcmp(end + (*end == '%'), "") ||
	    !isfinite(a->limit.pct) || a->limit.pct < 0)
		arg_error(state, "--fail-if takes '> 5%%' or 'GLOB > 5%%', not '%s'", arg);
	while (*arg == ' ')
		arg++;
	while (sign > arg && sign[-1] == ' ')
		sign--;
	if (sign > arg) {
		free(a->glob);
		a->glob = strndup(arg, (size_t)(sign - arg));
		if (!a->glob)
			arg_error(state, "no memory");
		a->limit.functions = a->glob;
	}
	a->opt.limit_of_run = &a->limit;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const by[] = { "function", "path", NULL };
	static const char *const sort[] = { "run", "self", "total", "calls", "name", NULL };
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
		a->opt.sort = DIFF_RUN +
			      (enum diff_sort)arg_choice(state, "column to sort by", arg, sort);
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
	case KEY_FAIL_IF:
		take_limit(state, a, arg);
		return 0;
	case KEY_MIN:
		a->opt.min_ns = arg_duration(state, "--min", arg, 0);
		return 0;
	case KEY_STORE_SERVICE:
		a->view.service = arg;
		return 0;
	case KEY_STORE_LABEL:
		view_options_add_label(state, &a->view, arg);
		return 0;
	case ARGP_KEY_ARG:
		take_file(state, a, arg);
		return 0;
	case ARGP_KEY_END:
		check_files(state, a);
		if (!a->limit_given && a->format == &diff_formats[0])
			a->opt.limit = DEFAULT_ROWS;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int write_runs(struct diff_args *a)
{
	static int (*const write[])(const struct diff_runs *d, const struct diff_options *opt,
				    FILE *out) = { diff_runs_text, diff_runs_csv, diff_runs_json };
	struct diff_runs d;
	int err = diff_runs_init(&d, a->n_files);

	for (unsigned s = 0; s < 2 && !err; s++)
		for (size_t i = 0; i < a->n_files[s] && !err; i++) {
			struct trace_reader *r = open_stored(a->files[s][i], &a->view);

			err = r ? diff_runs_add(&d, s, r, a->opt.raw) : -1;
			trace_reader_close(r);
		}
	if (!err) {
		diff_runs_settle(&d);
		err = reading_begin(&a->reading);
	}
	a->opt.colour = a->reading.colour;
	a->opt.width = a->reading.width;
	if (!err)
		err = write[a->format - diff_formats](&d, &a->opt, stdout);
	diff_runs_free(&d);
	return err | reading_end();
}

static int write_two(struct diff_args *a)
{
	struct trace_reader *r[2] = { NULL, NULL };
	int err = 0;

	for (unsigned s = 0; !err && s < 2; s++) {
		r[s] = open_stored(a->opt.file[s], &a->view);
		err = r[s] ? 0 : -1;
	}
	if (!err)
		err = reading_begin(&a->reading);
	a->opt.colour = a->reading.colour;
	a->opt.width = a->reading.width;
	if (!err)
		err = a->format->write(r, &a->opt, stdout);
	err |= reading_end();
	for (unsigned s = 0; s < 2; s++)
		if (r[s])
			trace_reader_close(r[s]);
	return err;
}

int cmd_diff(int argc, char **argv)
{
	static const struct argp_child children[] = { { &reading_argp, 0, "Reading:", 20 }, { 0 } };
	static const struct argp argp = {
		options,
		parse,
		"A B\nA1 A2... -- B1 B2...",
		"Prints the changes from trace A to trace B in calls, running and self time of each "
		"function or path, and how sure they are. With several runs of both, it prints "
		"differences beyond the runs' own noise.",
		children,
		NULL,
		NULL
	};
	struct diff_args a = {
		.opt = { .threshold_pct = DIFF_THRESHOLD_PCT, .min_ns = DIFF_MIN_AUTO },
		.format = &diff_formats[0],
	};

	argp_err_exit_status = STATUS_USAGE;
	arg_parse(&argp, argc, argv, ARGP_IN_ORDER, &a); /* "--" has sides */
	int err = output_act_as_invoker();

	if (!err)
		err = a.runs ? write_runs(&a) : write_two(&a);

	view_options_free(&a.view);
	free(a.glob);
	if (err)
		return STATUS_BAD_INPUT;
	return a.limit.n_over ? STATUS_GREW : 0;
}
