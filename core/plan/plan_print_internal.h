/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by plan_print*.c. */
#ifndef GOTRACE_PLAN_PRINT_INTERNAL_H
#define GOTRACE_PLAN_PRINT_INTERNAL_H

#include "plan/plan.h"

/* Functions by name, allocated. NULL: no memory. */
const struct plan_func **plan_by_name(const struct plan *p);
/* [function]: where its sites begin; one function's sites are adjacent. Allocated. NULL: no memory.
 */
size_t *plan_first_sites(const struct plan *p);

#endif
