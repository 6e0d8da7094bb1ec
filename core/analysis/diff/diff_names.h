/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches the functions of two traces by their names. */
#ifndef GOTRACE_DIFF_NAMES_H
#define GOTRACE_DIFF_NAMES_H

#include "analysis/trace_load.h"

struct diff_names {
	/* funcs has the names of both traces, each once, in order. It borrows strings and files
	 * from the traces (B's file and line, when both have them). */
	struct trace_info info;
	uint32_t *name_of[2]; /* index into info.funcs for each side's functions */
	bool *traced[2];      /* by name: this trace had a probe on it */
	/* With diff_programs_apart: each program's functions are apart, and those of a program
	 * share a name only with those of the other side's program of its name. */
	const char **program; /* by name; NULL if programs are together */
	/* A side with one program has a function for it, its last one and not of the trace. Its
	 * index is the number of the trace's functions; TRACE_NONE if there is none. */
	uint32_t root[2];
	char *only[2], *root_name[2]; /* that program: "go", "[go]" */
};

/* A first. 0 or -ENOMEM; diff_names_free in either case. */
int diff_names_match(struct diff_names *n, const struct loaded_trace *a,
		     const struct loaded_trace *b);
void diff_names_free(struct diff_names *n);

#endif
