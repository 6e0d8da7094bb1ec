// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "base/log.h"
#include "base/text_format.h"
#include "base/text_name.h"
#include "base/text_wrap.h"
#include "report/text.h"

/* "main.worker  from main.pool main.go:43", as much of it as is known. Without who started it where
 * `room` columns (0: any number) are too few: the line says it. To be freed; NULL: no memory. */
static char *site(const struct trace_info *info, const struct goroutine_info *g, size_t room)
{
	const char *start = trace_name_start(info, g), *creator = trace_name_at(info, g->create_pc);
	char line[512], *text = NULL;

	trace_name_line(info, g->create_pc, true, line, sizeof(line));
	if (g->system)
		return strdup("(system stack)");
	if (asprintf(&text, "%s%s%s%s%s", *start ? start : "?", *creator || *line ? "  from " : "",
		     creator, *creator && *line ? " " : "", line) < 0)
		return NULL;
	if (!room || text_columns(text) <= room || !*start || !*line)
		return text;
	free(text);
	return asprintf(&text, "%s  %s", start, line) < 0 ? NULL : text;
}

#define CELL(name, fmt, ...)                                                                \
	static void name(const void *ctx, size_t row, unsigned width, char buf[CELL_BYTES]) \
	{                                                                                   \
		const struct report *rep = ctx;                                             \
		const struct goroutine_row *r = &rep->goroutines.rows[row];                 \
		const struct goroutine_info *g = &r->g;                                     \
                                                                                            \
		(void)width;                                                                \
		(void)g;                                                                    \
		snprintf(buf, CELL_BYTES, fmt, __VA_ARGS__);                                \
	}
CELL(id, "%s%" PRIu64, g->system ? "thread " : "", g->goid)
CELL(count, "%" PRIu64, r->n)
CELL(self, "%s", HUMAN(g->self_ns))
CELL(total, "%s", HUMAN(g->total_ns))
CELL(life, "%s", HUMAN(r->life_ns))
CELL(mean_life, "%s", HUMAN(r->life_ns / r->n))
CELL(max_life, "%s", HUMAN(r->max_life_ns))
/* Of all its life; a thread has none. */
CELL(run, "%s", CELL_TIME(g->system ? 0 : goroutine_run_ns(g)))
CELL(off_cpu, "%s", CELL_TIME(g->off.off_cpu_ns))
CELL(ready, "%s", CELL_TIME(g->off.runnable_ns))
CELL(waiting, "%s", CELL_TIME(g->off.wait_ns))
CELL(in_calls, "%s", CELL_TIME(g->off.syscall_ns))
CELL(unknown, "%s", CELL_TIME(g->off.unknown_ns))
CELL(calls, "%" PRIu64, g->calls)
CELL(image, "%u", g->image + 1)

static void creator(const void *ctx, size_t row, unsigned width, char buf[CELL_BYTES])
{
	const struct report *rep = ctx;
	const uint64_t goid = rep->goroutines.rows[row].g.creator;

	(void)width;
	if (goid)
		snprintf(buf, CELL_BYTES, "%" PRIu64, goid);
	else
		snprintf(buf, CELL_BYTES, "-");
}

static bool of_each(const void *ctx)
{
	const struct report *rep = ctx;

	return !rep->opt->fold;
}

static bool of_folded(const void *ctx)
{
	return !of_each(ctx);
}

static bool of_images(const void *ctx)
{
	const struct report *rep = ctx;

	return of_each(ctx) && rep->trace.totals->images > 1;
}

static const struct table_column columns[] = {
	{ "goroutine", "GOROUTINE", 9, { 0, 0 }, .when = of_each, .cell = id },
	{ "goroutines", "GOROUTINES", 10, { 0, 0 }, .when = of_folded, .cell = count },
	{ "creator", "CREATOR", 7, { 0, 90 }, .when = of_each, .cell = creator },
	{ "self_ns", "SELF", 6, { 0, 0 }, .cell = self },
	{ "total_ns", "TOTAL", 6, { 0, 100 }, .cell = total },
	{ "life_ns", "LIFE", 6, { 0, 0 }, .when = of_each, .cell = life },
	{ "mean_life_ns", "MEAN-LIFE", 9, { 0, 90 }, .when = of_folded, .cell = mean_life },
	{ "max_life_ns", "MAX-LIFE", 8, { 0, 0 }, .when = of_folded, .cell = max_life },
	{ "run_ns", "RUN", 6, { 0, 80 }, .when = text_has_states, .cell = run },
	{ "off_cpu_ns", "OFF-CPU", 7, { 0, 120 }, .when = text_any_off_cpu, .cell = off_cpu },
	{ "runnable_ns", "READY", 6, { 0, 120 }, .when = text_has_states, .cell = ready },
	{ "wait_ns", "WAIT", 6, { 0, 80 }, .when = text_has_states, .cell = waiting },
	{ "syscall_ns", "SYSCALL", 7, { 0, 120 }, .when = text_has_states, .cell = in_calls },
	{ "unknown_ns", "UNKNOWN", 7, { 0, 120 }, .when = text_any_unknown, .cell = unknown },
	{ "calls", "CALLS", 5, { 0, 0 }, .cell = calls },
	{ "image", "IMAGE", 5, { 0, 0 }, .when = of_images, .cell = image },
	{ 0 },
};

/* The main goroutine never ends: when it is done, the process is. */
static void not_ended(const struct report *rep, const struct goroutine_row *r, char buf[48])
{
	const uint64_t open = r->g.system || r->g.goid == 1 ? 0 : r->n - r->n_ended;

	buf[0] = '\0';
	if (open && rep->opt->fold)
		snprintf(buf, 48, "  (%" PRIu64 " not ended)", open);
	else if (!rep->opt->fold && !r->g.system && !r->g.ended && r->g.goid != 1)
		snprintf(buf, 48, "  (not ended)");
}

static int table(const struct report *rep, FILE *out)
{
	const struct table_options opt = { .width = text_limit(rep),
					   .states = rep->trace.totals->states,
					   .colour = rep->opt->colour };
	struct table t;
	char after[48];
	int err = 0;

	table_begin(&t, &opt, columns, rep, rep->rows, rep->n_rows);
	table_heading(&t, out, "START FUNCTION");
	for (size_t i = 0; !err && i < rep->n_rows; i++) {
		const struct goroutine_row *r = &rep->goroutines.rows[rep->rows[i]];

		const size_t used = table_row(&t, out, rep->rows[i]);
		char *text = site(rep->trace.info, &r->g, (size_t)text_room(opt.width, used));

		not_ended(rep, r, after);
		if (text)
			text_named(rep, out, text, used, after);
		else
			err = -ENOMEM;
		free(text);
	}
	text_hidden(rep, out, rep->opt->fold ? "places" : "goroutines");
	return err;
}

int text_goroutines(const struct report *rep, FILE *out)
{
	int err = table(rep, out);

	if (err)
		log_no_memory("no memory to print %zu goroutines", rep->n_rows);
	return err;
}
