// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>

#include "analysis/trace_names.h"
#include "base/text_format.h"
#include "report/text.h"

/* "main.worker  from main.pool main.go:43", as much of it as is known */
static void site(const struct report *rep, FILE *out, const struct goroutine_info *g)
{
	const struct trace_info *info = rep->trace.info;
	const char *start = trace_name_start(info, g), *creator = trace_name_at(info, g->create_pc);
	char line[512];

	if (g->system) {
		fputs("(system stack)", out);
		return;
	}
	trace_name_line(info, g->create_pc, true, line, sizeof(line));
	text_safe(out, *start ? start : "?");
	fputs(*creator || *line ? "  from " : "", out);
	text_safe(out, creator);
	fputs(*creator && *line ? " " : "", out);
	text_safe(out, line);
}

static const char *id(const struct goroutine_info *g, char buf[32])
{
	snprintf(buf, 32, "%s%" PRIu64, g->system ? "thread " : "", g->goid);
	return buf;
}

struct widths {
	int id, creator, image, calls;
};

static struct widths measure(const struct report *rep)
{
	struct widths w = { 9, 7, 5, 5 };
	char buf[32];

	for (size_t i = 0; i < rep->n_rows; i++) {
		const struct goroutine_row *r = &rep->goroutines.rows[rep->rows[i]];
		int n = (int)snprintf(NULL, 0, "%s", id(&r->g, buf));

		w.id = n > w.id ? n : w.id;
		w.creator = text_width(r->g.creator, w.creator);
		w.calls = text_width(r->g.calls, w.calls);
	}
	return w;
}

static void each(const struct report *rep, FILE *out)
{
	struct widths w = measure(rep);
	bool images = rep->trace.totals->images > 1;
	char buf[32];

	text_heading(rep->opt->colour, out,
		     "%*s %*s %6s %6s %6s %*s%s  START FUNCTION, CREATED FROM", w.id, "GOROUTINE",
		     w.creator, "CREATOR", "SELF", "TOTAL", "LIFE", w.calls, "CALLS",
		     images ? " IMAGE" : "");
	for (size_t i = 0; i < rep->n_rows; i++) {
		const struct goroutine_row *r = &rep->goroutines.rows[rep->rows[i]];
		const struct goroutine_info *g = &r->g;

		fprintf(out, "%*s ", w.id, id(g, buf));
		if (g->creator)
			fprintf(out, "%*" PRIu64, w.creator, g->creator);
		else
			fprintf(out, "%*s", w.creator, "-");
		fprintf(out, " %6s %6s %6s %*" PRIu64, HUMAN(g->self_ns), HUMAN(g->total_ns),
			HUMAN(r->life_ns), w.calls, g->calls);
		if (images)
			fprintf(out, " %*u", w.image, g->image + 1);
		fputs("  ", out);
		site(rep, out, g);
		/* The main goroutine never ends: when it is done, the process is. */
		fputs(g->system || g->ended || g->goid == 1 ? "\n" : "  (not ended)\n", out);
	}
	text_hidden(rep, out, "goroutines");
}

static void folded(const struct report *rep, FILE *out)
{
	struct widths w = measure(rep);

	text_heading(rep->opt->colour, out,
		     "%10s %6s %6s %9s %8s %*s  START FUNCTION, CREATED FROM", "GOROUTINES", "SELF",
		     "TOTAL", "MEAN-LIFE", "MAX-LIFE", w.calls, "CALLS");
	for (size_t i = 0; i < rep->n_rows; i++) {
		const struct goroutine_row *r = &rep->goroutines.rows[rep->rows[i]];
		uint64_t open = r->g.system || r->g.goid == 1 ? 0 : r->n - r->n_ended;

		fprintf(out, "%10" PRIu64 " %6s %6s %9s %8s %*" PRIu64 "  ", r->n,
			HUMAN(r->g.self_ns), HUMAN(r->g.total_ns), HUMAN(r->life_ns / r->n),
			HUMAN(r->max_life_ns), w.calls, r->g.calls);
		site(rep, out, &r->g);
		if (open)
			fprintf(out, "  (%" PRIu64 " not ended)", open);
		fputc('\n', out);
	}
	text_hidden(rep, out, "places");
}

int text_goroutines(const struct report *rep, FILE *out)
{
	(rep->opt->fold ? folded : each)(rep, out);
	return 0;
}
