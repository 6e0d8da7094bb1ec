/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the program itself can copy or replace, as libraries for mocking do. */
#ifndef GOTRACE_REWRITTEN_H
#define GOTRACE_REWRITTEN_H

#include "plan/plan.h"

/*
 * In a program that makes its own text writable the selected functions whose address it can come
 * by are not probed: a copy of their first instructions would have a probe, or a jump to a stub,
 * where neither works. Those that -f names without a pattern are. Sets their fates and
 * plan.text_writer. 0 or -ENOMEM.
 */
int rewritten_leave_out(struct plan *p, const struct plan_options *opt);

#endif
