/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by plan_print*.c. */
#ifndef GOTRACE_PLAN_PRINT_INTERNAL_H
#define GOTRACE_PLAN_PRINT_INTERNAL_H

#include <stdio.h>

#include "plan/plan.h"

/* Functions by name, allocated. NULL: no memory. */
const struct plan_func **plan_by_name(const struct plan *p);
/* [function]: where its sites begin; one function's sites are adjacent. Allocated. NULL: no memory.
 */
size_t *plan_first_sites(const struct plan *p);

/* How many functions are selected and probed, at how many sites: a line. */
void plan_print_selected(const struct plan *p, FILE *out);
/* That line, and how the sites are probed, in a few more. 0 or -ENOMEM */
int plan_print_head(const struct plan *p, FILE *out);

#endif
