/* SPDX-License-Identifier: BSD-2-Clause */
/* The answer (analysis/answer.h) as JSON. */
#ifndef GOTRACE_JSON_ANSWER_H
#define GOTRACE_JSON_ANSWER_H

#include "base/json.h"
#include "report/rows.h"

/* Writes the key "answer" with an object, or null where there is no answer. Afterwards rep's trace
 * has no waits of parked goroutines, unless they are wanted. 0; or -errno (logged), and nothing is
 * written. */
int json_answer(struct report *rep, struct json *j);

#endif
