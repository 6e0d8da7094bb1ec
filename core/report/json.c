// SPDX-License-Identifier: BSD-2-Clause
#include "base/json.h"

#include <stdlib.h>

#include "analysis/stat_columns.h"
#include "analysis/trace_json.h"
#include "analysis/trace_names.h"
#include "base/outfile.h"
#include "report/formats.h"
#include "report/path_fields.h"
#include "report/rows.h"

static void stats(struct json *j, const struct call_stats *st, bool path)
{
	for (const struct stat_column *c = stat_columns; c->name; c++) {
		if (path && c->of_hist)
			continue;
		json_key(j, c->name);
		if (stat_has(c, st))
			json_u64(j, c->get(st));
		else
			json_null(j);
	}
}

static void released(const struct report *rep, struct json *j, uint32_t func,
		     struct released_below below)
{
	uint64_t ns = released_ns(&rep->released, func);

	if (!rep->released.n)
		return;
	json_key(j, "released_ns");
	if (ns)
		json_u64(j, ns - rep->trace.totals->first_ns);
	else
		json_null(j);
	json_kv_u64(j, "released_callees", below.n);
}

static int functions(const struct report *rep, struct json *j)
{
	for (size_t i = 0; i < rep->n_rows; i++) {
		json_open(j, '{');
		const uint32_t func = (uint32_t)rep->rows[i];

		json_kv_str(j, "function", report_name(rep, func));
		stats(j, &rep->trace.funcs[func], false);
		released(rep, j, func, released_below_func(&rep->released, func));
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
		err = path_field_json(&rep->tree, rep->trace.info, (uint32_t)rep->rows[i], &nodes,
				      &cap, j);
		stats(j, &node->stats, true);
		released(rep, j, node->func,
			 released_below_node(&rep->released, &rep->tree, (uint32_t)rep->rows[i]));
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
			json_kv_u64(j, c->name, c->get(g));
		json_close(j, '}');
	}
	return 0;
}

static int calls(const struct report *rep, struct json *j)
{
	uint64_t left = rep->opt->limit ? rep->opt->limit : UINT64_MAX;

	for (size_t i = 0; left && i < rep->calls.n; i++) {
		const struct call *c = &rep->calls.calls[i];

		if (!call_rows_wants(&rep->calls, c))
			continue;
		json_open(j, '{');
		json_kv_u64(j, "goroutine", c->goid);
		json_kv_u64(j, "level", c->level);
		json_kv_str(j, "function", report_name(rep, c->func));
		json_kv_u64(j, "start_ns", c->start_ns - rep->trace.totals->first_ns);
		json_kv_u64(j, "duration_ns", c->end_ns - c->start_ns);
		json_kv_u64(j, "self_ns", c->self_ns);
		json_kv_str(j, "end", call_end_name(c->end));
		json_kv_bool(j, "suspect", c->suspect);
		json_kv_u64(j, "thread", c->tid);
		json_kv_bool(j, "system", c->system);
		json_kv_u64(j, "image", c->image);
		json_close(j, '}');
		left--;
	}
	return 0;
}

static void trace(const struct report *rep, struct json *j)
{
	json_key(j, "trace");
	json_open(j, '{');
	trace_json_totals(&rep->trace, j);
	trace_json_info(&rep->trace, j);
	json_close(j, '}');
}

int report_json(struct trace_reader *r, const struct report_options *opt, FILE *out)
{
	static const struct {
		const char *by;
		int (*rows)(const struct report *rep, struct json *j);
	} kinds[] = {
		[BY_FUNCTION] = { "function", functions },
		[BY_PATH] = { "path", paths },
		[BY_GOROUTINE] = { "goroutine", goroutines },
		[BY_CALL] = { "call", calls },
	};
	struct report rep;
	struct json j;
	int err = report_load(&rep, r, opt);

	if (!err) {
		json_init(&j, out, true);
		json_open(&j, '{');
		json_kv_str(&j, "by", kinds[opt->by].by);
		json_key(&j, "rows");
		json_open(&j, '[');
		err = kinds[opt->by].rows(&rep, &j);
		json_close(&j, ']');
		json_kv_u64(&j, "hidden_rows",
			    opt->by == BY_CALL ? call_rows_hidden(&rep.calls) : rep.n_hidden);
		trace(&rep, &j);
		json_close(&j, '}');
	}
	if (!err)
		err = outfile_check(out);
	report_free(&rep);
	return err;
}
