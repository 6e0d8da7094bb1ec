// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/left_out.h"
#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "analysis/calls/value_text.h"
#include "base/csv.h"
#include "base/outfile.h"
#include "report/column_names.h"
#include "report/report_formats.h"
#include "report/hist_rows.h"
#include "report/path_fields.h"
#include "report/rows.h"
#include "report/sample_formats.h"

/* Where something was released: when its function was, how many such are in its self time, how much
 * of that samples tell. */
static void released_fields(const struct report *rep, FILE *out, struct report_release r,
			    const struct call_stats *st)
{
	const uint64_t ns = released_ns(&rep->released, r.func);
	const char *list = rep->opt->columns;

	if (rep->released.n && columns_have(list, "released_ns")) {
		fputc(',', out);
		if (ns)
			fprintf(out, "%" PRIu64, ns - rep->trace.totals->first_ns);
	}
	if (rep->released.n && columns_have(list, "released_callees"))
		fprintf(out, ",%u", r.below.n);
	if (rep->released.n && columns_have(list, "released_sampled_ns")) {
		fputc(',', out);
		if (ns)
			fprintf(out, "%" PRIu64, st->sampled_ns);
	}
	fputc('\n', out);
}

static void released_names(const struct report *rep, FILE *out)
{
	static const char *const names[] = { "released_ns", "released_callees",
					     "released_sampled_ns" };

	for (size_t i = 0; i < 3; i++)
		if (rep->released.n && columns_have(rep->opt->columns, names[i]))
			fprintf(out, ",%s", names[i]);
	fputc('\n', out);
}

/* Is it in rows of functions, or of paths? */
static bool stat_there(const struct report *rep, const struct stat_column *c, bool path)
{
	return !(path && c->of_hist) && (!c->of_states || rep->trace.totals->states) &&
	       columns_have(rep->opt->columns, c->name);
}

/* Calls and times with those that --one-in left out. */
static const char *const all_names[] = { "all_calls", "all_total_ns", "all_self_ns" };

static bool all_there(const struct report *rep, size_t i)
{
	return left_out_scale(rep->trace.info) > 1 && columns_have(rep->opt->columns, all_names[i]);
}

static void stat_fields(const struct report *rep, FILE *out, const struct call_stats *st, bool path)
{
	const uint64_t all[] = { st->calls, st->total_ns, st->self_ns };

	for (const struct stat_column *c = stat_columns; c->name; c++) {
		if (!stat_there(rep, c, path))
			continue;
		fputc(',', out);
		if (stat_has(c, st))
			fprintf(out, "%" PRIu64, c->get(st));
	}
	for (size_t i = 0; i < 3; i++)
		if (all_there(rep, i))
			fprintf(out, ",%" PRIu64, left_out_all(rep->trace.info, all[i]));
}

static void stat_names(const struct report *rep, FILE *out, bool path)
{
	for (const struct stat_column *c = stat_columns; c->name; c++)
		if (stat_there(rep, c, path))
			fprintf(out, ",%s", c->name);
	for (size_t i = 0; i < 3; i++)
		if (all_there(rep, i))
			fprintf(out, ",%s", all_names[i]);
	released_names(rep, out);
}

static int functions(const struct report *rep, FILE *out)
{
	fputs("function", out);
	stat_names(rep, out, false);
	for (size_t i = 0; i < rep->n_rows; i++) {
		const uint32_t func = (uint32_t)rep->rows[i];

		csv_field(out, report_name(rep, func));
		stat_fields(rep, out, &rep->trace.funcs[func], false);
		released_fields(
			rep, out,
			(struct report_release){ func, released_below_func(&rep->released, func) },
			&rep->trace.funcs[func]);
	}
	return 0;
}

static int paths(const struct report *rep, FILE *out)
{
	uint32_t *nodes = NULL;
	size_t cap = 0;
	int err = 0;

	fputs(rep->opt->n_callers ? "callers" : "path", out);
	stat_names(rep, out, true);
	for (size_t i = 0; !err && i < rep->n_rows; i++) {
		err = path_field_csv(&rep->tree, rep->trace.info, (uint32_t)rep->rows[i], &nodes,
				     &cap, out);
		const uint32_t node = (uint32_t)rep->rows[i];

		stat_fields(rep, out, rep->tree.nodes[node].stats, true);
		released_fields(rep, out, report_release(rep, node), rep->tree.nodes[node].stats);
	}
	free(nodes);
	return err;
}

/* Who started it and where, how long it lived: what rows of one and of several have in common. */
static void origin_names(FILE *out)
{
	fputs("start_function,created_in,created_at,start_ns,lifetime_ns", out);
	for (const struct goroutine_column *c = goroutine_columns; c->name; c++)
		if (!c->of_states)
			fprintf(out, ",%s", c->name);
}

/* What is there of its life's states, last. */
static void life_names(const struct report *rep, FILE *out)
{
	for (const struct goroutine_column *c = goroutine_columns; c->name; c++)
		if (c->of_states && rep->trace.totals->states)
			fprintf(out, ",%s", c->name);
	fputc('\n', out);
}

static void life(const struct report *rep, FILE *out, const struct goroutine_info *g)
{
	for (const struct goroutine_column *c = goroutine_columns; c->name; c++)
		if (c->of_states && rep->trace.totals->states)
			fprintf(out, ",%" PRIu64, c->get(g));
	fputc('\n', out);
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
		if (!c->of_states)
			fprintf(out, ",%" PRIu64, c->get(g));
}

static int goroutines(const struct report *rep, FILE *out)
{
	fputs("goroutine,creator,", out);
	origin_names(out);
	fputs(",ended,system,image", out);
	life_names(rep, out);
	for (size_t i = 0; i < rep->n_rows; i++) {
		const struct goroutine_row *r = &rep->goroutines.rows[rep->rows[i]];

		fprintf(out, "%" PRIu64 ",", r->g.goid);
		if (r->g.creator)
			fprintf(out, "%" PRIu64, r->g.creator);
		fputc(',', out);
		origin(rep, out, r);
		fprintf(out, ",%d,%d,%u", r->g.ended, r->g.system, r->g.image);
		life(rep, out, &r->g);
	}
	return 0;
}

static int creation_sites(const struct report *rep, FILE *out)
{
	fputs("goroutines,ended,", out);
	origin_names(out);
	fputs(",system,max_lifetime_ns", out);
	life_names(rep, out);
	for (size_t i = 0; i < rep->n_rows; i++) {
		const struct goroutine_row *r = &rep->goroutines.rows[rep->rows[i]];

		fprintf(out, "%" PRIu64 ",%" PRIu64 ",", r->n, r->n_ended);
		origin(rep, out, r);
		fprintf(out, ",%d,%" PRIu64, r->g.system, r->max_life_ns);
		life(rep, out, &r->g);
	}
	return 0;
}

/* Parts of its duration. */
static int call_states(const struct report *rep, FILE *out, const struct call *c)
{
	struct call_states s;
	int err = call_rows_states(&rep->calls, c, &s);

	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
		c->end_ns - c->start_ns - off_times_sum(&s.total), s.total.runnable_ns,
		s.total.wait_ns, s.total.syscall_ns, s.total.unknown_ns, s.total.off_cpu_ns);
	return err ? err : call_waits_csv(out, rep->trace.info, &s);
}

/* Who ended most of the time; empty: nobody that is known. */
static void woken_by(const struct report *rep, FILE *out, const struct wait_row *w)
{
	size_t n;
	const struct func_wakes *by = wake_rows_of(&rep->wakes, w->row, w->reason, &n);

	fputc(',', out);
	if (by) {
		csv_field(out, wake_name(rep->trace.info, by->by));
		fprintf(out, ",%" PRIu64, by->ns);
	} else {
		fputc(',', out);
	}
}

static int reasons(const struct report *rep, FILE *out)
{
	char number[WAIT_REASON_BYTES];

	fprintf(out, "function,reason,%s,wait_ns,total_wait_ns%s\n",
		rep->trace.samples ? "samples" : "waits",
		!rep->trace.samples      ? ",woken_by,woken_by_ns"
		: report_program(rep, 0) ? ",program"
					 : "");
	for (size_t i = 0; i < rep->n_rows; i++) {
		const struct wait_row *w = &rep->waits.all[rep->rows[i]];

		csv_field(out, report_name(rep, w->row));
		fputc(',', out);
		csv_field(out, wait_reason(rep->trace.info, w->reason, number));
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, w->n, w->self_ns, w->total_ns);
		if (!rep->trace.samples) {
			woken_by(rep, out, w);
		} else if (report_program(rep, w->row)) {
			fputc(',', out);
			csv_field(out, report_program(rep, w->row));
		}
		fputc('\n', out);
	}
	return 0;
}

static int calls(const struct report *rep, FILE *out)
{
	uint64_t left = rep->opt->limit ? rep->opt->limit : UINT64_MAX;
	const struct trace_info *info = rep->trace.info;
	struct call_values v;
	int err = 0;

	fputs("goroutine,level,function,start_ns,duration_ns,self_ns,end,suspect,thread,system,image",
	      out);
	if (rep->trace.totals->states)
		fputs(",run_ns,runnable_ns,wait_ns,syscall_ns,unknown_ns,off_cpu_ns,waits", out);
	fputs(info->n_values ? ",arguments,results\n" : "\n", out);
	for (size_t i = 0; left && !err && i < rep->calls.n; i++) {
		const struct call *c = &rep->calls.calls[i];

		if (!call_rows_wants(&rep->calls, c))
			continue;
		fprintf(out, "%" PRIu64 ",%u,", c->goid, c->level);
		csv_field(out, report_name(rep, c->func));
		fprintf(out, ",%" PRIu64 ",", c->start_ns - rep->trace.totals->first_ns);
		if (call_timed(c))
			fprintf(out, "%" PRIu64, c->end_ns - c->start_ns);
		fprintf(out, ",%" PRIu64 ",%s,%d,%u,%d,%u", c->self_ns, call_end_name(c->end),
			c->suspect, c->tid, c->system, c->image);
		if (rep->trace.totals->states)
			err = call_states(rep, out, c);
		if (info->n_values && !err)
			err = call_rows_values(&rep->calls, c, &v);
		if (info->n_values && !err)
			call_values_csv(out, info, &v);
		fputc('\n', out);
		left--;
	}
	return err;
}

int report_csv(struct trace_reader *r, const struct report_options *opt, FILE *out)
{
	static int (*const write[])(const struct report *rep, FILE *out) = {
		[BY_FUNCTION] = functions, [BY_PATH] = paths,     [BY_GOROUTINE] = goroutines,
		[BY_CALL] = calls,         [BY_REASON] = reasons,
	};
	struct report rep;
	int err = report_load_whole_paths(&rep, r, opt);

	if (!err && opt->hist)
		err = hist_csv(&rep, out);
	else if (!err && rep.trace.samples && opt->by != BY_REASON)
		err = sample_csv(&rep, out);
	else if (!err)
		err = (opt->by == BY_GOROUTINE && opt->fold ? creation_sites : write[opt->by])(&rep,
											       out);
	if (!err)
		err = outfile_check(out);
	report_free(&rep);
	return err;
}
