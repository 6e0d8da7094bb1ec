// SPDX-License-Identifier: BSD-2-Clause
/* Tables for people: names last and never cut, numbers aligned. */
#include <inttypes.h>
#include <stdarg.h>

#include "export/report.h"

const char *human_ns(uint64_t ns, char buf[16])
{
	static const struct { double limit, unit; const char *name; } units[] = {
		{ 999.5e3, 1e3, "us" }, { 999.5e6, 1e6, "ms" }, { 1e300, 1e9, "s" },
	};
	unsigned u = 0;

	if (ns < 1000) {
		snprintf(buf, 16, "%uns", (unsigned)ns);
		return buf;
	}
	while ((double)ns >= units[u].limit)
		u++;
	double v = (double)ns / units[u].unit;

	snprintf(buf, 16, "%.*f%s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[u].name);
	return buf;
}

double share_pct(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

void text_heading(const struct report *rep, FILE *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs(rep->opt->colour ? "\033[1m" : "", out);
	vfprintf(out, fmt, ap);
	fputs(rep->opt->colour ? "\033[0m\n" : "\n", out);
	va_end(ap);
}

/* "3 unwound, 1 suspect" after a name, nothing for calls that just finished. */
static void marks(FILE *out, const struct call_stats *st)
{
	const struct { uint64_t n; const char *what; } m[] = {
		{ st->unfinished, "unfinished" }, { st->unwound, "unwound" }, { st->suspect, "suspect" },
	};
	const char *joint = "  (";

	for (size_t i = 0; i < sizeof(m) / sizeof(m[0]); i++)
		if (m[i].n) {
			fprintf(out, "%s%" PRIu64 " %s", joint, m[i].n, m[i].what);
			joint = ", ";
		}
	if (*joint == ',')
		fputc(')', out);
	fputc('\n', out);
}

static void hidden(const struct report *rep, FILE *out, const char *what)
{
	if (rep->n_hidden)
		fprintf(out, "%zu more %s (-n 0 shows all)\n", rep->n_hidden, what);
}

static int functions(const struct report *rep, FILE *out)
{
	bool stops = false;

	for (size_t i = 0; i < rep->n_rows; i++)
		stops |= rep->funcs[rep->rows[i]].morestack_ns || rep->funcs[rep->rows[i]].preempt_ns;
	text_heading(rep, out, "%8s %6s %8s %6s %9s %8s %8s%s  FUNCTION", "SELF", "%", "TOTAL", "%", "CALLS", "MEAN",
		     "P99", stops ? "   GROWTH  PREEMPT" : "");
	for (size_t i = 0; i < rep->n_rows; i++) {
		const struct call_stats *st = &rep->funcs[rep->rows[i]];

		fprintf(out, "%8s %5.1f%% %8s %5.1f%% %9" PRIu64 " %8s %8s", HUMAN(st->self_ns),
			share_pct(st->self_ns, rep->totals->root_ns), HUMAN(st->total_ns),
			share_pct(st->total_ns, rep->totals->root_ns), st->calls,
			st->finished ? HUMAN(st->sum_ns / st->finished) : "-",
			st->finished ? HUMAN(report_quantile(st, 0.99)) : "-");
		if (stops)
			fprintf(out, " %8s %8s", st->morestack_ns ? HUMAN(st->morestack_ns) : "-",
				st->preempt_ns ? HUMAN(st->preempt_ns) : "-");
		fprintf(out, "  %s", report_name(rep, (uint32_t)rep->rows[i]));
		marks(out, st);
	}
	hidden(rep, out, "functions");
	return 0;
}

static int goroutines(const struct report *rep, FILE *out)
{
	char place[512];

	text_heading(rep, out, "%10s %10s %8s %8s %8s %9s  STARTED WITH, CREATED AT", "GOROUTINE", "CREATOR", "SELF",
		     "TOTAL", "LIFE", "CALLS");
	for (size_t i = 0; i < rep->n_rows; i++) {
		const struct goroutine_info *g = &rep->goroutines[rep->rows[i]];
		const char *start = report_pc_func(rep, g->start_pc);
		char creator[24] = "-", id[24];

		if (g->creator)
			snprintf(creator, sizeof(creator), "%" PRIu64, g->creator);
		snprintf(id, sizeof(id), "%s%" PRIu64, g->system ? "thread " : "", g->goid);
		report_place(rep, g->create_pc, place, sizeof(place));
		fprintf(out, "%10s %10s %8s %8s %8s %9" PRIu64 "  %s%s%s%s\n", id, creator, HUMAN(g->self_ns),
			HUMAN(g->total_ns), HUMAN(g->last_ns - g->first_ns), g->calls,
			g->system ? "(system stack)" : *start ? start : "-", *place ? ", " : "", place,
			g->system || g->ended ? "" : "  (not ended)");
	}
	hidden(rep, out, "goroutines");
	return 0;
}

int report_text(struct trace_reader *r, const struct report_options *opt, FILE *out)
{
	static int (*const write[])(const struct report *rep, FILE *out) = {
		[BY_FUNCTION] = functions, [BY_PATH] = text_paths, [BY_GOROUTINE] = goroutines, [BY_CALL] = text_calls,
	};
	struct report rep;
	int err = report_load(&rep, r, opt);

	if (!err)
		err = write[opt->by](&rep, out);
	if (!err) {
		report_footer(&rep, out);
		err = report_written(out);
	}
	report_free(&rep);
	return err;
}
