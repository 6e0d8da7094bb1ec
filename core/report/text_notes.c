// SPDX-License-Identifier: BSD-2-Clause
/* Notes below a report: what may be wrong first. On a terminal those that matter, and the commands
 * that lead on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/warnings.h"
#include "analysis/calls/probe_cost.h"
#include "analysis/calls/released.h"
#include "analysis/trace_notes.h"
#include "base/log.h"
#include "base/shell_word.h"
#include "base/text_wrap.h"
#include "report/text.h"

#define MOST    5 /* notes on a terminal */
#define HANGING 4

static bool among(const struct notes *l, const char *line)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->lines[i], line))
			return true;
	return false;
}

static bool on_terminal(const struct report *rep)
{
	return rep->opt->width && !rep->opt->wide;
}

static void print(const struct report *rep, FILE *out, const char *line, bool warning)
{
	const enum text_style style = !rep->opt->colour ? STYLE_NONE
				      : warning         ? STYLE_WARNING
							: STYLE_DIM;

	text_style(out, style);
	fputs(warning ? "! " : "", out);
	text_wrap(out, line, on_terminal(rep) ? rep->opt->width - (warning ? 2 : 0) : 0, HANGING);
	text_style(out, style ? STYLE_END : STYLE_NONE);
}

/* Collects all notes of the report. */
static void find_all(const struct report *rep, struct notes *to)
{
	if (!rep->trace.samples && (rep->opt->by == BY_CALL || rep->opt->by == BY_GOROUTINE))
		notes_add(to, "times of %s are as measured and include the probes' cost",
			  rep->opt->by == BY_CALL ? "single calls" : "goroutines");
	text_states_note(rep, to);
	trace_notes(&rep->trace, to);
}

/* Doubts, but for those that stand before the numbers. */
static void find_warnings(const struct report *rep, struct notes *to)
{
	struct notes all = { 0 }, before = { 0 };
	const char *slow = rep->trace.samples ? NULL : probe_overhead_warn(rep->trace.info);

	warnings_all(&rep->trace, &all);
	if (!rep->trace.samples && released_doubt(&rep->trace, &before))
		to->err = -ENOMEM;
	for (size_t i = 0; i < all.n; i++)
		if (!among(&before, all.lines[i]))
			notes_add(to, "%s", all.lines[i]);
	if (slow)
		notes_add(to, "%s", slow);
	to->err = to->err ? to->err : all.err;
	notes_free(&all);
	notes_free(&before);
}

/* Returns the command with the trace's file as its argument; to be freed. */
static char *with_file(const struct report *rep, const char *command)
{
	char *line = NULL;
	size_t size;
	FILE *f = open_memstream(&line, &size);

	if (!f)
		return NULL;
	fputs(command, f);
	if (rep->opt->file) {
		fputc(' ', f);
		shell_word(f, rep->opt->file);
	}
	text_stream_close(f, &line);
	return line;
}

/* Two commands that lead on, and what they are for where that fits their line. */
static void next(const struct report *rep, FILE *out)
{
	static const char *const of_states[][2] = {
		{ "gotrace report --by=call -s total", "the slowest calls, and why" },
		{ "gotrace report --by=reason", "who ended which wait" },
	};
	static const char *const plain[][2] = {
		{ "gotrace report --by=path", "where it was called from" },
		{ "gotrace view", "all of it in a browser" },
	};
	const bool calls = !rep->trace.samples && !rep->trace.summary;
	const char *const(*lines)[2] = calls && rep->trace.totals->states ? of_states : plain;
	char *commands[2];
	size_t widest = 0;

	if (rep->opt->by != BY_FUNCTION || rep->opt->hist || !rep->trace.totals->calls)
		return;
	for (size_t i = 0; i < 2; i++) {
		commands[i] = with_file(rep, lines[i][0]);
		const size_t n = commands[i] ? text_columns(commands[i]) : 0;

		widest = n > widest ? n : widest;
	}
	fputc('\n', out);
	for (size_t i = 0; i < 2 && commands[i]; i++) {
		const size_t n = text_columns(commands[i]);

		fputs(i ? "      " : "next: ", out);
		text_style(out, rep->opt->colour ? STYLE_REASON : STYLE_NONE);
		text_safe(out, commands[i]);
		text_style(out, rep->opt->colour ? STYLE_END : STYLE_NONE);
		if (strlen("next:   ") + widest + strlen(lines[i][1]) <= rep->opt->width)
			fprintf(out, "%*s  %s", (int)(widest - n), "", lines[i][1]);
		fputc('\n', out);
	}
	for (size_t i = 0; i < 2; i++)
		free(commands[i]);
}

/* Chooses the notes that a terminal shows. */
static void find_shown(const struct report *rep, const struct notes *warnings,
		       const struct notes *all, struct notes *to)
{
	struct notes main = { 0 };

	if (!rep->trace.samples)
		trace_notes_main(&rep->trace, &main);
	const struct notes *from = rep->trace.samples ? all : &main;

	for (size_t i = 0; i < from->n && warnings->n + to->n < MOST; i++)
		if (!among(warnings, from->lines[i]))
			notes_add(to, "%s", from->lines[i]);
	to->err = to->err ? to->err : main.err;
	notes_free(&main);
}

/* The last note is about losses, and stays last. */
static void print_all(const struct report *rep, FILE *out, const struct notes *warnings,
		      const struct notes *all)
{
	const char *last = all->n ? all->lines[all->n - 1] : "";

	for (size_t i = 0; i < warnings->n; i++)
		if (strcmp(warnings->lines[i], last) != 0)
			print(rep, out, warnings->lines[i], true);
	for (size_t i = 0; i + 1 < all->n; i++)
		if (!among(warnings, all->lines[i]))
			print(rep, out, all->lines[i], false);
	if (all->n)
		print(rep, out, last, among(warnings, last));
}

static int print_some(const struct report *rep, FILE *out, const struct notes *warnings,
		      const struct notes *all)
{
	struct notes shown = { 0 };
	size_t left = 0;

	find_shown(rep, warnings, all, &shown);
	for (size_t i = 0; i < warnings->n; i++)
		if (i < MOST)
			print(rep, out, warnings->lines[i], true);
		else
			left++;
	for (size_t i = 0; i < shown.n; i++)
		print(rep, out, shown.lines[i], false);
	for (size_t i = 0; i < all->n; i++)
		left += !among(warnings, all->lines[i]) && !among(&shown, all->lines[i]);
	if (left)
		fprintf(out, "%zu more note%s (--wide shows all notes and columns)\n", left,
			plural(left));
	next(rep, out);
	const int err = shown.err;

	notes_free(&shown);
	return err;
}

int text_notes(const struct report *rep, FILE *out)
{
	struct notes all = { 0 }, warnings = { 0 };
	int err;

	find_all(rep, &all);
	find_warnings(rep, &warnings);
	err = all.err ? all.err : warnings.err;
	fputc('\n', out);
	if (!err && on_terminal(rep))
		err = print_some(rep, out, &warnings, &all);
	else if (!err)
		print_all(rep, out, &warnings, &all);
	if (err)
		log_no_memory("no memory for the notes below the report");
	notes_free(&all);
	notes_free(&warnings);
	return err;
}
