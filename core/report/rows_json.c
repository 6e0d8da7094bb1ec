// SPDX-License-Identifier: BSD-2-Clause
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/left_out.h"
#include "analysis/stat_columns.h"
#include "analysis/trace_json.h"
#include "analysis/trace_names.h"
#include "analysis/calls/value_text.h"
#include "base/log.h"
#include "base/outfile.h"
#include "report/column_names.h"
#include "report/report_formats.h"
#include "report/hist_rows.h"
#include "report/json_answer.h"
#include "report/path_fields.h"
#include "report/rows.h"
#include "report/sample_formats.h"

static void stats(const struct report *rep, struct json *j, const struct call_stats *st, bool path)
{
	for (const struct stat_column *c = stat_columns; c->name; c++) {
		if ((path && c->of_hist) || (c->of_states && !rep->trace.totals->states) ||
		    !columns_have(rep->opt->columns, c->name))
			continue;
		json_key(j, c->name);
		if (stat_has(c, st))
			json_u64(j, c->get(st));
		else
			json_null(j);
	}
	if (left_out_scale(rep->trace.info) <= 1)
		return;
	const struct {
		const char *name;
		uint64_t n;
	} all[] = { { "all_calls", st->calls },
		    { "all_total_ns", st->total_ns },
		    { "all_self_ns", st->self_ns } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (columns_have(rep->opt->columns, all[i].name))
			json_kv_u64(j, all[i].name, left_out_all(rep->trace.info, all[i].n));
}

static void wait_fields(const struct report *rep, struct json *j, const struct wait_row *w)
{
	char number[WAIT_REASON_BYTES];

	json_kv_str(j, "reason", wait_reason(rep->trace.info, w->reason, number));
	json_kv_u64(j, rep->trace.samples ? "samples" : "waits", w->n);
	json_kv_u64(j, "wait_ns", w->self_ns);
	json_kv_u64(j, "total_wait_ns", w->total_ns);
}

/* By reason, the longest first. */
static void waits(const struct report *rep, struct json *j, uint32_t row)
{
	size_t n;
	const struct wait_row *w = wait_rows_of(&rep->waits, row, &n);

	if (!rep->trace.totals->states || rep->opt->n_callers ||
	    !columns_have(rep->opt->columns, "waits"))
		return;
	json_key(j, "waits");
	json_open(j, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(j, '{');
		wait_fields(rep, j, &w[i]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void released(const struct report *rep, struct json *j, struct report_release r,
		     const struct call_stats *st)
{
	uint64_t ns = released_ns(&rep->released, r.func);

	if (!rep->released.n)
		return;
	if (columns_have(rep->opt->columns, "released_ns")) {
		json_key(j, "released_ns");
		if (ns)
			json_u64(j, ns - rep->trace.totals->first_ns);
		else
			json_null(j);
	}
	if (columns_have(rep->opt->columns, "released_callees"))
		json_kv_u64(j, "released_callees", r.below.n);
	if (columns_have(rep->opt->columns, "released_sampled_ns"))
		json_kv_u64(j, "released_sampled_ns", st->sampled_ns);
}

static int functions(const struct report *rep, struct json *j)
{
	for (size_t i = 0; i < rep->n_rows; i++) {
		json_open(j, '{');
		const uint32_t func = (uint32_t)rep->rows[i];

		json_kv_str(j, "function", report_name(rep, func));
		stats(rep, j, &rep->trace.funcs[func], false);
		waits(rep, j, func);
		released(rep, j,
			 (struct report_release){ func, released_below_func(&rep->released, func) },
			 &rep->trace.funcs[func]);
		json_close(j, '}');
	}
	return 0;
}

static void str_or_null(struct json *j, const char *key, const char *s)
{
	json_kv_str(j, key, *s ? s : NULL);
}

static int paths(const struct report *rep, struct json *j)
{
	uint32_t *nodes = NULL;
	size_t cap = 0;
	char at[4096];
	int err = 0;

	for (size_t i = 0; !err && i < rep->n_rows; i++) {
		const struct call_node *node = &rep->tree.nodes[rep->rows[i]];

		json_open(j, '{');
		json_key(j, rep->opt->n_callers ? "callers" : "path");
		err = path_field_json(&rep->tree, rep->trace.info, (uint32_t)rep->rows[i], &nodes,
				      &cap, j);
		stats(rep, j, node->stats, true);
		waits(rep, j, (uint32_t)rep->rows[i]);
		released(rep, j, report_release(rep, (uint32_t)rep->rows[i]), node->stats);
		json_kv_u64(j, "max_recursion", node->recursion);
		json_kv_bool(j, "go", node->go);
		str_or_null(j, "go_at",
			    trace_name_line(rep->trace.info, node->go_pc, false, at, sizeof(at)));
		json_close(j, '}');
	}
	free(nodes);
	return err;
}

static void which(struct json *j, const struct goroutine_row *r, bool folded)
{
	if (folded) {
		json_kv_u64(j, "goroutines", r->n);
		json_kv_u64(j, "ended", r->n_ended);
		json_kv_u64(j, "max_lifetime_ns", r->max_life_ns);
		return;
	}
	json_kv_u64(j, "goroutine", r->g.goid);
	json_key(j, "creator");
	if (r->g.creator)
		json_u64(j, r->g.creator);
	else
		json_null(j);
	json_kv_bool(j, "ended", r->g.ended);
	json_kv_u64(j, "image", r->g.image);
}

static int goroutines(const struct report *rep, struct json *j)
{
	char line[512];

	for (size_t i = 0; i < rep->n_rows; i++) {
		const struct goroutine_row *r = &rep->goroutines.rows[rep->rows[i]];
		const struct goroutine_info *g = &r->g;

		json_open(j, '{');
		which(j, r, rep->opt->fold);
		str_or_null(j, "start_function", trace_name_start(rep->trace.info, g));
		str_or_null(j, "created_in", trace_name_at(rep->trace.info, g->create_pc));
		str_or_null(j, "created_at",
			    trace_name_line(rep->trace.info, g->create_pc, false, line,
					    sizeof(line)));
		json_kv_bool(j, "system", g->system);
		json_kv_u64(j, "start_ns", g->first_ns - rep->trace.totals->first_ns);
		json_kv_u64(j, "lifetime_ns", r->life_ns);
		for (const struct goroutine_column *c = goroutine_columns; c->name; c++)
			if (!c->of_states || rep->trace.totals->states)
				json_kv_u64(j, c->name, c->get(g));
		json_close(j, '}');
	}
	return 0;
}

/* By reason, the longest first. */
static void call_waits(const struct report *rep, struct json *j, const struct call_states *s)
{
	char number[WAIT_REASON_BYTES];

	json_key(j, "waits");
	json_open(j, '[');
	for (size_t i = 0; i < s->n_waits; i++) {
		if (!s->waits[i].total_ns)
			continue;
		json_open(j, '{');
		json_kv_str(j, "reason", wait_reason(rep->trace.info, s->waits[i].reason, number));
		json_kv_u64(j, "self_ns", s->waits[i].self_ns);
		json_kv_u64(j, "total_ns", s->waits[i].total_ns);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* Parts of its duration. */
static int call_states(const struct report *rep, struct json *j, const struct call *c)
{
	struct call_states s;
	int err = rep->trace.totals->states ? call_rows_states(&rep->calls, c, &s) : 0;

	if (err || !rep->trace.totals->states)
		return err;
	json_kv_u64(j, "run_ns", c->end_ns - c->start_ns - off_times_sum(&s.total));
	json_kv_u64(j, "runnable_ns", s.total.runnable_ns);
	json_kv_u64(j, "wait_ns", s.total.wait_ns);
	json_kv_u64(j, "syscall_ns", s.total.syscall_ns);
	json_kv_u64(j, "unknown_ns", s.total.unknown_ns);
	json_kv_u64(j, "off_cpu_ns", s.total.off_cpu_ns);
	call_waits(rep, j, &s);
	return 0;
}

/* The longest first. */
static void woken_by(const struct report *rep, struct json *j, const struct wait_row *w)
{
	size_t n;
	const struct func_wakes *by = wake_rows_of(&rep->wakes, w->row, w->reason, &n);

	json_key(j, "woken_by");
	json_open(j, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(j, '{');
		json_kv_str(j, "function", wake_name(rep->trace.info, by[i].by));
		json_kv_u64(j, "waits", by[i].n);
		json_kv_u64(j, "wait_ns", by[i].ns);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static int reasons(const struct report *rep, struct json *j)
{
	for (size_t i = 0; i < rep->n_rows; i++) {
		const struct wait_row *w = &rep->waits.all[rep->rows[i]];

		json_open(j, '{');
		json_kv_str(j, "function", report_name(rep, w->row));
		if (report_program(rep, w->row))
			json_kv_str(j, "program", report_program(rep, w->row));
		wait_fields(rep, j, w);
		if (!rep->trace.samples)
			woken_by(rep, j, w);
		json_close(j, '}');
	}
	return 0;
}

static int call_values(const struct report *rep, struct json *j, const struct call *c)
{
	struct call_values v;
	int err = rep->trace.info->n_values ? call_rows_values(&rep->calls, c, &v) : 0;

	if (!err && rep->trace.info->n_values)
		call_values_json(j, rep->trace.info, &v);
	return err;
}

static int calls(const struct report *rep, struct json *j)
{
	uint64_t left = rep->opt->limit ? rep->opt->limit : UINT64_MAX;
	int err = 0;

	for (size_t i = 0; left && !err && i < rep->calls.n; i++) {
		const struct call *c = &rep->calls.calls[i];

		if (!call_rows_wants(&rep->calls, c))
			continue;
		json_open(j, '{');
		json_kv_u64(j, "goroutine", c->goid);
		json_kv_u64(j, "level", c->level);
		json_kv_str(j, "function", report_name(rep, c->func));
		json_kv_u64(j, "start_ns", c->start_ns - rep->trace.totals->first_ns);
		json_key(j, "duration_ns");
		if (call_timed(c))
			json_u64(j, c->end_ns - c->start_ns);
		else
			json_null(j);
		json_kv_u64(j, "self_ns", c->self_ns);
		json_kv_str(j, "end", call_end_name(c->end));
		json_kv_bool(j, "suspect", c->suspect);
		json_kv_u64(j, "thread", c->tid);
		json_kv_bool(j, "system", c->system);
		json_kv_u64(j, "image", c->image);
		err = call_states(rep, j, c);
		if (!err)
			err = call_values(rep, j, c);
		json_close(j, '}');
		left--;
	}
	return err;
}

static int trace(const struct report *rep, struct json *j)
{
	int err;

	json_key(j, "trace");
	json_open(j, '{');
	trace_json_totals(&rep->trace, j);
	if (rep->trace.samples)
		sample_json_programs(rep, j);
	err = trace_json_warnings(&rep->trace, true, j);
	trace_json_info(&rep->trace, j);
	json_close(j, '}');
	return err;
}

static int rows_and_trace(const struct report *rep, struct json *j)
{
	static int (*const kinds[BY_KINDS])(const struct report *rep, struct json *j) = {
		[BY_FUNCTION] = functions, [BY_PATH] = paths,     [BY_GOROUTINE] = goroutines,
		[BY_CALL] = calls,         [BY_REASON] = reasons,
	};
	const struct report_options *opt = rep->opt;

	json_key(j, "rows");
	json_open(j, '[');
	int err = (opt->hist                                    ? hist_json
		   : rep->trace.samples && opt->by != BY_REASON ? sample_json
								: kinds[opt->by])(rep, j);

	json_close(j, ']');
	json_kv_u64(j, "hidden_rows",
		    opt->by == BY_CALL ? call_rows_hidden(&rep->calls) : rep->n_hidden);
	int told = trace(rep, j);

	return err ? err : told;
}

/* The answer stands before the rows. But it leaves waits out that these have: so they are written
 * first, to memory. */
static int answer_and_rows(struct report *rep, struct json *j)
{
	struct json rows = *j;
	char *text = NULL;
	size_t n = 0;

	rows.out = open_memstream(&text, &n);
	int err = rows.out ? rows_and_trace(rep, &rows) : -ENOMEM;

	if (rows.out && fclose(rows.out) && !err)
		err = -ENOMEM;
	if (err == -ENOMEM)
		log_no_memory("no memory for the report");
	if (!err)
		err = json_answer(rep, j);
	if (!err)
		fwrite(text, 1, n, j->out);
	free(text);
	return err;
}

int report_json(struct trace_reader *r, const struct report_options *opt, FILE *out)
{
	static const char *const names[BY_KINDS] = {
		[BY_FUNCTION] = "function", [BY_PATH] = "path",       [BY_GOROUTINE] = "goroutine",
		[BY_CALL] = "call",         [BY_REASON] = "reason",   [BY_LABEL] = "label",
		[BY_THREAD] = "thread",     [BY_PROCESS] = "process", [BY_PROGRAM] = "program",
		[BY_LIBRARY] = "library",
	};
	struct report_options with = *opt;
	struct report rep;
	struct json j;

	with.answer = opt->by == BY_FUNCTION && !opt->hist && !opt->n_callers;
	int err = report_load_whole_paths(&rep, r, &with);

	if (!err) {
		json_init(&j, out, true);
		json_open(&j, '{');
		json_kv_str(&j, "by", opt->n_callers ? "callers" : names[opt->by]);
		err = with.answer ? answer_and_rows(&rep, &j) : rows_and_trace(&rep, &j);
		if (!err)
			json_close(&j, '}');
	}
	if (!err)
		err = outfile_check(out);
	report_free(&rep);
	return err;
}
