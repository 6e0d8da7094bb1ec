/* SPDX-License-Identifier: BSD-2-Clause */
/* The options by which record leaves calls out of a trace: --trigger and the like. */
#ifndef GOTRACE_GATE_ARGS_H
#define GOTRACE_GATE_ARGS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"
#include "trace/trace.h"

struct gate_args {
	const char **triggers; /* --trigger: globs, in argv; the array is owned */
	size_t n_triggers;
	uint32_t depth;    /* --depth; 0: not given */
	uint64_t one_in;   /* --one-in; 0: not given */
	uint64_t delay_ns; /* --delay; 0: not given */
	bool toggle, toggle_on;
};

/* A child of record's parser; its input is a struct gate_args. */
extern const struct argp gate_argp;

bool gate_args_any(const struct gate_args *o);
/* Checks that each trigger is probed. Returns 0, -ENOENT (logged) or -ENOMEM. */
int gate_args_check_plan(const struct gate_args *o, const struct plan *plan, const struct gobin *b);
/* Checks that a function matches and is probed. Returns as above. */
int gate_args_check_glob(const char *option, const char *glob, const struct plan *plan,
			 const struct gobin *b);
/* Returns the signals that the options use: bit N is signal N. */
uint32_t gate_args_signals(const struct gate_args *o);
/* Adds the options as keys of a trace. Returns 0 or -ENOMEM. */
int gate_args_describe(const struct gate_args *o, struct trace_info *t);
void gate_args_free(struct gate_args *o);

#endif
