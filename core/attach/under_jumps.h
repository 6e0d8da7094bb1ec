/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes instructions under jumps to stubs, if other tools may probe the same instructions. */
#ifndef GOTRACE_UNDER_JUMPS_H
#define GOTRACE_UNDER_JUMPS_H

#include <sys/types.h>

#include "attach/probes/links.h"

/*
 * Works on the patched process `pid`, stopped before its first instruction. It probes the
 * instructions on which jumps to stubs lie (site_jumps_on_probed). Then it writes the jump over the
 * breakpoint. When another tool probes such an instruction later, the kernel puts its breakpoint
 * over the jump. At each hit the kernel runs gotrace's program, too, and the instruction. So no
 * event is missed.
 *
 * The other tool gets no hits only if its probe comes between the check of the text and this call,
 * within a few ms. Warns if the attachment fails.
 */
void under_jumps_attach(struct links *l, const struct probes *p, const struct links_options *opt,
			pid_t pid);

#endif
