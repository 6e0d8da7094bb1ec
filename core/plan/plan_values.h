/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments and results that are to be recorded. The user asks for them as
 * FUNCTION(EXPRESSION,...), and the plan finds where the values are. */
#ifndef GOTRACE_PLAN_VALUES_H
#define GOTRACE_PLAN_VALUES_H

#include "bpf/event.h"
#include "plan/plan.h"

/* FUNCTION(EXPRESSION,...) taken apart. */
struct value_request {
	bool result; /* asked for by --ret, not by --args */
	const char *text;
	char *func;   /* a glob, written as after -f */
	char **exprs; /* without any: all values that can be read */
	size_t n_exprs;
	/* the glob is for several functions, and some of them may not have the values */
	bool wide;
	bool used;  /* it has matched a function */
	bool found; /* it has found a value there */
};

/* Parses the requests in opt into p->values. Returns 0, -ENOMEM, or -EINVAL (logged) for a request
 * that cannot be understood. */
int values_parse(struct plan *p, const struct plan_options *opt);
/* Returns 1 when a request asks for the function of that display name, 0 when none does, or
 * -ENOMEM. */
int values_match(struct plan *p, const char *display);
/* Finds the values of all selected functions. Returns 0, -ENOMEM, or -EINVAL (logged) when there is
 * no such function or value. */
int values_find(struct plan *p);
/* Removes the values of f, a function of p, from the list and logs `why`. */
void values_drop(struct plan *p, struct plan_func *f, const char *why);
void values_free(struct plan *p);

#endif
