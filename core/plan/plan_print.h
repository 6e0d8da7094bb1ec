/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan in words. Sorted by name, stable. */
#ifndef GOTRACE_PLAN_PRINT_H
#define GOTRACE_PLAN_PRINT_H

#include <stdio.h>

#include "plan/plan.h"

/* All: 0 or -errno (-EIO when `out` cannot be written). */
int plan_print_text(const struct plan *p, FILE *out);
int plan_print_json(const struct plan *p, FILE *out);
/* Every site: its instruction, the traps it costs, why it is that one; then how many of each. */
int plan_print_sites(const struct plan *p, FILE *out);

/* How many sites cost one trap, how many two and why. Part of the text of a plan with stubs. 0 or
 * -ENOMEM. */
int plan_print_stubs(const struct plan *p, FILE *out);

#endif
