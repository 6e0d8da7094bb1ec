/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the sites of a plan and chooses those of a function. Private to core/plan. */
#ifndef GOTRACE_SITES_H
#define GOTRACE_SITES_H

#include "binary/gocode.h"
#include "plan/plan.h"

/* Returns the site at point `at` of fn. It has no function of the plan, no stub and no number. */
struct plan_site site_at(const struct gofunc *fn, const struct code_point *at, uint16_t kind,
			 enum site_program program);

/* Adds a copy of s to the plan, under the next number. Returns 0 or -ENOMEM. */
int plan_add_site(struct plan *p, const struct plan_site *s);

/* Returns PLAN_PROBED, or the reason why the plan's strategy cannot probe a function with this
 * code. */
enum plan_fate sites_fate(const struct plan *p, const struct plan_func *f,
			  const struct gocode *code);

/* Adds the entry and the exits of function number `func`, and for thesis its calls of morestack.
 * Fills in the fields of p->funcs[func] about them. Returns 0 or -ENOMEM. */
int sites_add_func(struct plan *p, uint32_t func, const struct gocode *code);

/* Does as sites_add_func for a process that runs. When a site would trap there, f->fate becomes
 * PLAN_TRAPS, and the function has no sites. */
int sites_add_without_traps(struct plan *p, uint32_t func, const struct gocode *code);

#endif
