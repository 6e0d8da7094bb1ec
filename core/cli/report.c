// SPDX-License-Identifier: BSD-2-Clause
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/text_format.h"
#include "base/vec.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/stored_trace.h"
#include "cli/open_up.h"
#include "cli/output.h"
#include "cli/pager.h"
#include "cli/view_options.h"
#include "report/columns.h"
#include "report/report.h"

#define DEFAULT_ROWS      30 /* text */
#define DEFAULT_PATHS     200
#define DEFAULT_SHARE_PCT 1

enum {
	KEY_MIN = 256,
	KEY_DEPTH,
	KEY_MIN_SHARE,
	KEY_FOLD,
	KEY_RAW,
	KEY_CORRECT_BY,
	KEY_CALLERS,
	KEY_HIST,
	KEY_COLUMNS,
	KEY_WIDE,
	KEY_WAITS
};

struct report_args {
	struct report_options opt;
	struct reading reading;
	struct view_options view;
	const struct report_format *format;
	const char *file;
	bool limit_given, by_given;
	/* by kind of row: an option that was given and needs it */
	const char *option_of[BY_KINDS];
	const char **callers;
	size_t cap_callers;
};

static const struct argp_option options[] = {
	{ "by", 'b', "WHAT", 0,
	  "print a row for each function (default), path, goroutine, call or reason (why "
	  "goroutines waited and where, with --states). Samples also have label, thread, process, "
	  "program and library",
	  1 },
	{ "format", 'F', "FORMAT", 0, "text (default), csv or json", 1 },
	{ "sort", 's', "COLUMN", 0,
	  "self (default), total, calls, morestack, cost (of its probes), mean, max, p50 or p99 "
	  "(of its calls), the largest first. Traces with --states also have run, ready, wait, "
	  "syscall and off-cpu, the parts of self. By default siblings in a tree of paths are "
	  "sorted by share, and calls by their begin. Calls can be sorted by self or total only, "
	  "slowest first",
	  1 },
	{ "limit", 'n', "N", 0,
	  "at most N rows, 0 for all (default 30 in text, paths with 1% of the time in a tree of paths, all in csv and json)",
	  1 },
	{ "wide", KEY_WIDE, NULL, 0,
	  "text: print all columns, names and notes, however narrow the terminal is", 1 },
	{ "waits", KEY_WAITS, NULL, 0,
	  "text, of a trace of record --waits: print rows of functions in which their callers wait "
	  "(runtime.chanrecv1, sync.(*Mutex).lockSlow). Without this option the callers have that time",
	  1 },
	{ "columns", KEY_COLUMNS, "NAME[,NAME]", 0,
	  "print only these columns, by their names in csv, in reports by function and in csv and "
	  "json by path. Text also has self_pct, total_pct and spent_on",
	  1 },
	{ "raw", KEY_RAW, NULL, 0,
	  "print times as measured. Without this option the probes' cost is subtracted", 1 },
	{ "correct-by", KEY_CORRECT_BY, "ESTIMATE", 0,
	  "estimate of the probes' cost: better (default: for each row the estimate with the "
	  "smaller error), samples, or events",
	  1 },
	{ "hist", KEY_HIST, "GLOB", 0,
	  "print a histogram of the durations of matching functions' calls, instead of a row for "
	  "each function",
	  1 },
	{ 0, 0, 0, 0, "With --by=path:", 2 },
	{ "depth", KEY_DEPTH, "N", 0, "only paths of at most N functions", 2 },
	{ "min-share", KEY_MIN_SHARE, "PCT", 0,
	  "only paths with at least this share of the time, including everything below", 2 },
	{ "callers", KEY_CALLERS, "GLOB", 0,
	  "print functions that match, their callers, the callers of these, and so on, instead of "
	  "paths. Numbers are those of the function at the top. Repeatable",
	  2 },
	{ 0, 0, 0, 0, "With --by=goroutine:", 3 },
	{ "fold", KEY_FOLD, NULL, 0,
	  "print one row for all goroutines that one go statement started with one function", 3 },
	{ 0, 0, 0, 0, "With --by=call:", 4 },
	{ "min", KEY_MIN, "DURATION", 0,
	  "only calls that last at least this long, such as 500ns, 10us, 1.5ms, 2s", 4 },
	{ 0 },
};

static const char *const rows[] = { "function", "path",    "goroutine", "call",
				    "reason",   "label",   "thread",    "process",
				    "program",  "library", NULL };

static const char *const estimates[] = { "better", "samples", "events", NULL };

static void check_columns(struct argp_state *state, const struct report_args *a)
{
	const bool text = a->format == &report_formats[0];
	char *names = NULL;
	size_t n, size;
	const char *unknown = a->opt.columns ? columns_unknown(a->opt.columns, text, &n) : NULL;

	if (a->opt.columns && a->opt.hist)
		arg_error(state, "--columns does not go with --hist");
	if (a->opt.columns && a->opt.by != BY_FUNCTION && (text || a->opt.by != BY_PATH))
		arg_error(state,
			  "--columns goes with --by=function, and with --by=path as csv or json");
	if (!unknown)
		return;
	FILE *out = open_memstream(&names, &size);

	if (out) {
		columns_print(out, text);
		text_stream_close(out, &names);
	}
	arg_error(state, "--columns: no column is called '%.*s'; there are: %s", (int)n, unknown,
		  names ? names : "?");
}

static void finish_options(struct argp_state *state, struct report_args *a)
{
	if (!a->format)
		a->format = &report_formats[0];
	if (a->opt.n_callers && !a->by_given)
		a->opt.by = BY_PATH;
	if (a->opt.n_callers && a->opt.by != BY_PATH)
		arg_error(state, "--callers goes with --by=path");
	bool text = a->format == &report_formats[0], tree = text && a->opt.by == BY_PATH;

	/* A tree of the heaviest thirty is often one chain: all that has a share, then. */
	if (tree && !a->limit_given && !a->option_of[BY_PATH]) {
		a->opt.min_share_pct = DEFAULT_SHARE_PCT;
		a->opt.limit = DEFAULT_PATHS;
	} else if (!a->limit_given && text) {
		a->opt.limit = DEFAULT_ROWS;
	}
	for (enum report_by by = BY_FUNCTION; by < BY_KINDS; by++)
		if (a->option_of[by] && by != a->opt.by)
			arg_error(state, "%s goes with --by=%s", a->option_of[by], rows[by]);
	if (a->opt.by == BY_CALL && a->opt.sort > SORT_TOTAL)
		arg_error(state, "--by=call sorts by self or total");
	if (a->opt.by == BY_REASON && a->opt.sort > SORT_CALLS)
		arg_error(
			state,
			"--by=reason sorts by self (waits in the function), total or calls (how many waits)");
	if (a->opt.sort == SORT_COST && a->opt.raw)
		arg_error(state, "--sort=cost is not with --raw");
	if (a->opt.correct_by && a->opt.raw)
		arg_error(state, "--correct-by is not with --raw");
	if (a->opt.by == BY_GOROUTINE && a->opt.sort > SORT_MORESTACK && a->opt.sort < SORT_RUN)
		arg_error(
			state,
			"--by=goroutine sorts by self, total, calls or morestack; with states also by run, ready, wait, syscall or off-cpu");
	if (a->opt.by == BY_PATH && (a->opt.sort == SORT_P50 || a->opt.sort == SORT_P99))
		arg_error(
			state,
			"percentiles are kept for functions only: --by=path does not sort by them");
	check_columns(state, a);
	struct trace_view *v = &a->view.view;

	const bool csv = a->format == &report_formats[1]; /* has no answer */

	if (v->request && (csv || a->opt.by != BY_FUNCTION || a->opt.hist))
		arg_error(state, "--request is for the report by function as text or JSON");
	v->said = a->format != &report_formats[1]; /* csv has no room for it */
	v->leave_out_parked = text && !a->view.parked &&
			      (a->opt.by == BY_FUNCTION || a->opt.by == BY_PATH ||
			       a->opt.by == BY_REASON);
	v->log_warnings = a->format != &report_formats[0];
	if (a->opt.by == BY_CALL) { /* whole calls that begin then */
		a->opt.from_ns = v->from_ns;
		a->opt.to_ns = v->to_ns;
		v->from_ns = v->to_ns = 0;
		/* Who chooses calls by what they are, or how long, looks for the slowest. */
		if (text && a->opt.sort == SORT_DEFAULT && (v->n_focus || a->opt.min_ns))
			a->opt.sort = SORT_TOTAL;
	}
	a->opt.view = v;
}

static void add_callers(struct report_args *a, const char *glob)
{
	if (vec_reserve(&a->callers, &a->cap_callers, a->opt.n_callers + 1)) {
		log_no_memory("no memory for --callers");
		exit(STATUS_BAD_INPUT);
	}
	a->callers[a->opt.n_callers++] = glob;
	a->opt.callers = a->callers;
}

/* Options for one kind of row only. */
static error_t parse_of_rows(int key, char *arg, struct argp_state *state)
{
	struct report_args *a = state->input;
	uint64_t depth;

	switch (key) {
	case KEY_DEPTH:
		depth = arg_number(state, a->option_of[BY_PATH] = "--depth", arg);
		a->opt.depth = depth < UINT_MAX ? (unsigned)depth : UINT_MAX;
		return 0;
	case KEY_HIST:
		a->option_of[BY_FUNCTION] = "--hist";
		a->opt.hist = arg;
		return 0;
	case KEY_MIN_SHARE:
		a->opt.min_share_pct = arg_percent(state, a->option_of[BY_PATH] = "--min-share",
						   arg, 100);
		return 0;
	case KEY_CALLERS:
		add_callers(a, arg);
		return 0;
	case KEY_FOLD:
		a->option_of[BY_GOROUTINE] = "--fold";
		a->opt.fold = true;
		return 0;
	case KEY_MIN:
		a->opt.min_ns = arg_duration(state, a->option_of[BY_CALL] = "--min", arg, 0);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const sort[] = { "self",  "total", "calls",   "morestack", "cost",
					    "mean",  "max",   "p50",     "p99",       "run",
					    "ready", "wait",  "syscall", "off-cpu",   NULL };
	struct report_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->view;
		state->child_inputs[1] = &a->reading;
		return 0;
	case 'b':
		a->opt.by = (enum report_by)arg_choice(state, "report by", arg, rows);
		a->by_given = true;
		return 0;
	case 'F':
		a->format = &report_formats[arg_table(state, "format", arg, report_formats,
						      sizeof(report_formats[0]))];
		return 0;
	case 's':
		a->opt.sort = (enum report_sort)(SORT_SELF +
						 arg_choice(state, "column to sort by", arg, sort));
		return 0;
	case 'n':
		a->opt.limit = arg_number(state, "-n", arg);
		a->limit_given = true;
		return 0;
	case KEY_WAITS:
		a->opt.waits = true;
		return 0;
	case KEY_WIDE:
		a->opt.wide = true;
		return 0;
	case KEY_COLUMNS:
		a->opt.columns = arg;
		return 0;
	case KEY_RAW:
		a->opt.raw = true;
		return 0;
	case KEY_CORRECT_BY:
		a->opt.correct_by = (enum correct_by)arg_choice(state, "estimate", arg, estimates);
		return 0;
	case ARGP_KEY_END:
		finish_options(state, a);
		a->opt.file = a->file;
		return arg_trace(key, arg, state, &a->file);
	case ARGP_KEY_ARG:
		return arg_trace(key, arg, state, &a->file);
	default:
		return parse_of_rows(key, arg, state);
	}
}

int cmd_report(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &view_argp, 0,
		  "A part of the trace (a line below the report prints how much it is):", 10 },
		{ &reading_argp, 0, "Reading:", 20 },
		{ 0 },
	};
	static const struct argp argp = {
		options,
		parse,
		"[FILE]",
		"Prints where the time of a recorded program went. FILE defaults to gotrace.out.",
		children,
		NULL,
		NULL
	};
	struct report_args a = { 0 };

	argp_err_exit_status = STATUS_USAGE;
	arg_parse(&argp, argc, argv, 0, &a);
	struct trace_reader *r = output_act_as_invoker() ? NULL : open_stored(a.file, &a.view);
	int err = r ? reading_begin(&a.reading) : -EIO;

	a.opt.colour = a.reading.colour;
	a.opt.width = a.reading.width;
	a.opt.open_up = open_up;
	if (!err)
		err = a.format->write(r, &a.opt, stdout);
	if (err == -ENOMEM)
		log_no_memory("no memory for the report");
	if (r)
		err |= reading_end();
	trace_reader_close(r);
	view_options_free(&a.view);
	free(a.callers);
	return err ? STATUS_BAD_INPUT : 0;
}
