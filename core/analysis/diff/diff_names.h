/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of two traces, matched: one's is the function of the same name in the other. */
#ifndef GOTRACE_DIFF_NAMES_H
#define GOTRACE_DIFF_NAMES_H

#include "analysis/trace_load.h"

struct diff_names {
	/* funcs: the names of both traces, each once, in order; strings and files borrowed from the
	 * traces' (B's file and line, when both say) */
	struct trace_info info;
	uint32_t *name_of[2]; /* of each side's functions: index into info.funcs */
	bool *traced[2];      /* of names: had this trace a probe on it? */
};

/* A first. 0 or -ENOMEM; diff_names_free in either case. */
int diff_names_match(struct diff_names *n, const struct loaded_trace *a,
		     const struct loaded_trace *b);
void diff_names_free(struct diff_names *n);

#endif
