/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the program itself can copy or replace, as libraries for mocking do. */
#ifndef GOTRACE_REWRITTEN_H
#define GOTRACE_REWRITTEN_H

#include "plan/plan.h"

/*
 * Leaves out functions of a program that makes its own text writable: the selected ones whose
 * address the program can obtain. A copy of their first instructions would have a probe, or a jump
 * to a stub, and neither works there. Functions that -f names without a pattern stay. Sets the
 * functions' fates and plan.text_writer. Returns 0 or -ENOMEM.
 */
int rewritten_leave_out(struct plan *p, const struct plan_options *opt);

#endif
