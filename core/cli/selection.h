/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that choose functions, shared by record and plan. */
#ifndef GOTRACE_SELECTION_H
#define GOTRACE_SELECTION_H

#include <argp.h>

#include "plan/plan.h"

struct selection {
	struct plan_options plan; /* lists point into argv; the arrays are owned */
	const char *probe;        /* --probe as given, "auto" */
};

/* An argp child whose input is a struct selection. */
extern const struct argp selection_argp;

void selection_free(struct selection *s);

#endif
