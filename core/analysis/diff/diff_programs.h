/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs of functions and paths that are compared. */
#ifndef GOTRACE_DIFF_PROGRAMS_H
#define GOTRACE_DIFF_PROGRAMS_H

#include "analysis/calls/call_tree.h"

/* Returns whether the functions of two traces are those of programs: both have samples, and one has
 * several programs. */
bool diff_programs_apart(const struct loaded_trace *a, const struct loaded_trace *b);
/* Hangs the paths of a trace with one program below a node with a function for that program, as
 * traces with several programs have them. 0 or -ENOMEM. */
int diff_programs_root(struct call_tree *t, uint32_t func);

#endif
