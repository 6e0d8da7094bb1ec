/* SPDX-License-Identifier: BSD-2-Clause */
/* The sentence in the place of an answer, where no answer is certain. */
#ifndef GOTRACE_ANSWER_DOUBT_H
#define GOTRACE_ANSWER_DOUBT_H

#include "analysis/trace_load.h"

/* Returns a sentence why it is not known which function took most time, with the command that finds
 * out. It is for traces where correction_any_sure is false. The caller frees it. NULL: no memory.
 */
char *answer_doubt_say(const struct loaded_trace *t);

#endif
