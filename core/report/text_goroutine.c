// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "base/log.h"
#include "base/text_format.h"
#include "report/text.h"

/* "main.worker  from main.pool main.go:43", as much of it as is known, and what is said after it,
 * in a line whose first `used` columns are taken. */
static int site(const struct report *rep, FILE *out, const struct goroutine_info *g, int used,
		const char *after)
{
	const struct trace_info *info = rep->trace.info;
	const char *start = trace_name_start(info, g), *creator = trace_name_at(info, g->create_pc);
	char line[512], *text = NULL;

	trace_name_line(info, g->create_pc, true, line, sizeof(line));
	if (g->system)
		text = strdup("(system stack)");
	else if (asprintf(&text, "%s%s%s%s%s", *start ? start : "?",
			  *creator || *line ? "  from " : "", creator, *creator && *line ? " " : "",
			  line) < 0)
		text = NULL;
	if (!text)
		return -ENOMEM;
	text_named(rep, out, text, (size_t)used, after);
	free(text);
	return 0;
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

/* Of all its life; a thread has none. */
static int states(const struct report *rep, FILE *out, const struct goroutine_info *g)
{
	return text_states(rep, out, g->system ? 0 : goroutine_run_ns(g), &g->off);
}

static int each(const struct report *rep, FILE *out)
{
	struct widths w = measure(rep);
	bool images = rep->trace.totals->images > 1;
	char buf[32];
	int err = 0;

	text_heading(rep->opt->colour, out, "%*s %*s %6s %6s %6s%s %*s%s  START FUNCTION", w.id,
		     "GOROUTINE", w.creator, "CREATOR", "SELF", "TOTAL", "LIFE",
		     text_states_heading(rep), w.calls, "CALLS", images ? " IMAGE" : "");
	for (size_t i = 0; !err && i < rep->n_rows; i++) {
		const struct goroutine_row *r = &rep->goroutines.rows[rep->rows[i]];
		const struct goroutine_info *g = &r->g;
		int n = fprintf(out, "%*s ", w.id, id(g, buf));

		if (g->creator)
			n += fprintf(out, "%*" PRIu64, w.creator, g->creator);
		else
			n += fprintf(out, "%*s", w.creator, "-");
		n += fprintf(out, " %6s %6s %6s", HUMAN(g->self_ns), HUMAN(g->total_ns),
			     HUMAN(r->life_ns));
		n += states(rep, out, g);
		n += fprintf(out, " %*" PRIu64, w.calls, g->calls);
		if (images)
			n += fprintf(out, " %*u", w.image, g->image + 1);
		n += fprintf(out, "  ");
		/* The main goroutine never ends: when it is done, the process is. */
		err = site(rep, out, g, n,
			   g->system || g->ended || g->goid == 1 ? "" : "  (not ended)");
	}
	text_hidden(rep, out, "goroutines");
	return err;
}

static int folded(const struct report *rep, FILE *out)
{
	struct widths w = measure(rep);
	char after[48];
	int err = 0;

	text_heading(rep->opt->colour, out, "%10s %6s %6s %9s %8s%s %*s  START FUNCTION",
		     "GOROUTINES", "SELF", "TOTAL", "MEAN-LIFE", "MAX-LIFE",
		     text_states_heading(rep), w.calls, "CALLS");
	for (size_t i = 0; !err && i < rep->n_rows; i++) {
		const struct goroutine_row *r = &rep->goroutines.rows[rep->rows[i]];
		uint64_t open = r->g.system || r->g.goid == 1 ? 0 : r->n - r->n_ended;

		int n = fprintf(out, "%10" PRIu64 " %6s %6s %9s %8s", r->n, HUMAN(r->g.self_ns),
				HUMAN(r->g.total_ns), HUMAN(r->life_ns / r->n),
				HUMAN(r->max_life_ns));

		n += states(rep, out, &r->g);
		n += fprintf(out, " %*" PRIu64 "  ", w.calls, r->g.calls);

		after[0] = '\0';
		if (open)
			snprintf(after, sizeof(after), "  (%" PRIu64 " not ended)", open);
		err = site(rep, out, &r->g, n, after);
	}
	text_hidden(rep, out, "places");
	return err;
}

int text_goroutines(const struct report *rep, FILE *out)
{
	int err = (rep->opt->fold ? folded : each)(rep, out);

	if (err)
		log_no_memory("no memory to print %zu goroutines", rep->n_rows);
	return err;
}
