/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by plan_print*.c. */
#ifndef GOTRACE_PLAN_PRINT_INTERNAL_H
#define GOTRACE_PLAN_PRINT_INTERNAL_H

#include <stdio.h>

#include "plan/plan.h"

/* Returns the functions by name, allocated, or NULL when there is no memory. */
const struct plan_func **plan_by_name(const struct plan *p);
/* Returns, by function, the index of its first site. Sites of one function are adjacent. The array
 * is allocated, NULL when there is no memory. */
size_t *plan_first_sites(const struct plan *p);

/* Prints a line with the counts of selected functions, of probed functions and of their sites. */
void plan_print_selected(const struct plan *p, FILE *out);
/* Prints that line and a few more about how the sites are probed. Returns 0 or -ENOMEM. */
int plan_print_head(const struct plan *p, FILE *out);

#endif
