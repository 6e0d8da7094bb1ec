/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints a plan, sorted by name. */
#ifndef GOTRACE_PLAN_PRINT_H
#define GOTRACE_PLAN_PRINT_H

#include <stdio.h>

#include "plan/plan.h"

/* All functions return 0 or -errno, -EIO when `out` cannot be written. */
int plan_print_summary(const struct plan *p, FILE *out); /* counts, by package and by reason */
int plan_print_text(const struct plan *p, FILE *out);
int plan_print_json(const struct plan *p, FILE *out);
/* Prints every site with its instruction, the traps of a hit and the reason for it, then totals. */
int plan_print_sites(const struct plan *p, FILE *out);

/* Prints how many sites cost one trap, how many two, and why. This is a part of plan_print_text.
 * Returns 0 or -ENOMEM. */
int plan_print_stubs(const struct plan *p, FILE *out);

#endif
