// SPDX-License-Identifier: BSD-2-Clause
#include "report/sample_formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_notes.h"
#include "analysis/stat_columns.h"
#include "base/csv.h"
#include "base/text_format.h"
#include "report/path_fields.h"
#include "report/text.h"

struct numbers sample_numbers(const struct report *rep, size_t row)
{
	const struct call_stats *st = rep->opt->by == BY_FUNCTION ? &rep->trace.funcs[row]
				      : rep->opt->by == BY_PATH   ? rep->tree.nodes[row].stats
								  : NULL;

	if (st)
		return (struct numbers){
			.samples = st->samples,
			.weight_ns = st->total_ns,
			.self_samples = st->calls,
			.self_ns = st->self_ns,
			.square_ns2 = st->total_square_ns2,
			.self_square_ns2 = st->self_square_ns2,
			.off = st->off_total,
			.stats = st,
			.has_self = true,
		};
	return (struct numbers){ .samples = rep->sample_rows.rows[row].samples,
				 .weight_ns = rep->sample_rows.rows[row].weight_ns,
				 .square_ns2 = rep->sample_rows.rows[row].square_ns2,
				 .off = rep->sample_rows.rows[row].off };
}

static const char *kind_name(const struct report *rep)
{
	static const char *const names[BY_KINDS] = {
		[BY_FUNCTION] = "function", [BY_PATH] = "path",       [BY_GOROUTINE] = "goroutine",
		[BY_CALL] = "call",         [BY_LABEL] = "label",     [BY_THREAD] = "thread",
		[BY_PROCESS] = "process",   [BY_PROGRAM] = "program", [BY_LIBRARY] = "library",
	};

	return rep->opt->n_callers ? "callers" : names[rep->opt->by];
}

/* ---- csv and json */

/* Parts of all of a row's time, or of `stats` what the columns of states have. */
static void off_csv(const struct report *rep, FILE *out, const struct numbers *x)
{
	const struct off_times *off = &x->off;

	if (!rep->trace.totals->states)
		return;
	for (const struct stat_column *c = stat_columns; c->name && x->stats; c++)
		if (c->of_states && !c->of_events)
			fprintf(out, ",%" PRIu64, c->get(x->stats));
	if (!x->stats)
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
			x->weight_ns - off_times_sum(off), off->runnable_ns, off->wait_ns,
			off->syscall_ns, off->unknown_ns);
}

/* As the columns of times. */
static void errors_csv(const struct report *rep, FILE *out, const struct numbers *x)
{
	if (!rep->trace.samples->errors)
		return;
	fprintf(out, ",%.0f", sample_error_ns(x->square_ns2));
	if (x->has_self)
		fprintf(out, ",%.0f", sample_error_ns(x->self_square_ns2));
}

static void off_names(const struct report *rep, FILE *out, bool stats)
{
	if (!rep->trace.totals->states)
		return;
	for (const struct stat_column *c = stat_columns; c->name && stats; c++)
		if (c->of_states && !c->of_events)
			fprintf(out, ",%s", c->name);
	if (!stats)
		fputs(",run_ns,runnable_ns,wait_ns,syscall_ns,unknown_ns", out);
}

static void off_json(const struct report *rep, struct json *j, const struct numbers *x)
{
	const struct off_times *off = &x->off;

	if (!rep->trace.totals->states)
		return;
	for (const struct stat_column *c = stat_columns; c->name && x->stats; c++)
		if (c->of_states && !c->of_events)
			json_kv_u64(j, c->name, c->get(x->stats));
	if (x->stats)
		return;
	json_kv_u64(j, "run_ns", x->weight_ns - off_times_sum(off));
	json_kv_u64(j, "runnable_ns", off->runnable_ns);
	json_kv_u64(j, "wait_ns", off->wait_ns);
	json_kv_u64(j, "syscall_ns", off->syscall_ns);
	json_kv_u64(j, "unknown_ns", off->unknown_ns);
}

static int row_name_csv(const struct report *rep, size_t row, uint32_t **nodes, size_t *cap,
			FILE *out)
{
	if (rep->opt->by == BY_PATH)
		return path_field_csv(&rep->tree, rep->trace.info, (uint32_t)row, nodes, cap, out);
	csv_field(out, rep->opt->by == BY_FUNCTION ? report_name(rep, (uint32_t)row)
						   : rep->sample_rows.rows[row].name);
	return 0;
}

int sample_csv(const struct report *rep, FILE *out)
{
	const bool self = rep->opt->by == BY_FUNCTION || rep->opt->by == BY_PATH,
		   programs = rep->opt->by == BY_FUNCTION && report_program(rep, 0);
	uint32_t *nodes = NULL;
	size_t cap = 0;
	int err = 0;

	fprintf(out, "%s,samples,share_pct%s", kind_name(rep),
		self ? ",self_samples,self_pct" : "");
	if (rep->trace.samples->errors)
		fprintf(out, ",error_ns%s", self ? ",self_error_ns" : "");
	off_names(rep, out, self);
	fprintf(out, "%s\n", programs ? ",program" : "");
	for (size_t i = 0; !err && i < rep->n_rows; i++) {
		const struct numbers x = sample_numbers(rep, rep->rows[i]);

		err = row_name_csv(rep, rep->rows[i], &nodes, &cap, out);
		fprintf(out, ",%" PRIu64 ",%.4f", x.samples,
			sample_pct(&rep->trace, x.weight_ns, x.samples));
		if (x.has_self)
			fprintf(out, ",%" PRIu64 ",%.4f", x.self_samples,
				sample_pct(&rep->trace, x.self_ns, x.self_samples));
		errors_csv(rep, out, &x);
		off_csv(rep, out, &x);
		if (programs) {
			fputc(',', out);
			csv_field(out, report_program(rep, (uint32_t)rep->rows[i]));
		}
		fputc('\n', out);
	}
	free(nodes);
	return err;
}

static int row_name_json(const struct report *rep, size_t row, uint32_t **nodes, size_t *cap,
			 struct json *j)
{
	json_key(j, kind_name(rep));
	if (rep->opt->by == BY_PATH)
		return path_field_json(&rep->tree, rep->trace.info, (uint32_t)row, nodes, cap, j);
	json_str(j, rep->opt->by == BY_FUNCTION ? report_name(rep, (uint32_t)row)
						: rep->sample_rows.rows[row].name);
	return 0;
}

int sample_json(const struct report *rep, struct json *j)
{
	uint32_t *nodes = NULL;
	size_t cap = 0;
	int err = 0;

	for (size_t i = 0; !err && i < rep->n_rows; i++) {
		const struct numbers x = sample_numbers(rep, rep->rows[i]);

		json_open(j, '{');
		err = row_name_json(rep, rep->rows[i], &nodes, &cap, j);
		if (rep->opt->by == BY_FUNCTION && report_program(rep, (uint32_t)rep->rows[i]))
			json_kv_str(j, "program", report_program(rep, (uint32_t)rep->rows[i]));
		json_kv_u64(j, "samples", x.samples);
		json_kv_u64(j, "weight_ns", x.weight_ns);
		if (rep->trace.samples->errors)
			json_kv_u64(j, "error_ns", (uint64_t)sample_error_ns(x.square_ns2));
		if (x.has_self) {
			json_kv_u64(j, "self_samples", x.self_samples);
			json_kv_u64(j, "self_ns", x.self_ns);
		}
		if (x.has_self && rep->trace.samples->errors)
			json_kv_u64(j, "self_error_ns",
				    (uint64_t)sample_error_ns(x.self_square_ns2));
		off_json(rep, j, &x);
		json_close(j, '}');
	}
	free(nodes);
	return err;
}

void sample_json_programs(const struct report *rep, struct json *j)
{
	const struct loaded_samples *s = rep->trace.samples;
	uint32_t *order = s->programs.n ? sample_programs_order(s) : NULL;

	if (!order)
		return;
	json_key(j, "programs");
	json_open(j, '[');
	for (size_t i = 0; i < s->programs.n; i++) {
		const struct sample_program *p = &s->programs.list[order[i]];

		if (!p->samples)
			continue;
		json_open(j, '{');
		json_kv_str(j, "program", p->name);
		json_kv_u64(j, "samples", p->samples);
		json_kv_u64(j, "weight_ns", p->weight_ns);
		json_close(j, '}');
	}
	json_close(j, ']');
	free(order);
}
