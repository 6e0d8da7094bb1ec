// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/value_text.h"
#include "base/text_format.h"
#include "report/table.h"
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

/* A line; ctx of the cells, which ask for no row. */
struct line {
	const struct report *rep;
	const struct call *call;
	struct call_states states;
};

static uint64_t duration_ns(const struct call *c)
{
	return c->end_ns - c->start_ns;
}

#define CELL(name, fmt, ...)                                                                \
	static void name(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES]) \
	{                                                                                   \
		const struct line *l = ctx;                                                 \
		const struct call *c = l->call;                                             \
		const struct off_times *off = &l->states.total;                             \
		const uint64_t at_ns = c->start_ns - l->rep->trace.totals->first_ns;        \
                                                                                            \
		(void)row;                                                                  \
		(void)words;                                                                \
		(void)off;                                                                  \
		(void)at_ns;                                                                \
		snprintf(buf, CELL_BYTES, fmt, __VA_ARGS__);                                \
	}
CELL(goroutine, "%" PRIu64, c->goid)
CELL(start, "%4" PRIu64 ".%09" PRIu64, at_ns / 1000000000, at_ns % 1000000000)
CELL(duration, "%s", call_timed(c) ? HUMAN(duration_ns(c)) : "-")
CELL(run, "%s", CELL_TIME(duration_ns(c) - off_times_sum(off)))
CELL(off_cpu, "%s", CELL_TIME(off->off_cpu_ns))
CELL(ready, "%s", CELL_TIME(off->runnable_ns))
CELL(waiting, "%s", CELL_TIME(off->wait_ns))
CELL(in_calls, "%s", CELL_TIME(off->syscall_ns))
CELL(unknown, "%s", CELL_TIME(off->unknown_ns))

#define WHEN(name, has)                                \
	static bool name(const void *ctx)              \
	{                                              \
		return has(((struct line *)ctx)->rep); \
	}
WHEN(of_states, text_has_states)
WHEN(of_off_cpu, text_any_off_cpu)
WHEN(of_unknown, text_any_unknown)

static const struct table_column columns[] = {
	{ "goroutine", "GOROUTINE", 9, { 0, 0 }, .cell = goroutine },
	{ "start_ns", "START", 14, { 40, 40 }, .cell = start },
	{ "duration_ns", "DURATION", 8, { 0, 0 }, .cell = duration },
	{ "run_ns", "RUN", 6, { 0, 80 }, .when = of_states, .cell = run },
	{ "off_cpu_ns", "OFF-CPU", 7, { 0, 120 }, .when = of_off_cpu, .cell = off_cpu },
	{ "runnable_ns", "READY", 6, { 0, 120 }, .when = of_states, .cell = ready },
	{ "wait_ns", "WAIT", 6, { 0, 80 }, .when = of_states, .cell = waiting },
	{ "syscall_ns", "SYSCALL", 7, { 0, 120 }, .when = of_states, .cell = in_calls },
	{ "unknown_ns", "UNKNOWN", 7, { 0, 120 }, .when = of_unknown, .cell = unknown },
	{ 0 },
};

/* Writes a line of the table whose ctx is l. 0 or -errno (logged but for memory) */
static int line(const struct table *t, struct line *l, FILE *out)
{
	const struct report *rep = l->rep;
	const struct call *c = l->call;
	int err;
	char *values = values_of(rep, c, &err), *after = NULL;
	const char *system = c->system ? "  (system stack)" : "", *how = mark(c);
	char waits[WAITS_BYTES] = "";

	l->states = (struct call_states){ 0 };
	if (!err)
		err = call_rows_states(&rep->calls, c, &l->states);
	text_call_waits(rep, &l->states, duration_ns(c), waits);
	size_t used = table_row(t, out, 0);

	if (rep->opt->sort == SORT_DEFAULT)
		used += (size_t)text_indent(out, c->level, text_indent_room(rep, used));
	/* Wherever the terminal ends: what was asked for is shown whole. */
	if (asprintf(&after, "%s%s%s%s%s", values ? "  " : "", values ? values : "", waits, system,
		     how) < 0) {
		after = NULL;
		err = -ENOMEM;
	}
	text_named(rep, out, report_name(rep, c->func), used, after ? after : "");
	free(after);
	free(values);
	return err;
}

/* Numbers of goroutines take what the longest does. Other cells are no wider than their columns, so
 * no call is read twice, and lines come while calls are read. */
static void begin(struct table *t, const struct line *l, struct table_column all[TABLE_COLUMNS])
{
	const struct report *rep = l->rep;
	const struct table_options opt = { .width = text_limit(rep),
					   .states = rep->trace.totals->states,
					   .colour = rep->opt->colour };
	uint64_t highest = 0;

	for (size_t i = 0; i < rep->calls.n; i++)
		if (rep->calls.calls[i].goid > highest)
			highest = rep->calls.calls[i].goid;
	memcpy(all, columns, sizeof(columns));
	all[0].least = (unsigned)text_width(highest, (int)all[0].least);
	table_begin(t, &opt, all, l, NULL, 0);
}

/* In the order in which the calls began, unless another was asked for; the goroutine's number shows
 * which one a line belongs to. */
int text_calls(const struct report *rep, FILE *out)
{
	uint64_t cut = call_rows_hidden(&rep->calls),
		 left = rep->opt->limit ? rep->opt->limit : UINT64_MAX;
	uint64_t shown = 0;
	struct line l = { .rep = rep };
	struct table_column all[TABLE_COLUMNS];
	struct table t;
	int err = 0;

	begin(&t, &l, all);
	table_heading(&t, out, "CALL");
	for (size_t i = 0; left && !err && i < rep->calls.n; i++) {
		if (!call_rows_wants(&rep->calls, &rep->calls.calls[i]))
			continue;
		left--;
		shown++;
		l.call = &rep->calls.calls[i];
		err = line(&t, &l, out);
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
