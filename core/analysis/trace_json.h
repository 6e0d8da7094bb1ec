/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts, times and keys of a whole trace, as JSON. */
#ifndef GOTRACE_TRACE_JSON_H
#define GOTRACE_TRACE_JSON_H

#include "analysis/trace_load.h"
#include "base/json.h"

/* Its counts and times, as keys of the object that is open. */
void trace_json_totals(const struct loaded_trace *t, struct json *j);
/* The key "warnings": why numbers may be wrong or not all (doubts.h); none_too: where there is
 * none, an empty list. 0 or -ENOMEM. */
int trace_json_doubts(const struct loaded_trace *t, bool none_too, struct json *j);
/* The key "info" with what the recorder wrote down (FORMAT.md's keys). */
void trace_json_info(const struct loaded_trace *t, struct json *j);

#endif
