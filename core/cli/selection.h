/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that select functions and the way of probing, shared by record and plan. */
#ifndef GOTRACE_SELECTION_H
#define GOTRACE_SELECTION_H

#include <argp.h>

#include "plan/plan.h"

enum stub_choice { CHOICE_JUMP, CHOICE_NOP, CHOICE_AUTO };

struct selection {
	struct plan_options plan; /* lists point into argv; the arrays are owned */
	/* --stub; plan.stub is set from it once the kernel's features are known */
	enum stub_choice stub;
	const char *const *keys; /* --key, which are among plan.args */
	size_t n_keys;
	bool step_rets; /* --rets=step: no BPF program performs a RET; only for record */
};

/* An argp child whose input is a struct selection. */
extern const struct argp selection_argp;

void selection_free(struct selection *s);

#endif
