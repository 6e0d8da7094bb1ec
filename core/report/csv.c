// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "base/csv.h"
#include "base/outfile.h"
#include "report/formats.h"
#include "report/path_fields.h"
#include "report/rows.h"

/* Where something was released: when `func` was, and how many such are in its self time. */
static void released_fields(const struct report *rep, FILE *out, uint32_t func,
			    struct released_below below)
{
	uint64_t ns = released_ns(&rep->released, func);

	if (rep->released.n && ns)
		fprintf(out, ",%" PRIu64 ",%u", ns - rep->trace.totals->first_ns, below.n);
	else if (rep->released.n)
		fprintf(out, ",,%u", below.n);
	fputc('\n', out);
}

static void stat_fields(FILE *out, const struct call_stats *st, bool path)
{
	for (const struct stat_column *c = stat_columns; c->name; c++) {
		if (path && c->of_hist)
			continue;
		fputc(',', out);
		if (stat_has(c, st))
			fprintf(out, "%" PRIu64, c->get(st));
	}
}

static void stat_names(const struct report *rep, FILE *out, bool path)
{
	for (const struct stat_column *c = stat_columns; c->name; c++)
		if (!path || !c->of_hist)
			fprintf(out, ",%s", c->name);
	fputs(rep->released.n ? ",released_ns,released_callees\n" : "\n", out);
}

static int functions(const struct report *rep, FILE *out)
{
	fputs("function", out);
	stat_names(rep, out, false);
	for (size_t i = 0; i < rep->n_rows; i++) {
		const uint32_t func = (uint32_t)rep->rows[i];

		csv_field(out, report_name(rep, func));
		stat_fields(out, &rep->trace.funcs[func], false);
		released_fields(rep, out, func, released_below_func(&rep->released, func));
	}
	return 0;
}

static int paths(const struct report *rep, FILE *out)
{
	uint32_t *nodes = NULL;
	size_t cap = 0;
	int err = 0;

	fputs("path", out);
	stat_names(rep, out, true);
	for (size_t i = 0; !err && i < rep->n_rows; i++) {
		err = path_field_csv(&rep->tree, rep->trace.info, (uint32_t)rep->rows[i], &nodes,
				     &cap, out);
		const uint32_t node = (uint32_t)rep->rows[i];

		stat_fields(out, &rep->tree.nodes[node].stats, true);
		released_fields(rep, out, rep->tree.nodes[node].func,
				released_below_node(&rep->released, &rep->tree, node));
	}
	free(nodes);
	return err;
}

/* Who started it and where, how long it lived: what rows of one and of several have in common. */
static void origin_names(FILE *out)
{
	fputs("start_function,created_in,created_at,start_ns,lifetime_ns", out);
	for (const struct goroutine_column *c = goroutine_columns; c->name; c++)
		fprintf(out, ",%s", c->name);
}

static void origin(const struct report *rep, FILE *out, const struct goroutine_row *r)
{
	const struct trace_info *info = rep->trace.info;
	const struct goroutine_info *g = &r->g;
	char line[512];

	csv_field(out, trace_name_start(info, g));
	fputc(',', out);
	csv_field(out, trace_name_at(info, g->create_pc));
	fputc(',', out);
	csv_field(out, trace_name_line(info, g->create_pc, false, line, sizeof(line)));
	fprintf(out, ",%" PRIu64 ",%" PRIu64, g->first_ns - rep->trace.totals->first_ns,
		r->life_ns);
	for (const struct goroutine_column *c = goroutine_columns; c->name; c++)
		fprintf(out, ",%" PRIu64, c->get(g));
}

static int goroutines(const struct report *rep, FILE *out)
{
	fputs("goroutine,creator,", out);
	origin_names(out);
	fputs(",ended,system,image\n", out);
	for (size_t i = 0; i < rep->n_rows; i++) {
		const struct goroutine_row *r = &rep->goroutines.rows[rep->rows[i]];

		fprintf(out, "%" PRIu64 ",", r->g.goid);
		if (r->g.creator)
			fprintf(out, "%" PRIu64, r->g.creator);
		fputc(',', out);
		origin(rep, out, r);
		fprintf(out, ",%d,%d,%u\n", r->g.ended, r->g.system, r->g.image);
	}
	return 0;
}

static int creation_sites(const struct report *rep, FILE *out)
{
	fputs("goroutines,ended,", out);
	origin_names(out);
	fputs(",system,max_lifetime_ns\n", out);
	for (size_t i = 0; i < rep->n_rows; i++) {
		const struct goroutine_row *r = &rep->goroutines.rows[rep->rows[i]];

		fprintf(out, "%" PRIu64 ",%" PRIu64 ",", r->n, r->n_ended);
		origin(rep, out, r);
		fprintf(out, ",%d,%" PRIu64 "\n", r->g.system, r->max_life_ns);
	}
	return 0;
}

static int calls(const struct report *rep, FILE *out)
{
	uint64_t left = rep->opt->limit ? rep->opt->limit : UINT64_MAX;

	fputs("goroutine,level,function,start_ns,duration_ns,self_ns,end,suspect,thread,system,image\n",
	      out);
	for (size_t i = 0; left && i < rep->calls.n; i++) {
		const struct call *c = &rep->calls.calls[i];

		if (!call_rows_wants(&rep->calls, c))
			continue;
		fprintf(out, "%" PRIu64 ",%u,", c->goid, c->level);
		csv_field(out, report_name(rep, c->func));
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,%d,%u,%d,%u\n",
			c->start_ns - rep->trace.totals->first_ns, c->end_ns - c->start_ns,
			c->self_ns, call_end_name(c->end), c->suspect, c->tid, c->system, c->image);
		left--;
	}
	return 0;
}

int report_csv(struct trace_reader *r, const struct report_options *opt, FILE *out)
{
	static int (*const write[])(const struct report *rep, FILE *out) = {
		[BY_FUNCTION] = functions,
		[BY_PATH] = paths,
		[BY_GOROUTINE] = goroutines,
		[BY_CALL] = calls,
	};
	struct report rep;
	int err = report_load(&rep, r, opt);

	if (!err)
		err = (opt->by == BY_GOROUTINE && opt->fold ? creation_sites : write[opt->by])(&rep,
											       out);
	if (!err)
		err = outfile_check(out);
	report_free(&rep);
	return err;
}
