/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes under the jumps to stubs that lie on instructions which other tools probe. */
#ifndef GOTRACE_UNDER_JUMPS_H
#define GOTRACE_UNDER_JUMPS_H

#include <sys/types.h>

#include "attach/probes/links.h"

/*
 * In the patched process `pid`, stopped before its first instruction: instructions that jumps to
 * stubs lie on (site_jumps_on_probed) are probed as well, and then the jump is written over the
 * breakpoint. When another tool probes one later, the kernel puts its breakpoint over the jump, and
 * runs our program, too, at each hit, and the instruction: no event is missed. The tool sees
 * nothing of it only if its probe comes between the check of the text and here, a few ms. Warns
 * where it does not work.
 */
void under_jumps_attach(struct links *l, const struct probes *p, const struct links_options *opt,
			pid_t pid);

#endif
