/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments and results of a call, for people and for programs. */
#ifndef GOTRACE_VALUE_TEXT_H
#define GOTRACE_VALUE_TEXT_H

#include <stdio.h>

#include "base/json.h"
#include "model/model.h"

/* Writes text, such as `n=1 s="x"`, then results, such as ` -> 0=2`. Writes nothing if there are
 * none. */
void call_values_text(FILE *out, const struct trace_info *info, const struct call_values *v);
/* Writes two fields of a line of CSV, arguments and results, each with a comma before it. */
void call_values_csv(FILE *out, const struct trace_info *info, const struct call_values *v);
/* Writes the members "arguments" and "results" of the open object. They are objects by name, and
 * numbers are numbers. A value that could not be read, or was cut, is text. */
void call_values_json(struct json *j, const struct trace_info *info, const struct call_values *v);
/* Calls fn for each argument, then for each result. */
void call_values_each(const struct trace_info *info, const struct call_values *v,
		      void (*fn)(void *ctx, const struct trace_value_def *d,
				 const struct trace_value *value),
		      void *ctx);

#endif
