// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/value_text.h"

#include <stdlib.h>

#include "base/csv.h"

/* Writes arguments only, or results only. */
static void part(FILE *out, const struct trace_info *info, const struct call_values *v,
		 bool results)
{
	size_t n = 0;

	if (v->args)
		n = trace_values_text(out, info->values, v->args, !results, results);
	if (v->results && results && n)
		fputc(' ', out);
	if (v->results)
		trace_values_text(out, info->values, v->results, !results, results);
}

/* Arguments, or results, to be freed; NULL: no memory. */
static char *part_of(const struct trace_info *info, const struct call_values *v, bool results)
{
	char *text = NULL;
	size_t size;
	FILE *mem = open_memstream(&text, &size);

	if (mem) {
		part(mem, info, v, results);
		fclose(mem);
	}
	return text;
}

void call_values_text(FILE *out, const struct trace_info *info, const struct call_values *v)
{
	char *text[2] = { part_of(info, v, false), part_of(info, v, true) };

	if (text[0])
		fputs(text[0], out);
	if (text[1] && *text[1])
		fprintf(out, "%s-> %s", text[0] && *text[0] ? " " : "", text[1]);
	free(text[0]);
	free(text[1]);
}

void call_values_each(const struct trace_info *info, const struct call_values *v,
		      void (*fn)(void *ctx, const struct trace_value_def *d,
				 const struct trace_value *value),
		      void *ctx)
{
	const struct trace_values *sets[2] = { v->args, v->results };

	for (int i = 0; i < 2; i++) {
		const uint8_t *p = sets[i] ? sets[i]->data : NULL;

		for (uint32_t k = 0; p && k < sets[i]->n; k++) {
			const struct trace_value_def *d = &info->values[sets[i]->first + k];
			struct trace_value one;

			p = trace_value_get(p, sets[i]->data + sets[i]->bytes, d->type, &one);
			if (p)
				fn(ctx, d, &one);
		}
	}
}

void call_values_csv(FILE *out, const struct trace_info *info, const struct call_values *v)
{
	for (int results = 0; results < 2; results++) {
		char *text = part_of(info, v, results);

		fputc(',', out);
		csv_field(out, text ? text : "");
		free(text);
	}
}

/* ---- JSON */

struct members {
	struct json *j;
	bool results;
};

static void put_as_text(struct json *j, const struct trace_value *v)
{
	char *text = NULL;
	size_t size;
	FILE *mem = open_memstream(&text, &size);

	if (mem && !v->how && v->type == TRACE_VALUE_STRING)
		fprintf(mem, "%.*s%s", (int)v->text_bytes, v->text,
			v->text_bytes < v->v.u ? "..." : "");
	else if (mem)
		trace_value_plain(mem, v);
	if (mem)
		fclose(mem);
	json_str(j, text ? text : "");
	free(text);
}

static void put_member(void *ctx, const struct trace_value_def *d, const struct trace_value *v)
{
	const struct members *m = ctx;

	if (d->result != m->results)
		return;
	json_key(m->j, d->name);
	if (v->how)
		put_as_text(m->j, v);
	else if (v->type == TRACE_VALUE_INT)
		json_i64(m->j, v->v.i);
	else if (v->type == TRACE_VALUE_UINT || v->type == TRACE_VALUE_LENGTH)
		json_u64(m->j, v->v.u);
	else if (v->type == TRACE_VALUE_FLOAT)
		json_double(m->j, v->v.f);
	else if (v->type == TRACE_VALUE_BOOL)
		json_bool(m->j, v->v.u);
	else
		put_as_text(m->j, v);
}

void call_values_json(struct json *j, const struct trace_info *info, const struct call_values *v)
{
	static const char *const names[] = { "arguments", "results" };

	for (int results = 0; results < 2; results++) {
		struct members m = { j, results };

		json_key(j, names[results]);
		json_open(j, '{');
		call_values_each(info, v, put_member, &m);
		json_close(j, '}');
	}
}
