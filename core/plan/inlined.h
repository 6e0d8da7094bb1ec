/* SPDX-License-Identifier: BSD-2-Clause */
/* Selected functions that exist only inlined into others, from pclntab's inline tree. */
#ifndef GOTRACE_INLINED_H
#define GOTRACE_INLINED_H

#include "plan/plan.h"

/* Fills p->inlined with functions that the options select, that have no body of their own in the
 * binary, and that were inlined somewhere. Warns once of a corrupt inline tree and then leaves the
 * list as it is. Returns 0 or -errno. */
int plan_find_inlined(struct plan *p, const struct plan_options *opt);

#endif
