// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/value_text.h"
#include "base/text_format.h"
#include "report/text.h"

static const char *mark(const struct call *c)
{
	static const char *const plain[] = {
		[CALL_FINISHED] = "",
		[CALL_UNWOUND] = "  (unwound)",
		[CALL_UNFINISHED] = "  (unfinished)",
		[CALL_TAIL] = "  (tail)",
		[CALL_INFERRED] = "  (suspect: end not seen)",
	};

	if (c->begun_before)
		return "  (begun before)";
	return c->suspect && c->end == CALL_FINISHED ? "  (suspect)" : plain[c->end];
}

/* "(n=1) -> 0=2", to be freed; NULL: the trace has none of it. */
static char *values_of(const struct report *rep, const struct call *c, int *err)
{
	struct call_values v;
	char *text = NULL;
	size_t n;

	bool any = c->kept && rep->trace.info->n_values;

	*err = any ? call_rows_values(&rep->calls, c, &v) : 0;
	if (*err || !any)
		return NULL;
	FILE *mem = open_memstream(&text, &n);

	if (mem) {
		call_values_text(mem, rep->trace.info, &v);
		fclose(mem);
	}
	return text;
}

static int line(const struct report *rep, FILE *out, const struct call *c, int goid_width)
{
	uint64_t at_ns = c->start_ns - rep->trace.totals->first_ns,
		 dur_ns = c->end_ns - c->start_ns;

	int err;
	char *values = values_of(rep, c, &err);
	const char *system = c->system ? "  (system stack)" : "", *how = mark(c);
	char waits[WAITS_BYTES] = "";
	int n = fprintf(out, "%*" PRIu64 " %4" PRIu64 ".%09" PRIu64 " %8s", goid_width, c->goid,
			at_ns / 1000000000, at_ns % 1000000000,
			call_timed(c) ? HUMAN(dur_ns) : "-");
	struct call_states s = { 0 };

	if (!err)
		err = call_rows_states(&rep->calls, c, &s);
	text_call_waits(rep, &s, dur_ns, waits);
	n += text_states(rep, out, dur_ns - off_times_sum(&s.total), &s.total);
	n += fprintf(out, "  ");

	if (rep->opt->sort == SORT_DEFAULT)
		n += text_indent(out, c->level, text_indent_room(rep, (size_t)n));
	/* Wherever the terminal ends: what was asked for is shown whole. */
	char *after = NULL;

	if (asprintf(&after, "%s%s%s%s%s", values ? "  " : "", values ? values : "", waits, system,
		     how) < 0) {
		after = NULL;
		err = -ENOMEM;
	}
	text_named(rep, out, report_name(rep, c->func), (size_t)n, after ? after : "");
	free(after);
	free(values);
	return err;
}

/* In the order in which the calls began, unless another was asked for; the goroutine's number shows
 * which one a line belongs to. */
int text_calls(const struct report *rep, FILE *out)
{
	uint64_t cut = call_rows_hidden(&rep->calls),
		 left = rep->opt->limit ? rep->opt->limit : UINT64_MAX;
	uint64_t highest = 0, shown = 0;
	int err = 0;

	for (size_t i = 0; i < rep->calls.n; i++)
		if (rep->calls.calls[i].goid > highest)
			highest = rep->calls.calls[i].goid;
	int width = text_width(highest, 9);

	text_heading(rep->opt->colour, out, "%*s %14s %8s%s  CALL", width, "GOROUTINE", "START",
		     "DURATION", text_states_heading(rep));
	for (size_t i = 0; left && !err && i < rep->calls.n; i++) {
		if (!call_rows_wants(&rep->calls, &rep->calls.calls[i]))
			continue;
		left--;
		shown++;
		err = line(rep, out, &rep->calls.calls[i], width);
	}
	if (!shown && rep->trace.all->calls)
		fputs("no call matches --goid, --from, --to, --min\n", out);
	if (cut)
		fprintf(out,
			"%" PRIu64
			" more call%s (-n 0 shows all; --goid, --from, --to, --min choose)\n",
			cut, plural(cut));
	return err;
}
