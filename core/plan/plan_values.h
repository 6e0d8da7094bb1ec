/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments and results that are to be recorded: what the user asks for, as
 * FUNCTION(EXPRESSION,...), and where the values are.
 */
#ifndef GOTRACE_PLAN_VALUES_H
#define GOTRACE_PLAN_VALUES_H

#include "bpf/event.h"
#include "plan/plan.h"

/* FUNCTION(EXPRESSION,...) taken apart. */
struct value_request {
	bool result; /* by --ret, else by --args */
	const char *text;
	char *func;   /* a glob, as after -f */
	char **exprs; /* none: all that can be read */
	size_t n_exprs;
	bool wide;  /* the glob is for several functions, of which some may not have the values */
	bool used;  /* it has met a function */
	bool found; /* and there a value */
};

/* What p->options ask for, into p->values. 0, -ENOMEM, or -EINVAL (logged) when one cannot be
 * understood. */
int values_parse(struct plan *p, const struct plan_options *opt);
/* Whether the function of that display name is asked about: 1, 0 or -ENOMEM. */
int values_match(struct plan *p, const char *display);
/* Finds the values of all selected functions. 0, -ENOMEM, or -EINVAL (logged) when there is no such
 * function or value. */
int values_find(struct plan *p);
/* Leaves the values of f, a function of p, out of the list, and says why. */
void values_drop(struct plan *p, struct plan_func *f, const char *why);
void values_free(struct plan *p);

#endif
