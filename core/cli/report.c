// SPDX-License-Identifier: BSD-2-Clause
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/cli.h"
#include "export/export.h"

#define DEFAULT_FILE "gotrace.out"
#define DEFAULT_ROWS 30 /* text */

enum { KEY_GOID = 256, KEY_FROM, KEY_TO, KEY_MIN };

struct report_args {
	struct report_options opt;
	const struct report_format *format;
	const char *file;
	bool limit_given, window_given;
};

static const struct argp_option options[] = {
	{ "by", 'b', "WHAT", 0, "a row for each function (default), path, goroutine or call", 1 },
	{ "format", 'F', "FORMAT", 0, "text (default), csv or json", 1 },
	{ "sort", 's', "COLUMN", 0, "self (default), total, calls or morestack; a tree of paths is sorted by share", 1 },
	{ "limit", 'n', "N", 0, "rows at most, 0 for all (default 30 in text, all in csv and json)", 1 },
	{ 0, 0, 0, 0, "With --by=call:", 2 },
	{ "goid", KEY_GOID, "ID", 0, "calls on this goroutine", 2 },
	{ "from", KEY_FROM, "SECONDS", 0, "calls that begin this long after the trace's first event, or later", 2 },
	{ "to", KEY_TO, "SECONDS", 0, "calls that begin before", 2 },
	{ "min", KEY_MIN, "DURATION", 0, "calls that last as long or longer: 500ns, 10us, 1.5ms, 2s", 2 },
	{ 0 },
};

/* Index of word in names (ended by NULL), or a usage error that lists them. */
static int choice(struct argp_state *state, const char *what, const char *word, const char *const *names)
{
	char list[128] = "";

	for (int i = 0; names[i]; i++) {
		if (!strcmp(names[i], word))
			return i;
		strncat(list, i ? ", " : "", sizeof(list) - strlen(list) - 1);
		strncat(list, names[i], sizeof(list) - strlen(list) - 1);
	}
	argp_error(state, "there is no %s '%s'; there are %s", what, word, list);
	return 0;
}

static uint64_t number(struct argp_state *state, const char *what, const char *s)
{
	char *end;

	errno = 0;
	unsigned long long v = strtoull(s, &end, 10);

	if (errno || end == s || *end || strchr(s, '-'))
		argp_error(state, "%s takes a number, not '%s'", what, s);
	return v;
}

/* A number with one of the units (name, nanoseconds; the first when none stands there). */
static uint64_t duration(struct argp_state *state, const char *what, const char *s, bool unit_needed)
{
	static const struct { const char *name; double ns; } units[] = {
		{ "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "µs", 1e3 }, { "ns", 1 },
	};
	char *end;
	double v = strtod(s, &end), scale = 0;

	if (!*end && !unit_needed)
		scale = 1e9;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].name))
			scale = units[i].ns;
	if (end == s || !isfinite(v) || v < 0 || scale == 0 || v * scale > 1e18)
		argp_error(state, "%s takes a time such as %s, not '%s'", what, unit_needed ? "10us or 1ms" : "0.5", s);
	return (uint64_t)(v * scale + 0.5);
}

static void find_format(struct argp_state *state, struct report_args *a, const char *name)
{
	const char *names[8] = { 0 };
	size_t n = 0;

	for (const struct report_format *f = report_formats; f->name && n < 7; f++)
		names[n++] = f->name;
	a->format = &report_formats[choice(state, "format", name, names)];
}

static void finish_options(struct argp_state *state, struct report_args *a)
{
	if (!a->file)
		a->file = DEFAULT_FILE;
	if (!a->format)
		a->format = &report_formats[0];
	if (!a->limit_given && a->format == &report_formats[0])
		a->opt.limit = DEFAULT_ROWS;
	if (a->window_given && a->opt.by != BY_CALL)
		argp_error(state, "--goid, --from, --to and --min choose calls: add --by=call");
	if (a->opt.to_ns && a->opt.to_ns <= a->opt.from_ns)
		argp_error(state, "--to is not after --from");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const by[] = { "function", "path", "goroutine", "call", NULL };
	static const char *const sort[] = { "self", "total", "calls", "morestack", NULL };
	struct report_args *a = state->input;

	a->window_given |= key >= KEY_GOID && key <= KEY_MIN;
	switch (key) {
	case 'b':
		a->opt.by = (enum report_by)choice(state, "report by", arg, by);
		return 0;
	case 'F':
		find_format(state, a, arg);
		return 0;
	case 's':
		a->opt.sort = (enum report_sort)choice(state, "column to sort by", arg, sort);
		return 0;
	case 'n':
		a->opt.limit = number(state, "-n", arg);
		a->limit_given = true;
		return 0;
	case KEY_GOID:
		a->opt.goid = number(state, "--goid", arg);
		return 0;
	case KEY_FROM:
		a->opt.from_ns = duration(state, "--from", arg, false);
		return 0;
	case KEY_TO:
		a->opt.to_ns = duration(state, "--to", arg, false);
		return 0;
	case KEY_MIN:
		a->opt.min_ns = duration(state, "--min", arg, true);
		return 0;
	case ARGP_KEY_ARG:
		if (a->file)
			argp_error(state, "one trace at a time");
		a->file = arg;
		return 0;
	case ARGP_KEY_END:
		finish_options(state, a);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_report(int argc, char **argv)
{
	static const struct argp argp = { options, parse, "[FILE]",
		"Prints where the time of a recorded program went. FILE is gotrace.out unless given.",
		NULL, NULL, NULL };
	struct report_args a = { 0 };

	argp_err_exit_status = STATUS_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error to report, not a silent end */
	a.opt.colour = isatty(STDOUT_FILENO);
	struct trace_reader *r = trace_reader_open(a.file);

	if (!r)
		return STATUS_BAD_INPUT;
	int err = a.format->write(r, &a.opt, stdout);

	trace_reader_close(r);
	return err ? STATUS_BAD_INPUT : 0;
}
