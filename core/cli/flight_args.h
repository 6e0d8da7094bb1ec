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
	const char *last;             /* --keep-last as given; NULL: not given */
	uint64_t keep_ns, keep_bytes; /* 0: not given */
	const char *when;             /* --when as given; NULL: not given */
	char *when_func;              /* its function: a glob; owned */
	uint64_t when_ns;
	uint32_t times; /* --times; 0: not given */
};

/* A child of record's parser; its input is a struct flight_args. */
extern const struct argp flight_argp;

/* As keys of a trace. 0 or -ENOMEM. */
int flight_args_describe(const struct flight_args *o, struct trace_info *t);
/* Signals that they are about: bit N is signal N. */
uint32_t flight_args_signals(const struct flight_args *o);
void flight_args_free(struct flight_args *o);

#endif
