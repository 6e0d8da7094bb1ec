/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording writes to stderr while it runs. */
#ifndef GOTRACE_PROGRESS_H
#define GOTRACE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/recording.h"

/* Rewrites the line with the number of events, the trace's size and losses since start_ns; `last`
 * removes it. Nothing without r->show_progress. */
void progress_show(const struct recording *r, uint64_t start_ns, bool last);

/* Says which function is dear to trace, once for each (load_watch_look). Nothing without r->advise.
 */
void progress_advise(struct recording *r);

#endif
