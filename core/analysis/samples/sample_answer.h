/* SPDX-License-Identifier: BSD-2-Clause */
/* The answer above the numbers of samples with waits (sample --wall). It has the parts of answer.h
 * that such samples support. */
#ifndef GOTRACE_SAMPLE_ANSWER_H
#define GOTRACE_SAMPLE_ANSWER_H

#include "analysis/trace_load.h"

/* Returns lines with a newline each: "goroutines wait 95% of their time for a lock (together 120s
 * in 6.21s)", and the place. The caller frees them. Returns "" if no goroutine waited, and NULL
 * without memory. */
char *sample_answer_say(const struct loaded_trace *t);

#endif
