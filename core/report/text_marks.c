// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answer_doubt.h"
#include "analysis/calls/correction.h"
#include "base/text_format.h"
#include "base/text_name.h"
#include "base/text_wrap.h"
#include "report/text.h"

#define ABOUT "≈"

/* A time that may be off by so much. */
static const char *time_of(uint64_t ns, uint64_t off_ns, char buf[SELF_BYTES])
{
	bool unsure = ns < off_ns;

	snprintf(buf, SELF_BYTES, "%s%s", unsure ? "<" : "", HUMAN(ns + (unsure ? off_ns : 0)));
	return buf;
}

const char *text_self(const struct call_stats *st, char buf[SELF_BYTES])
{
	if (!correction_doubtful(st) || correction_unsure(st))
		return time_of(st->self_ns, st->uncertainty_ns, buf);
	snprintf(buf, SELF_BYTES, ABOUT "%s", HUMAN(st->self_ns));
	return buf;
}

void text_none_sure(const struct report *rep, FILE *out)
{
	char *line = rep->none_sure ? answer_doubt_say(&rep->trace) : NULL;

	if (!line)
		return;
	text_wrap(out, line, text_limit(rep), 2);
	fputc('\n', out);
	free(line);
}

const char *text_total(const struct call_stats *st, char buf[SELF_BYTES])
{
	return time_of(st->total_ns, st->uncertainty_ns, buf);
}

const char *text_calls_of(const struct call_stats *st, char buf[CALLS_BYTES])
{
	if (!st->calls && st->total_ns)
		snprintf(buf, CALLS_BYTES, "-");
	else
		snprintf(buf, CALLS_BYTES, "%" PRIu64, st->calls);
	return buf;
}

const char *text_marks(const struct call_stats *st, char buf[MARKS_BYTES])
{
	const struct {
		uint64_t n;
		const char *what;
	} m[] = {
		{ st->unfinished - st->begun_before, "unfinished" },
		{ st->begun_before, "begun before" },
		{ st->unwound, "unwound" },
		{ st->suspect, "suspect" },
	};
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < sizeof(m) / sizeof(m[0]); i++)
		if (m[i].n)
			len += (size_t)snprintf(buf + len, MARKS_BYTES - len, "%s%" PRIu64 " %s",
						len ? ", " : "  (", m[i].n, m[i].what);
	if (len)
		snprintf(buf + len, MARKS_BYTES - len, ")");
	return buf;
}

#define NAME_COLUMNS 100 /* of a name among marks; */
#define NAME_SHORT   40  /* where lines are to fit */

const char *text_released(const struct report *rep, uint32_t func, const struct call_stats *st,
			  struct released_below below, char buf[RELEASED_BYTES])
{
	FILE *out = rep->released.n ? fmemopen(buf, RELEASED_BYTES, "w") : NULL;

	buf[0] = '\0';
	if (!out)
		return buf;
	const uint64_t calls = st->calls ? st->calls : released_calls(&rep->released, func);

	if (released_ns(&rep->released, func))
		fprintf(out, "  (released after %" PRIu64 " call%s%s)", calls, plural(calls),
			st->sampled_ns ? "; samples give the time since" : "");
	if (below.n == 1) {
		fputs("  (self includes ", out);
		text_name(out, report_name(rep, below.one),
			  rep->opt->width ? NAME_SHORT : NAME_COLUMNS);
		fputs(", released)", out);
	} else if (below.n) {
		fprintf(out, "  (self includes %u released functions)", below.n);
	}
	fclose(out);
	return buf;
}

void text_hidden(const struct report *rep, FILE *out, const char *what)
{
	if (rep->n_hidden)
		fprintf(out, "%zu more %s (-n 0 shows all)\n", rep->n_hidden, what);
}

#define NAME_LEAST   24 /* columns of a name that remarks leave it on its line */
#define NAME_ROOM    28 /* columns of a name that its indent leaves it, "go " before it */
#define REMARKS_FROM 8  /* columns left of remarks that have a line of their own, at least */

unsigned text_limit(const struct report *rep)
{
	return rep->opt->wide ? 0 : rep->opt->width;
}

unsigned text_indent_room(const struct report *rep, size_t used)
{
	const unsigned width = text_limit(rep);

	return !width ? 0 : width > used + NAME_ROOM + 2 ? width - (unsigned)used - NAME_ROOM : 2;
}

void text_named(const struct report *rep, FILE *out, const char *name, size_t used,
		const char *after)
{
	text_name_after(out, text_limit(rep), rep->opt->colour, name, used, after);
}

void text_name_after(FILE *out, unsigned width, bool colour, const char *name, size_t used,
		     const char *after)
{
	const size_t n = text_columns(after), all = text_columns(name);
	const size_t least = all < NAME_LEAST ? all : NAME_LEAST;
	const bool below = width && n && used + n + least > width;
	char *line = NULL;

	text_func_name(out, colour, name, text_room(width, used + (below ? 0 : n)));
	if (!below) {
		text_safe(out, after);
		fputc('\n', out);
		return;
	}
	const unsigned indent = used + n <= width ? (unsigned)used : REMARKS_FROM;

	fputc('\n', out);
	if (asprintf(&line, "%*s%s", (int)indent, "", after + strspn(after, " ")) < 0)
		return;
	text_wrap(out, line, width, indent);
	free(line);
}
