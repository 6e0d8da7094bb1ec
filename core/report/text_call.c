// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>
#include <string.h>

#include "base/text_format.h"
#include "base/text_name.h"
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

	return c->suspect && c->end == CALL_FINISHED ? "  (suspect)" : plain[c->end];
}

static void line(const struct report *rep, FILE *out, const struct call *c, int goid_width)
{
	uint64_t at_ns = c->start_ns - rep->trace.totals->first_ns;

	const char *system = c->system ? "  (system stack)" : "", *how = mark(c);
	int n = fprintf(out, "%*" PRIu64 " %4" PRIu64 ".%09" PRIu64 " %8s  ", goid_width, c->goid,
			at_ns / 1000000000, at_ns % 1000000000, HUMAN(c->end_ns - c->start_ns));

	if (rep->opt->sort == SORT_DEFAULT)
		n += text_indent(out, c->level);
	text_name(out, report_name(rep, c->func),
		  text_room(rep->opt->width, (size_t)n + strlen(system) + strlen(how)));
	fprintf(out, "%s%s\n", system, how);
}

/* In the order in which the calls began, unless another was asked for; the goroutine's number shows
 * which one a line belongs to. */
int text_calls(const struct report *rep, FILE *out)
{
	uint64_t cut = call_rows_hidden(&rep->calls),
		 left = rep->opt->limit ? rep->opt->limit : UINT64_MAX;
	uint64_t highest = 0, shown = 0;

	for (size_t i = 0; i < rep->calls.n; i++)
		if (rep->calls.calls[i].goid > highest)
			highest = rep->calls.calls[i].goid;
	int width = text_width(highest, 9);

	text_heading(rep->opt->colour, out, "%*s %14s %8s  CALL", width, "GOROUTINE", "START",
		     "DURATION");
	for (size_t i = 0; left && i < rep->calls.n; i++) {
		if (!call_rows_wants(&rep->calls, &rep->calls.calls[i]))
			continue;
		left--;
		shown++;
		line(rep, out, &rep->calls.calls[i], width);
	}
	if (!shown && rep->trace.all->calls)
		fputs("no call matches --goid, --from, --to, --min\n", out);
	if (cut)
		fprintf(out,
			"%" PRIu64
			" more call%s (-n 0 shows all; --goid, --from, --to, --min choose)\n",
			cut, plural(cut));
	return 0;
}
