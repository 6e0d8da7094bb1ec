/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to core/attach/sample. */
#ifndef GOTRACE_SAMPLING_END_H
#define GOTRACE_SAMPLING_END_H

#include "attach/sample/sampling.h"

/* How it ended, how many samples there are and what is missing, as keys of the trace. 0 or
 * -ENOMEM. */
int sampling_describe_end(struct sampling *s);
/* Names of what has ended are looked up while its files are open, which they are no longer then. 0
 * or -errno. */
int sampling_name_ended(struct sampling *s);
/* What the next trace says is its own. */
void sampling_forget_counts(struct sampling *s);

/* For one more sample; else it counts as lost. */
bool sampling_has_room(struct sampling *s);
/* Ends this trace (`cut`) if it, or what is known of processes, takes what it may. */
void sampling_cut_for_room(struct sampling *s);

#endif
