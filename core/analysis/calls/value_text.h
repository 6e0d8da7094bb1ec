/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments and results of a call, for people and for programs. */
#ifndef GOTRACE_VALUE_TEXT_H
#define GOTRACE_VALUE_TEXT_H

#include <stdio.h>

#include "base/json.h"
#include "model/model.h"

/* As text: `n=1 s="x"`, then results: ` -> 0=2`. Nothing for none. */
void call_values_text(FILE *out, const struct trace_info *info, const struct call_values *v);
/* Arguments only, or results only. */
void call_values_part(FILE *out, const struct trace_info *info, const struct call_values *v,
		      bool results);
/* As two fields of a line of CSV, each with a comma before it: arguments, results. */
void call_values_csv(FILE *out, const struct trace_info *info, const struct call_values *v);
/* As members "arguments" and "results" of the object at hand: objects by name, numbers as numbers;
 * what could not be read, or was cut, as text. */
void call_values_json(struct json *j, const struct trace_info *info, const struct call_values *v);
/* Calls fn for each of them: arguments, then results. */
void call_values_each(const struct trace_info *info, const struct call_values *v,
		      void (*fn)(void *ctx, const struct trace_value_def *d,
				 const struct trace_value *value),
		      void *ctx);

#endif
