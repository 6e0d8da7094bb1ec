/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of record's flight recorder: --keep-last, --when and --times. */
#ifndef GOTRACE_FLIGHT_ARGS_H
#define GOTRACE_FLIGHT_ARGS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"
#include "trace/trace.h"

struct flight_args {
	const char *last;             /* value of --keep-last; NULL: not given */
	uint64_t keep_ns, keep_bytes; /* 0: not given */
	const char *when;             /* value of --when; NULL: not given */
	char *when_func;              /* function of --when, a glob; owned */
	uint64_t when_ns;
	uint32_t times; /* --times; 0 if not given */
};

/* A child of record's parser; its input is a struct flight_args. */
extern const struct argp flight_argp;

/* Adds the options as keys of a trace. Returns 0 or -ENOMEM. */
int flight_args_describe(const struct flight_args *o, struct trace_info *t);
/* Returns the signals that the options use: bit N is signal N. */
uint32_t flight_args_signals(const struct flight_args *o);
void flight_args_free(struct flight_args *o);

#endif
