// SPDX-License-Identifier: BSD-2-Clause
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/args.h"
#include "cli/call_lines.h"
#include "cli/cli.h"
#include "cli/stored_trace.h"
#include "cli/output.h"
#include "cli/view_options.h"
#include "export/export.h"

enum {
	KEY_WEIGHT = 256,
	KEY_NO_GO_EDGES,
	KEY_GOROUTINES,
	KEY_CALLS,
	KEY_ARGS,
	KEY_RAW,
	KEY_LAYOUT,
	KEY_ORIGIN,
	KEY_HOST,
	KEY_DEPTH,
	KEY_MIN_SHARE,
	KEY_HEADER
};

struct export_args {
	struct view_options view;
	struct export_options opt;
	const struct export_format *format;
	const char *files[2];
	size_t n_files;
	const char *out;
	unsigned given; /* EXPORT_*: options that only some formats have */
};

static const struct argp_option options[] = {
	{ "format", 'F', "FORMAT", 0, "one of the formats below; it has to be given", 1 },
	{ "output", 'o', "OUT", 0,
	  "output file (default: standard output); a failed export leaves none", 1 },
	{ "weight", KEY_WEIGHT, "WHAT", 0,
	  "weight of a path: self time (ns, default), total time (ns) or calls. Traces with "
	  "--states also have run, ready, wait, syscall and off-cpu, parts of self",
	  2 },
	{ "no-go-edges", KEY_NO_GO_EDGES, NULL, 0,
	  "paths begin at a goroutine's first function, not at the function whose go statement "
	  "started it",
	  2 },
	{ "goroutines", KEY_GOROUTINES, NULL, 0, "label each stack with its goroutine's number",
	  2 },
	{ "calls", KEY_CALLS, NULL, 0,
	  "csv: print a row for each call, in the order in which they began; speedscope: keep "
	  "single calls of all goroutines",
	  2 },
	{ "args", KEY_ARGS, NULL, 0,
	  "add self time and the kind of end to each call, for viewers that show args; speedscope "
	  "takes calls with different args for different functions",
	  2 },
	{ "raw", KEY_RAW, NULL, 0, "print times as measured, without subtracting the probes' cost",
	  2 },
	{ "depth", KEY_DEPTH, "N", 0,
	  "only paths of at most N functions; calls below them count as [other]", 2 },
	{ "min-share", KEY_MIN_SHARE, "PCT", 0,
	  "only paths with at least this share of the time, including everything below; the rest "
	  "counts as [other]",
	  2 },
	{ "header", KEY_HEADER, NULL, 0,
	  "folded: print a first line with the name of the weight; flamegraph.pl and inferno skip "
	  "it",
	  2 },
	{ "perun-layout", KEY_LAYOUT, "LAYOUT", 0,
	  "flat (default), stacks (the uid is the whole stack, for Perun 0.26 and newer) or "
	  "legacy (for the thesis's Sankey view)",
	  2 },
	{ "origin", KEY_ORIGIN, "VERSION", 0,
	  "the commit that was measured; 'perun add' takes only profiles of HEAD", 2 },
	{ "host", KEY_HOST, "NAME", 0, "the machine that was measured", 2 },
	{ 0 },
};

/* The options that only some formats have, as bits of export_format.takes. */
static const struct {
	unsigned bit;
	const char *name;
} special[] = {
	{ EXPORT_WEIGHT, "--weight" },
	{ EXPORT_GO_EDGES, "--no-go-edges" },
	{ EXPORT_GOROUTINES, "--goroutines" },
	{ EXPORT_CALLS, "--calls" },
	{ EXPORT_ARGS, "--args" },
	{ EXPORT_RAW, "--raw" },
	{ EXPORT_CUT, "--depth and --min-share" },
	{ EXPORT_HEADER, "--header" },
	{ EXPORT_PERUN, "--perun-layout, --origin and --host" },
};

/* Which formats have the option, as "folded, pprof". */
static void takers(unsigned bit, char *list, size_t size)
{
	list[0] = '\0';
	for (const struct export_format *f = export_formats; f->name; f++)
		if (f->takes & bit) {
			strncat(list, *list ? ", " : "", size - strlen(list) - 1);
			strncat(list, f->name, size - strlen(list) - 1);
		}
}

static void finish_options(struct argp_state *state, struct export_args *a)
{
	char list[128];

	if (!a->format)
		arg_error(state,
			  "--format=FORMAT is needed; 'gotrace export --help' lists the formats");
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (a->given & special[i].bit & ~a->format->takes) {
			takers(special[i].bit, list, sizeof(list));
			arg_error(state, "%s: for %s, not for %s", special[i].name, list,
				  a->format->name);
		}
	if (a->n_files == 2 && !a->format->compares)
		arg_error(state, "one trace at a time; 'gotrace diff' compares two");
	if (a->n_files == 2 && !strcmp(a->files[0], "-") && !strcmp(a->files[1], "-"))
		arg_error(state, "only one of the traces can be standard input");
	if (!a->n_files)
		a->files[a->n_files++] = "gotrace.out";
	for (size_t i = 0; i < a->n_files; i++)
		a->opt.files[i] = a->files[i];
}

/* Options of the format perun alone. */
static error_t parse_perun(int key, char *arg, struct argp_state *state)
{
	static const char *const layouts[] = { "flat", "stacks", "legacy", NULL };
	struct export_args *a = state->input;

	switch (key) {
	case KEY_LAYOUT:
		a->given |= EXPORT_PERUN;
		a->opt.layout = (enum perun_layout)arg_choice(state, "layout of Perun's", arg,
							      layouts);
		return 0;
	case KEY_ORIGIN:
		a->given |= EXPORT_PERUN;
		a->opt.origin = arg;
		return 0;
	case KEY_HOST:
		a->given |= EXPORT_PERUN;
		a->opt.host = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const weights[] = { "self", "total",   "calls",   "run", "ready",
					       "wait", "syscall", "off-cpu", NULL };
	struct export_args *a = state->input;
	uint64_t depth;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->view;
		return 0;
	case 'F':
		/* The csv of export is the thesis's table; that of report is another. */
		if (!strcmp(arg, "thesis-csv"))
			arg = "csv";
		a->format = &export_formats[arg_table(state, "format", arg, export_formats,
						      sizeof(export_formats[0]))];
		return 0;
	case 'o':
		a->out = arg;
		return 0;
	case KEY_WEIGHT:
		a->given |= EXPORT_WEIGHT;
		a->opt.weight = (enum export_weight)arg_choice(state, "weight", arg, weights);
		return 0;
	case KEY_NO_GO_EDGES:
		a->given |= EXPORT_GO_EDGES;
		a->opt.no_go_edges = true;
		return 0;
	case KEY_RAW:
		a->given |= EXPORT_RAW;
		a->opt.raw = true;
		return 0;
	case KEY_GOROUTINES:
		a->given |= EXPORT_GOROUTINES;
		a->opt.goroutines = true;
		return 0;
	case KEY_CALLS:
		a->given |= EXPORT_CALLS;
		a->opt.calls = true;
		return 0;
	case KEY_ARGS:
		a->given |= EXPORT_ARGS;
		a->opt.args = true;
		return 0;
	case KEY_HEADER:
		a->given |= EXPORT_HEADER;
		a->opt.header = true;
		return 0;
	case KEY_DEPTH:
		a->given |= EXPORT_CUT;
		depth = arg_number(state, "--depth", arg);
		a->opt.cut.depth = depth < UINT_MAX ? (unsigned)depth : UINT_MAX;
		return 0;
	case KEY_MIN_SHARE:
		a->given |= EXPORT_CUT;
		a->opt.cut.min_share_pct = arg_percent(state, "--min-share", arg, 100);
		return 0;
	case ARGP_KEY_ARG:
		if (a->n_files == 2)
			arg_error(state, "two traces at most");
		a->files[a->n_files++] = arg;
		return 0;
	case ARGP_KEY_END:
		finish_options(state, a);
		return 0;
	default:
		return parse_perun(key, arg, state);
	}
}

/* Adds the table of formats to the help, once. */
static char *help(int key, const char *text, void *input)
{
	char *list = NULL;
	size_t size;
	FILE *f;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC || !(f = open_memstream(&list, &size)))
		return (char *)text;
	fputs("Formats, and what opens them:\n", f);
	for (const struct export_format *e = export_formats; e->name; e++)
		fprintf(f, "  %-10s %s\n", e->name, e->what);
	fputs("\nExample: gotrace export --format=pprof -o out.pb.gz gotrace.out\n"
	      "To only look at a trace: gotrace report, gotrace view",
	      f);
	if (fclose(f)) {
		free(list);
		return NULL;
	}
	return list;
}

static int write_output(struct export_args *a)
{
	struct trace_reader *r[2] = { NULL, NULL };
	struct call_lines *lines = NULL;
	struct output out;
	int err = output_act_as_invoker();

	for (size_t i = 0; !err && i < a->n_files; i++) {
		r[i] = open_stored(a->files[i], &a->view);
		err = r[i] ? 0 : -1;
	}
	if (!err)
		err = output_open(&out, a->out, a->format->binary);
	if (!err && a->format->takes & EXPORT_LINES)
		lines = call_lines_open(trace_reader_info(r[0]));
	a->opt.call_line = lines ? call_lines_find : NULL;
	a->opt.call_ctx = lines;
	if (!err)
		err = output_close(&out, a->format->write(r, a->n_files, &a->opt, out.file));
	if (err == -ENOMEM)
		log_no_memory("no memory for the export");
	for (size_t i = 0; i < 2; i++)
		if (r[i])
			trace_reader_close(r[i]);
	call_lines_free(lines);
	return err;
}

int cmd_export(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &view_argp, 0, "A part of the trace:", 10 },
		{ 0 },
	};
	static const struct argp argp = {
		options,
		parse,
		"[FILE [AFTER]]",
		"Writes a trace in a format that another program opens. FILE defaults to gotrace.out. "
		"With --format=html, AFTER is a second trace, and the page shows the changes.\v",
		children,
		help,
		NULL
	};
	struct export_args a = { 0 };

	argp_err_exit_status = STATUS_USAGE;
	arg_parse(&argp, argc, argv, 0, &a);
	if (a.view.view.request && a.format->write != export_html) {
		log_error("--request is for --format=html");
		return STATUS_USAGE;
	}
	a.opt.view = &a.view.view;
	a.view.view.log_warnings = true;
	a.view.view.leave_out_parked = a.format->write == export_html && a.n_files < 2 &&
				       !a.view.parked;
	int err = write_output(&a);

	view_options_free(&a.view);
	return err ? STATUS_BAD_INPUT : 0;
}
