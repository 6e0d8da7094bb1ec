/* SPDX-License-Identifier: BSD-2-Clause */
/* Selected functions that exist only inlined into others, from pclntab's inline tree. */
#ifndef GOTRACE_INLINED_H
#define GOTRACE_INLINED_H

#include "plan/plan.h"

/* Fills p->inlined: functions that the options select, that have no body of
 * their own in the binary, and that were inlined somewhere. 0 or -errno. A
 * corrupt inline tree is warned about once and leaves the list as it is. */
int plan_find_inlined(struct plan *p, const struct plan_options *opt);

#endif
