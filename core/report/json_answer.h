/* SPDX-License-Identifier: BSD-2-Clause */
/* The answer (analysis/answer.h) as JSON. */
#ifndef GOTRACE_JSON_ANSWER_H
#define GOTRACE_JSON_ANSWER_H

#include "base/json.h"
#include "report/rows.h"

/* Key "answer" and an object, null where there is nothing to tell. From then on rep's trace is
 * without the waits of parked goroutines, unless they are asked for. 0 or -errno (logged), and
 * nothing is written. */
int json_answer(struct report *rep, struct json *j);

#endif
