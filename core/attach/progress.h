/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of a recording on stderr while it runs. */
#ifndef GOTRACE_PROGRESS_H
#define GOTRACE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/recording.h"

/* Rewrites the line with the number of events, the trace's size and losses since start_ns. `last`
 * removes it. Does nothing without given->show_progress. */
void progress_show(const struct recording *r, uint64_t start_ns, bool last);

/* Prints a function that is expensive to trace, once for each function (load_watch_look). Does
 * nothing without given->advise. */
void progress_advise(struct recording *r);

#endif
