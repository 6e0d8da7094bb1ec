// SPDX-License-Identifier: BSD-2-Clause
#include "base/json.h"

#include <stdlib.h>

#include "analysis/report.h"

static void stats(struct json *j, const struct call_stats *st, bool path)
{
	for (const struct stat_column *c = stat_columns; c->name; c++) {
		if (path && c->of_hist)
			continue;
		json_key(j, c->name);
		if (!c->of_finished || st->finished)
			json_u64(j, c->get(st));
		else
			json_null(j);
	}
}

static int functions(const struct report *rep, struct json *j)
{
	for (size_t i = 0; i < rep->n_rows; i++) {
		json_open(j, '{');
		json_kv_str(j, "function", report_name(rep, (uint32_t)rep->rows[i]));
		stats(j, &rep->funcs[rep->rows[i]], false);
		json_close(j, '}');
	}
	return 0;
}

int json_path(const struct report *rep, struct json *j, uint32_t node, uint32_t **nodes,
	      size_t *cap)
{
	size_t n;
	int err = report_path(rep, node, nodes, cap, &n);

	json_key(j, "path");
	json_open(j, '[');
	for (size_t i = 0; !err && i < n; i++)
		json_str(j, report_name(rep, rep->tree.nodes[(*nodes)[i]].func));
	json_close(j, ']');
	return err;
}

static void str_or_null(struct json *j, const char *key, const char *s)
{
	json_kv_str(j, key, *s ? s : NULL);
}

static int paths(const struct report *rep, struct json *j)
{
	uint32_t *nodes = NULL;
	size_t cap = 0;
	char place[4096];
	int err = 0;

	for (size_t i = 0; !err && i < rep->n_rows; i++) {
		const struct path_node *node = &rep->tree.nodes[rep->rows[i]];

		json_open(j, '{');
		err = json_path(rep, j, (uint32_t)rep->rows[i], &nodes, &cap);
		stats(j, &node->stats, true);
		json_kv_u64(j, "max_recursion", node->max_recursion);
		json_kv_bool(j, "go", node->go_edge);
		str_or_null(j, "go_at",
			    report_pc_line(rep, node->go_pc, false, place, sizeof(place)));
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
		const struct goroutine_row *r = &rep->goroutines[rep->rows[i]];
		const struct goroutine_info *g = &r->g;

		json_open(j, '{');
		which(j, r, rep->opt->fold);
		str_or_null(j, "start_function", report_start_func(rep, g));
		str_or_null(j, "created_in", report_pc_func(rep, g->create_pc));
		str_or_null(j, "created_at",
			    report_pc_line(rep, g->create_pc, false, line, sizeof(line)));
		json_kv_bool(j, "system", g->system);
		json_kv_u64(j, "start_ns", g->first_ns - rep->totals->first_ns);
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

	for (size_t i = 0; left && i < rep->n_calls; i++) {
		const struct call *c = &rep->calls[i];

		if (!report_wants_call(rep, c))
			continue;
		json_open(j, '{');
		json_kv_u64(j, "goroutine", c->goid);
		json_kv_u64(j, "level", c->level);
		json_kv_str(j, "function", report_name(rep, c->func));
		json_kv_u64(j, "start_ns", c->start_ns - rep->totals->first_ns);
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

void json_totals(const struct report *rep, struct json *j)
{
	const struct model_totals *t = rep->totals;

	json_kv_bool(j, "complete", rep->complete);
	json_kv_u64(j, "events", t->events);
	json_kv_u64(j, "calls", t->calls);
	json_kv_u64(j, "goroutines", t->goroutines);
	json_kv_u64(j, "images", t->images);
	json_kv_u64(j, "duration_ns", report_span_ns(rep));
	json_kv_u64(j, "root_ns", t->root_ns);
	json_kv_u64(j, "lost_events", t->lost_events);
	json_kv_u64(j, "loss_records", t->loss_records);
	json_kv_u64(j, "suspect_calls", t->suspect_calls);
	json_kv_u64(j, "suspect_ns", t->suspect_ns);
	json_kv_u64(j, "orphan_exits", t->orphan_exits);
	json_kv_u64(j, "folded_calls", report_other_calls(rep));
	json_kv_u64(j, "bad_events", t->bad_events);
}

static void trace(const struct report *rep, struct json *j)
{
	json_key(j, "trace");
	json_open(j, '{');
	json_totals(rep, j);
	json_key(j, "info");
	json_open(j, '{');
	for (size_t i = 0; i < rep->info->n_kvs; i++)
		json_kv_str(j, rep->info->kvs[i].key, rep->info->kvs[i].value);
	json_close(j, '}');
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
			    opt->by == BY_CALL ? report_hidden_calls(&rep) : rep.n_hidden);
		trace(&rep, &j);
		json_close(&j, '}');
	}
	if (!err)
		err = report_written(out);
	report_free(&rep);
	return err;
}
