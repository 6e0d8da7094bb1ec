/* SPDX-License-Identifier: BSD-2-Clause */
/* The sites of a plan: how each is made, and which of them a function gets. Private to core/plan.
 */
#ifndef GOTRACE_SITES_H
#define GOTRACE_SITES_H

#include "binary/gocode.h"
#include "plan/plan.h"

/* The site at point `at` of fn: of no function of the plan, without a stub, not numbered. */
struct plan_site site_at(const struct gofunc *fn, const struct code_point *at, uint16_t kind,
			 enum site_program program);

/* Adds a copy of s to the plan, under the next number. 0 or -ENOMEM. */
int plan_add_site(struct plan *p, const struct plan_site *s);

/* PLAN_PROBED, or why a function with this code cannot be probed under the plan's strategy. */
enum plan_fate sites_fate(const struct plan *p, const struct plan_func *f,
			  const struct gocode *code);

/* Adds the entry, the exits and, for thesis, the calls of morestack of function number `func`, and
 * fills in the fields of p->funcs[func] about them. 0 or -ENOMEM. */
int sites_add_func(struct plan *p, uint32_t func, const struct gocode *code);

/* Likewise for a process that runs: where a site would trap there, f->fate becomes PLAN_TRAPS, and
 * the function has no sites. */
int sites_add_without_traps(struct plan *p, uint32_t func, const struct gocode *code);

#endif
