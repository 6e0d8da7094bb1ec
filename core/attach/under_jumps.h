/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes under the jumps to stubs that take the place of a RET. */
#ifndef GOTRACE_UNDER_JUMPS_H
#define GOTRACE_UNDER_JUMPS_H

#include <sys/types.h>

#include "attach/probes/links.h"

/*
 * In the patched process `pid`, stopped before its first instruction: a RET that its stub returns
 * in place of is probed as well, and then the jump is written over the breakpoint. When another
 * tool probes this RET later, the kernel puts its breakpoint over the jump, and runs our program,
 * too, at each hit, and the RET: no event is missed. The tool sees nothing of that RET only if its
 * probe comes between the check of the text and here, a few ms. Warns where it does not work.
 */
void under_jumps_attach(struct links *l, const struct probes *p, const struct links_options *opt,
			pid_t pid);

#endif
