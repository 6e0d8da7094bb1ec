/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts, times and keys of a whole trace, as JSON. */
#ifndef GOTRACE_TRACE_JSON_H
#define GOTRACE_TRACE_JSON_H

#include "analysis/trace_load.h"
#include "base/json.h"

/* Writes the trace's counts and times, as keys of the open object. */
void trace_json_totals(const struct loaded_trace *t, struct json *j);
/* Writes the key "warnings", with the reasons why numbers may be wrong or incomplete (warnings.h).
 * none_too: writes an empty list where there are none. 0 or -ENOMEM. */
int trace_json_warnings(const struct loaded_trace *t, bool none_too, struct json *j);
/* Writes the key "info" with the recorder's keys (FORMAT.md). */
void trace_json_info(const struct loaded_trace *t, struct json *j);

#endif
